"""Scenarios F1 to F3: server, workers and runners are killed."""

import contextlib
import os
import signal
import time
from pathlib import Path

from checker import attempts_of, short
from cluster import Cluster, Worker
from processes import Process, name_of, processes_below, wait_until
from tracing import attach_strace
from trial import Scene, Trial, fixture_job, submit, wait_for_state

# Seconds in which the server is to serve again, and in which a killed worker's runner is to be gone; asserted at three
# times that.
SERVING = 5.0
GONE = 1.0


def restart_server(trial: Trial, cluster: Cluster) -> None:
    """Starts a server that was killed, in its time."""
    took = cluster.start_server(3 * SERVING)
    trial.note(f"serving after {took:.2f} s") if took > SERVING else None


def server_killed(trial: Trial) -> None:
    """F1: SIGKILL to the server at random times, also soon after its start."""
    with Cluster(trial.settings(slots=2, fake_gpus=trial.fake_gpus)) as cluster:
        scene = Scene(trial, cluster)
        scene.load(clients=4, gpus=trial.fake_gpus is not None, pause=0.05)
        for _ in trial.rounds(12, 400):
            trial.pause(0.05, 1.5)
            trial.kill(cluster.server)
            restart_server(trial, cluster)
        trial.pause(0.5, 1)
        scene.settle()


def expect_runners_gone(trial: Trial, worker: Worker) -> None:
    """Nothing of a killed worker's attempts lives on."""
    gone = wait_until(lambda: not processes_below(worker.attempts), 3 * GONE)
    trial.expect(gone, f"SURVIVOR runners of {worker.name} live {3 * GONE} s after it was killed")


def worker_killed(trial: Trial) -> None:
    """F2: SIGKILL to workers while their runners live. Most come back as a new incarnation, one stays away."""
    with Cluster(trial.settings(workers=3, slots=2, fake_gpus=trial.fake_gpus)) as cluster:
        scene = Scene(trial, cluster)
        scene.load(clients=4, gpus=trial.fake_gpus is not None, longest=600, pause=0.05)
        away: Worker | None = None
        for number in trial.rounds(12, 300):
            trial.pause(0.1, 0.9)
            worker = trial.rng.choice([one for one in cluster.workers if one is not away])
            trial.kill(worker.process)
            expect_runners_gone(trial, worker)
            if number % 6 == 0:
                if away is not None:
                    away.start(cluster.grpc)
                away = worker
            else:
                worker.start(cluster.grpc)
        scene.settle()


def both_killed(trial: Trial) -> None:
    """F1 and F2 together, so that starts and registrations meet half-made states."""
    with Cluster(trial.settings(workers=2)) as cluster:
        scene = Scene(trial, cluster)
        scene.load(clients=3, pause=0.05)
        for _ in trial.rounds(10, 300):
            trial.pause(0.05, 1.0)
            victims = trial.rng.choice([[0], [1], [0, 1], [0, 1]])
            for index in victims:
                trial.kill(cluster.workers[index].process)
            if trial.rng.random() < 0.7:
                trial.kill(cluster.server)
                cluster.start_workers()
                restart_server(trial, cluster)
            cluster.start_workers()
        scene.settle()


def killed_inside(trial: Trial, process: Process, calls: list[str], most: int) -> bool:
    """SIGKILL at the entry of some call of the process, by one of its threads. False: it did not make so many calls."""
    inject = f"{trial.rng.choice(calls)}:signal=SIGKILL:when={trial.rng.randint(1, most)}+"
    tracer = attach_strace(trial, process.pid, inject)
    died = wait_until(lambda: not process.running(), 5)
    tracer.kill()
    trial.figures.kills += died
    return died


def server_killed_inside(trial: Trial) -> None:
    """F1: SIGKILL within a commit (writing and syncing the log, a checkpoint) and between a commit and its answer."""
    with Cluster(trial.settings(workers=2)) as cluster:
        scene = Scene(trial, cluster)
        scene.load(clients=4, pause=0.03)
        hits = 0
        for _ in trial.rounds(10, 300):
            trial.pause(0.1, 0.4)
            assert cluster.server is not None
            hits += killed_inside(trial, cluster.server, ["pwrite64", "pwrite64", "fdatasync", "sendmsg"], 25)
            if not cluster.server.running():
                restart_server(trial, cluster)
        trial.note(f"{hits} kills within a call")
        trial.expect(hits > 0, "KILL no call was met: the fault was not there")
        scene.settle()


def worker_killed_inside(trial: Trial) -> None:
    """F2: SIGKILL to a worker around what it tells the server and around the start of a runner."""
    with Cluster(trial.settings(workers=2)) as cluster:
        scene = Scene(trial, cluster)
        scene.load(clients=3, pause=0.05, longest=300)
        hits = 0
        planned = len(trial.rounds(8, 300))
        for number in range(planned + 16):
            # Some rounds more where no worker had anything to do in these.
            if number >= planned and hits > 0:
                break
            trial.pause(0.1, 0.4)
            worker = trial.rng.choice(cluster.workers)
            assert worker.process is not None
            # Strace counts for each thread, and most threads of a worker live as long as one attempt.
            hits += killed_inside(trial, worker.process, ["sendmsg", "sendmsg", "mkdir", "pipe2", "wait4"], 2)
            if not worker.running():
                expect_runners_gone(trial, worker)
                worker.start(cluster.grpc)
                cluster.wait_online()
        trial.note(f"{hits} kills within a call")
        trial.expect(hits > 0, "KILL no call was met: the fault was not there")
        scene.settle()


def strike_runner(trial: Trial, worker: Worker) -> str:
    """Ends one process of an attempt: the runner, its keeper or the program. What it was."""
    candidates = processes_below(worker.attempts)
    if not candidates:
        return ""
    pid = trial.rng.choice(candidates)
    name = Path(name_of(pid)).name
    number = trial.rng.choice([signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
        trial.figures.kills += 1
    return name


def runner_killed(trial: Trial) -> None:
    """F3: runners, keepers and programs are killed, crash, ignore SIGTERM and fork twice."""
    mix = [("plain", 60), ("crash-once", 8), ("kill-runner-once", 7), ("stubborn", 10), ("grandchild", 15)]
    with Cluster(trial.settings(workers=2)) as cluster:
        scene = Scene(trial, cluster)
        scene.load(clients=3, mix=mix, longest=400, cancels=0.2)
        for _ in trial.rounds(25, 400):
            trial.pause(0.1, 0.5)
            strike_runner(trial, trial.rng.choice(cluster.workers))
            scene.end_sickness()
        scene.settle()


def runner_ends(trial: Trial) -> None:
    """F3: how each kind of end is named, and that the worker is fit for the next job."""
    wanted = {
        "crash": ("FAILED", "RUNNER_CRASHED"),
        "fail": ("FAILED", "PROGRAM_FAILED"),
        "grandchild": ("SUCCEEDED", ""),
    }
    with Cluster(trial.settings(workers=1)) as cluster:
        scene = Scene(trial, cluster)
        for mode, (state, code) in wanted.items():
            job = submit(scene, fixture_job(mode, maxAttempts=1))
            wait_for_state(scene, job, {state}, 20)
            found = str(scene.api.get(f"/v1/{job}").get("reason", {}).get("code", ""))
            trial.expect(found == code, f"REASON of {mode} is {found}, not {code}")
            left = wait_until(lambda: not processes_below(cluster.workers[0].attempts), 3 * GONE)
            trial.expect(left, f"SURVIVOR processes live after a job in mode {mode}")
            wait_for_state(scene, submit(scene, fixture_job("plain")), {"SUCCEEDED"}, 20)
        stubborn = submit(scene, fixture_job("stubborn", millis=60_000))
        wait_for_state(scene, stubborn, {"RUNNING"}, 20)
        time.sleep(0.3)
        scene.api.call("POST", f"/v1/{stubborn}:cancel", {})
        wait_for_state(scene, stubborn, {"CANCELLED"}, 3 * 10)
        ended = [short(attempt["state"]) for attempt in attempts_of(scene.api.get(f"/v1/{stubborn}"))]
        trial.expect(ended == ["CANCELLED"], f"STATE of a stubborn attempt is {ended}")
        scene.settle()
