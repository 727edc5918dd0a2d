"""Scenarios F4, F5 and F13: processes stand still, the disk stalls, clocks jump."""

import signal
import time
from pathlib import Path

from checker import attempts_of, short
from cluster import Cluster
from processes import processes_below, wait_until
from tracing import attach_strace
from trial import Scene, SkippedError, Trial, fixture_job, submit, wait_for_state


def lost(cluster: Cluster) -> int:
    """Attempts that ended WORKER_LOST so far."""
    return sum(short(one["state"]) == "WORKER_LOST" for job in cluster.jobs().values() for one in attempts_of(job))


def worker_frozen(trial: Trial) -> None:
    """F4: a worker is stopped for twice its time to live and goes on. Its runner is gone before another may run."""
    with Cluster(trial.settings(workers=2)) as cluster:
        settings = cluster.settings
        scene = Scene(trial, cluster)
        scene.load(clients=2, longest=500, pause=0.2, cancels=0)
        for _ in trial.rounds(2, 40):
            # It would live for longer than anybody waits here.
            job = submit(scene, fixture_job(trial.rng.choice(["plain", "stubborn"]), millis=60_000))
            wait_for_state(scene, job, {"RUNNING"}, 20)
            name = str(scene.api.get(f"/v1/{job}")["attempts"][0]["worker"])
            worker = next(one for one in cluster.workers if name == f"workers/{one.name}")
            trial.pause(0, 0.3)
            begin = time.monotonic()
            worker.signal(signal.SIGSTOP)
            gone = wait_until(lambda: not processes_below(worker.attempts), 3 * settings.ttl)  # noqa: B023
            trial.expect(gone, f"SURVIVOR the runner of a frozen {worker.name} lives after three times to live")
            time.sleep(max(0.0, begin + 2 * settings.ttl - time.monotonic()))
            worker.signal(signal.SIGCONT)
            trial.pause(0.5, 1.5)
            ends = [short(one["state"]) for one in attempts_of(scene.api.get(f"/v1/{job}"))]
            trial.expect(ends[0] == "WORKER_LOST", f"STATE the attempt of a frozen worker is {ends}")
            scene.api.call("POST", f"/v1/{job}:cancel", {})
        scene.settle()


def server_frozen(trial: Trial) -> None:
    """F5: the server is stopped, shorter and longer than the time to live. No worker is lost for the server's sleep."""
    with Cluster(trial.settings(workers=3)) as cluster:
        scene = Scene(trial, cluster)
        scene.load(clients=3, longest=800, cancels=0.05)
        bound = cluster.settings.requeue_bound
        for number in trial.rounds(2, 30):
            trial.pause(0.5, 1)
            assert cluster.server is not None
            cluster.server.send(signal.SIGSTOP)
            time.sleep(trial.rng.uniform(0.5, 1.5) if number % 2 else bound + 1)
            cluster.server.send(signal.SIGCONT)
            cluster.wait_online(3 * bound)
        trial.pause(1, 2)
        trial.expect(lost(cluster) == 0, f"EXPIRY {lost(cluster)} attempts were lost while only the server stood still")
        scene.settle()


def disk_stalled(trial: Trial) -> None:
    """F5: every fdatasync takes a second, for longer than the time to live. Leases go on, nothing is lost."""
    with Cluster(trial.settings(workers=2)) as cluster:
        scene = Scene(trial, cluster)
        scene.load(clients=2, longest=800, cancels=0.05, pause=0.3)
        for _ in trial.rounds(1, 10):
            trial.pause(0.5, 1)
            tracer = attach_strace(trial, cluster.server_pid(), "fdatasync:delay_enter=1000000")
            cluster.others.append(tracer)
            time.sleep(2 * cluster.settings.requeue_bound)
            tracer.stop()
        trial.expect(lost(cluster) == 0, f"EXPIRY {lost(cluster)} attempts were lost while only the disk was slow")
        scene.settle()


def fake_clock(trial: Trial, name: str) -> tuple[dict[str, str], Path]:
    """An environment in which a process's wall clock follows a file, and the file."""
    library = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if library is None:
        raise SkippedError("libfaketime is not installed")
    control = trial.directory / f"{name}.clock"
    control.write_text("+0\n")
    return {
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(control),
        "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_DONT_RESET": "1",
    }, control


def clock_jumps(trial: Trial) -> None:
    """F13: the wall clock of the server, then of the workers, jumps an hour forth and back while jobs run."""
    server_environment, server_clock = fake_clock(trial, "server")
    worker_environment, worker_clock = fake_clock(trial, "worker")
    settings = trial.settings(server_environment=server_environment, worker_environment=worker_environment)
    with Cluster(settings) as cluster:
        scene = Scene(trial, cluster)
        scene.load(clients=3, longest=500, mix=[("plain", 95), ("crash-once", 5)])
        waiting = submit(scene, fixture_job("plain", requirements={"workerLabels": {"no": "such"}}, queueTtl="1800s"))
        for _ in trial.rounds(3, 40):
            control = trial.rng.choice([server_clock, worker_clock])
            for offset in trial.rng.choice([["+3600", "+0"], ["-3600", "+0"], ["-3600", "+3600", "+0"]]):
                control.write_text(f"{offset}\n")
                trial.pause(1.2, 2)
        trial.expect(lost(cluster) == 0, f"EXPIRY {lost(cluster)} attempts were lost by a jump of a clock")
        scene.end_sickness()
        if short(scene.api.get(f"/v1/{waiting}")["state"]) == "QUEUED":
            scene.api.call("POST", f"/v1/{waiting}:cancel", {})
        wait_for_state(scene, waiting, {"CANCELLED", "EXPIRED"}, 10)
        scene.settle()
