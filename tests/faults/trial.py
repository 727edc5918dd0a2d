"""One run of one scenario: its cluster, its clients, the end of the faults, and the checks."""

import random
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from api import Api, EventReader, NoAnswerError, RefusedError
from checker import TERMINAL, attempts_of, check, short
from cluster import BrokenError, Cluster, Settings
from fixture import expected_log
from history import Record, Recorder
from processes import Process, processes_below, wait_until
from workload import PLAIN, Mix, Workload

# What these print in full is known.
PRINTING = {"plain", "stubborn", "grandchild", "crash-once", "kill-runner-once"}


class SkippedError(Exception):
    """What the scenario needs cannot be done on this machine."""


@dataclass
class Figures:
    """What is counted over all scenarios."""

    kills: int = 0
    lost: int = 0
    doubled: int = 0
    overlaps: int = 0
    jobs: int = 0


@dataclass
class Trial:
    """What a scenario is given and what it leaves."""

    name: str
    seed: int
    long: bool
    binaries: Path
    directory: Path
    fake_gpus: Path | None = None
    figures: Figures = field(default_factory=Figures)
    breaches: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """All chance of the harness comes from the seed."""
        self.rng = random.Random(f"{self.name} {self.seed}")

    def rounds(self, bounded: int, long: int) -> range:
        """How often to strike."""
        return range(long if self.long else bounded)

    def note(self, text: str) -> None:
        """Something worth a word in the table."""
        self.notes.append(text)

    def expect(self, holds: bool, what: str) -> None:
        """A breach of a scenario's own."""
        if not holds:
            self.breaches.append(what)

    def pause(self, low: float, high: float) -> None:
        """Sleeps for a while between these seconds."""
        time.sleep(self.rng.uniform(low, high))

    def settings(self, **changes: Any) -> Settings:
        """Settings of a cluster in the run's own directory."""
        return Settings(self.binaries, self.directory, **changes)

    def kill(self, process: Process | None) -> None:
        """SIGKILL, counted."""
        if process is not None and process.kill():
            self.figures.kills += 1


class Scene:
    """A cluster under load."""

    def __init__(self, trial: Trial, cluster: Cluster) -> None:
        """The cluster runs."""
        self.trial = trial
        self.cluster = cluster
        self.api = cluster.api
        self.recorder = Recorder(cluster.settings.directory / "history.jsonl")
        self.workload: Workload | None = None

    def load(self, *, through: Api | None = None, mix: Mix = PLAIN, **options: Any) -> Workload:
        """Starts clients; `through`: where they reach the server."""
        api = through or self.api
        self.workload = Workload(self.trial.rng, self.trial.seed, lambda: api, self.recorder, mix=mix, **options)
        return self.workload

    def settle(self, *, most_seconds: float = 90) -> dict[str, dict[str, Any]]:
        """The faults are over: everything must run, drain within its bounds and stand up to every check."""
        cluster, trial = self.cluster, self.trial
        healed = time.monotonic()
        if cluster.server is None or not cluster.server.running():
            cluster.start_server()
        cluster.start_workers()
        if self.workload is not None:
            self.workload.stop_submitting()
        cluster.wait_online()
        held = self._held()
        requeued = healed + 3 * cluster.settings.requeue_bound + self._longest()
        jobs = self._drain(healed + 3 * cluster.settings.requeue_bound + most_seconds, held, requeued)
        trial.figures.jobs += len(jobs)
        record = self._record(jobs)
        self._check_command_line(record)
        trial.breaches += cluster.stop_gently()
        trial.breaches += cluster.check_databases()
        left = [pid for worker in cluster.workers for pid in processes_below(worker.attempts)]
        trial.expect(not left, f"SURVIVOR processes {left} of runners outlive their worker")
        breaches = check(record)
        trial.figures.lost += sum(breach.startswith("LOST") for breach in breaches)
        trial.figures.doubled += sum(breach.startswith("DOUBLED") for breach in breaches)
        trial.figures.overlaps += sum(breach.startswith("OVERLAP") for breach in breaches)
        trial.breaches += breaches
        return jobs

    def _longest(self) -> float:
        return self.workload.longest / 1000 if self.workload is not None else 0

    def _held(self) -> set[str]:
        """Attempts that are under way."""
        active = [name for name, state in self.cluster.states().items() if state in ("ASSIGNED", "RUNNING")]
        return {
            str(attempt["name"])
            for name in active
            for attempt in attempts_of(self.api.get(f"/v1/{name}"))
            if short(attempt["state"]) in ("ASSIGNED", "RUNNING")
        }

    def _drain(self, until: float, held: set[str], requeued: float) -> dict[str, dict[str, Any]]:
        """The jobs when all have ended, or at that time. Attempts of `held` must have ended at `requeued`."""
        while True:
            self.end_sickness()
            states = self.cluster.states()
            now = time.monotonic()
            if held and now > requeued:
                late = held & self._held()
                self.trial.expect(not late, f"BOUND attempts {sorted(late)} are under way after the requeue bound")
                held = set()
            if all(state in TERMINAL for state in states.values()) or now > until:
                return self.cluster.jobs()
            time.sleep(0.2)

    def end_sickness(self) -> None:
        """An operator has looked at every worker that crashes made sick."""
        for worker in self.api.pages("/v1/workers", "workers"):
            if worker.get("state") == "WORKER_STATE_SICK":
                self.api.call("POST", f"/v1/{worker['name']}:resume", {})

    def _record(self, jobs: dict[str, dict[str, Any]]) -> Record:
        settings = self.cluster.settings
        record = Record(self.recorder.operations(), self.cluster.lives(), dict(jobs), slots=settings.slots)
        for name, job in jobs.items():
            parameters: Mapping[str, str] = job["command"].get("parameters", {})
            for attempt in attempts_of(job):
                if short(attempt["state"]) != "SUCCEEDED" or parameters.get("mode") not in PRINTING:
                    continue
                attempt_name = str(attempt["name"])
                number = int(attempt_name.rsplit("/", 1)[1])
                record.expected_logs[attempt_name] = expected_log(name, number, int(parameters["lines"]))
                try:
                    record.logs[attempt_name] = self.api.log(attempt_name)
                except (NoAnswerError, RefusedError) as error:
                    self.trial.note(f"log of {attempt_name}: {error}")
        if self.workload is not None:
            record.last_revision = self._last_revision()
            for reader in self.workload.readers:
                reader.stop(record.last_revision, 20)
            record.readers = [reader.revisions for reader in self.workload.readers]
        return record

    def _last_revision(self) -> int:
        """A new reader's last revision, when nothing happens any more."""
        reader = EventReader(self.api)
        reader.start()
        seen = -1

        def still() -> bool:
            nonlocal seen
            before, seen = seen, len(reader.revisions)
            return before == seen > 0

        wait_until(still, 20, 0.5)
        reader.stop(0, 0)
        return reader.revisions[-1] if reader.revisions else 0

    def _check_command_line(self, record: Record) -> None:
        """`benchwire jobs logs` prints the same bytes."""
        names = sorted(record.expected_logs)
        for attempt in self.trial.rng.sample(names, min(3, len(names))):
            result = subprocess.run(
                [str(self.trial.binaries / "benchwire"), "jobs", "logs", attempt.split("/attempts/")[0]],
                env={"BENCHWIRE_SERVER": self.cluster.grpc, "PATH": "/usr/bin:/bin"},
                capture_output=True,
                timeout=30,
                check=False,
            )
            same = result.returncode == 0 and result.stdout == record.expected_logs[attempt]
            self.trial.expect(same, f"LOG the command line prints {len(result.stdout)} bytes for {attempt}")


def fixture_job(mode: str, millis: int = 50, lines: int = 10, **fields: Any) -> dict[str, Any]:
    """A job in the form CreateJob takes."""
    parameters = {"mode": mode, "millis": str(millis), "lines": str(lines)}
    return {"command": {"command": "fixture", "parameters": parameters}, **fields}


def submit(scene: Scene, body: dict[str, Any]) -> str:
    """Submits a job outside the workload and keeps it in the history."""
    operation = scene.recorder.begin("submit", f"x{len(scene.recorder.operations())}")
    try:
        answer = scene.api.call("POST", f"/v1/jobs?requestId={operation.key}&allowUnsatisfiable=true", body)
    except RefusedError:
        scene.recorder.end(operation, "fail")
        raise
    operation.job, operation.state = str(answer["name"]), short(answer["state"])
    scene.recorder.end(operation, "ok")
    return operation.job


def wait_for_state(scene: Scene, job: str, states: set[str], seconds: float) -> str:
    """The job's state when it is one of these; BrokenError: not in that time."""
    state = ""

    def reached() -> bool:
        nonlocal state
        state = short(scene.api.get(f"/v1/{job}")["state"])
        return state in states

    if not wait_until(reached, seconds, 0.05):
        raise BrokenError(f"{job} is {state} after {seconds} s, not {' or '.join(sorted(states))}")
    return state
