"""Scenarios F6 and F7: the disk is full, or fails."""

import shutil
import subprocess
from pathlib import Path

from api import NoAnswerError, RefusedError
from checker import TERMINAL
from cluster import Cluster
from processes import wait_until
from tracing import attach_strace
from trial import Scene, SkippedError, Trial, fixture_job, submit, wait_for_state


class SmallDisk:
    """A file system of its own, in memory, of a few MiB."""

    def __init__(self, directory: Path, mib: int) -> None:
        """Mounts it."""
        self.directory = directory
        directory.mkdir(parents=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={mib}m", "benchwire-faults", str(directory)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise SkippedError(f"a file system cannot be mounted here: {result.stderr.strip()}")

    def __enter__(self) -> "SmallDisk":
        """Mounted already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Unmounts it, whoever still holds it; what it held stays beside it."""
        self.free()
        shutil.copytree(self.directory, self.directory.with_name(f"{self.directory.name}-kept"))
        subprocess.run(["umount", "--lazy", str(self.directory)], check=False)

    def fill(self) -> None:
        """Takes all the room that is left."""
        with (self.directory / "filler").open("ab", buffering=0) as file:
            while True:
                try:
                    file.write(b"f" * 65536)
                except OSError:
                    break
            while True:
                try:
                    file.write(b"f")
                except OSError:
                    return

    def free(self) -> None:
        """Gives the room back."""
        (self.directory / "filler").unlink(missing_ok=True)


def is_refused(scene: Scene) -> bool:
    """Whether one more job is, for want of room. A log that is used anew has room for some."""
    try:
        submit(scene, fixture_job("plain"))
    except RefusedError as error:
        return error.code == 429
    return False


def server_disk_full(trial: Trial) -> None:
    """F6: the data directory is full: writes are refused, reads go on; with room again, all resumes by itself."""
    settings = trial.settings()
    with SmallDisk(settings.directory / "data", 48) as disk, Cluster(settings) as cluster:
        scene = Scene(trial, cluster)
        workload = scene.load(clients=3, pause=0.1, longest=300, backlog=60)
        for _ in trial.rounds(2, 40):
            trial.pause(1, 2)
            disk.fill()
            refused = wait_until(lambda: is_refused(scene), 30)
            trial.expect(refused, "DISK nothing is refused although the disk is full")
            try:
                scene.api.call("GET", "/v1/jobs?pageSize=10")
            except (NoAnswerError, RefusedError) as error:
                trial.expect(False, f"DISK reading fails while the disk is full: {error}")
            trial.pause(0.5, 2)
            disk.free()
            count = workload.count()
            resumed = wait_until(lambda: workload.count() > count, 15)  # noqa: B023 - called here only
            wrong = [str(one) for one in workload.refusals if one.code != 429]
            trial.expect(not wrong, f"DISK refused otherwise than by RESOURCE_EXHAUSTED: {wrong[:3]}")
            trial.expect(resumed, "DISK no submit succeeds within 15 s of there being room again")
        trial.expect(cluster.server is not None and cluster.server.running(), "DISK the server ended on a full disk")
        scene.settle()


def worker_disk_full(trial: Trial) -> None:
    """F6: a worker's directory is full: its jobs fail or wait, the worker lives, and takes jobs when there is room."""
    settings = trial.settings(workers=1)
    with SmallDisk(settings.directory / "work", 8) as disk, Cluster(settings) as cluster:
        scene = Scene(trial, cluster)
        for _ in trial.rounds(1, 20):
            wait_for_state(scene, submit(scene, fixture_job("plain")), {"SUCCEEDED"}, 20)
            disk.fill()
            job = submit(scene, fixture_job("plain", maxAttempts=2))
            state = wait_for_state(scene, job, TERMINAL, 60)
            reason = scene.api.get(f"/v1/{job}").get("reason", {})
            trial.expect(state == "FAILED", f"DISK a job on a full worker is {state} {reason}")
            disk.free()
            scene.end_sickness()
            wait_for_state(scene, submit(scene, fixture_job("plain")), {"SUCCEEDED"}, 30)
        trial.expect(cluster.workers[0].running(), "DISK the worker ended on a full disk")
        scene.settle()


def call_fails(trial: Trial, call: str, error: str, numbers: list[int]) -> None:
    """The n-th of these system calls of the server fails, for several n; a server that ends is started again."""
    with Cluster(trial.settings()) as cluster:
        scene = Scene(trial, cluster)
        scene.load(clients=3, pause=0.05, longest=200)
        ended = 0
        for number in numbers:
            trial.pause(0.2, 0.6)
            tracer = attach_strace(trial, cluster.server_pid(), f"{call}:error={error}:when={number}")
            cluster.others.append(tracer)
            server = cluster.server
            assert server is not None
            # The number counts in each thread of the server by itself.
            seconds = 2.0 if call == "pwrite64" else 5.0 + number
            wait_until(lambda: not server.running(), seconds)  # noqa: B023 - called here only
            tracer.kill()
            if call == "fdatasync":
                trial.expect(
                    not server.running(), f"DISK the server goes on after fdatasync number {number} gave {error}"
                )
            if not server.running():
                ended += 1
                status = server.wait(1)
                trial.expect(status == 1, f"DISK the server ended with {status} after {call} gave {error}")
                cluster.start_server()
        failed = (trial.directory / "server.log").read_text().count("writes failed")
        trial.expect(ended + failed > 0, f"DISK no {call} failed: the fault was not there")
        trial.note(f"ended {ended} of {len(numbers)} times, {failed} transactions failed")
        scene.settle()


def sync_fails(trial: Trial) -> None:
    """F7: fdatasync fails: the server ends at once and answers nothing; what it had acknowledged is there again."""
    numbers = [1, 2, 3, 5, 8, 20] if not trial.long else list(range(1, 61))
    call_fails(trial, "fdatasync", trial.rng.choice(["EIO", "ENOSPC"]), numbers)


def write_fails(trial: Trial) -> None:
    """F7: pwrite64 fails: what it belonged to is refused as a whole."""
    numbers = [1, 2, 5, 11] if not trial.long else list(range(1, 61))
    call_fails(trial, "pwrite64", trial.rng.choice(["EIO", "ENOSPC"]), numbers)
