"""A server and its workers as real processes on loopback, in a directory of their own."""

import json
import os
import re
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from api import Api, NoAnswerError
from checker import short
from history import Life, read_journal
from processes import Process, kill_below, wait_until

HOST = "127.0.0.1"
HERE = Path(__file__).resolve().parent
TICK = 0.2


class BrokenError(Exception):
    """The system did not do what a scenario rests on."""


@dataclass
class Settings:
    """What differs between scenarios."""

    binaries: Path
    directory: Path
    ttl: int = 4
    workers: int = 2
    slots: int = 1
    fake_gpus: Path | None = None  # A library in NVML's place, which shows two of them.
    server_environment: Mapping[str, str] = field(default_factory=dict)
    worker_environment: Mapping[str, str] = field(default_factory=dict)
    output_bytes: int = 64 << 20
    runners: Path | None = None  # In place of the directory of the binaries.

    @property
    def requeue_bound(self) -> float:
        """Seconds from the last sign of a worker until its jobs are queued again, as documented (server --help)."""
        return self.ttl + min(15.0, self.ttl / 3) + TICK


class Worker:
    """One worker: its process, which may be started again, and how."""

    def __init__(self, name: str, settings: Settings) -> None:
        """Writes its definition of the fixture program."""
        self.name = name
        self.settings = settings
        self.process: Process | None = None
        self.prefix: Sequence[str] = ()
        self.server = ""  # Empty: the server's own address.
        self.log = settings.directory / f"{name}.log"
        self._registered_before = 0
        self.work = settings.directory / "work"
        self.definitions = settings.directory / f"definitions-{name}"
        self.definitions.mkdir(parents=True)
        shutil.copy(HERE / "fixture.py", self.definitions / "fixture.py")
        argv = [os.path.realpath(sys.executable), "-I", "-S", "fixture.py", str(settings.directory / "journal"), name]
        definition = {
            "name": "fixture",
            "argv": [*argv, "{mode}", "{millis}", "{lines}"],
            "parameters": {
                "mode": {"type": "string", "pattern": "[a-z-]+", "max_bytes": 32, "default": "plain"},
                "millis": {"type": "integer", "min": 0, "max": 600000, "default": 50},
                "lines": {"type": "integer", "min": 0, "max": 100000, "default": 10},
            },
            "files": {"fixture.py": {"copy": "fixture.py"}},
            "limits": {"wall_time": "600s", "output_bytes": settings.output_bytes},
            "output": {
                "rules": [{"from": "usage", "value": "wall_time", "metric": "time", "unit": "s", "direction": "LOWER"}]
            },
        }
        (self.definitions / "fixture.json").write_text(json.dumps(definition))

    @property
    def attempts(self) -> Path:
        """Where the private directories of its attempts are."""
        return self.work / self.name / "attempts"

    def start(self, server: str) -> None:
        """Starts it; does not wait."""
        settings = self.settings
        environment = dict(settings.worker_environment)
        if settings.fake_gpus is not None:
            environment["BENCHWIRE_NVML_LIBRARY"] = str(settings.fake_gpus)
        arguments = [
            str(settings.binaries / "benchwire-worker"),
            "--server",
            self.server or server,
            "--name",
            self.name,
        ]
        arguments += ["--work-dir", str(self.work), "--commands", str(self.definitions), "--slots", str(settings.slots)]
        arguments += ["--label", f"machine={self.name}"]
        if settings.runners is not None:
            arguments += ["--runners", str(settings.runners)]
        self._registered_before = self._registrations()
        self.process = Process(arguments, self.log, prefix=self.prefix, environment=environment)

    def _registrations(self) -> int:
        return self.log.read_text().count(" registered worker=") if self.log.exists() else 0

    def registered(self) -> bool:
        """Whether its present process has registered; the server may still show an earlier one."""
        return self._registrations() > self._registered_before

    def running(self) -> bool:
        """Whether its process lives."""
        return self.process is not None and self.process.running()

    def signal(self, number: signal.Signals) -> None:
        """A signal to its process alone."""
        if self.process is not None:
            self.process.send(number)

    def pid(self) -> int:
        """Of its process, which was started."""
        if self.process is None:
            raise BrokenError(f"{self.name} was never started")
        return self.process.pid


class Cluster:
    """Everything of a run. Used as a context: what it started is gone afterwards."""

    def __init__(self, settings: Settings) -> None:
        """Starts nothing yet."""
        self.settings = settings
        settings.directory.mkdir(parents=True, exist_ok=True)
        self.data = settings.directory / "data"
        self.journal = settings.directory / "journal"
        self.workers = [Worker(f"w{i + 1}", settings) for i in range(settings.workers)]
        self.server: Process | None = None
        self.server_prefix: Sequence[str] = ()
        self.grpc_port = 0
        self.http_port = 0
        self.others: list[Process] = []  # Helpers of a scenario.

    def __enter__(self) -> "Cluster":
        """Starts server and workers and waits for them."""
        try:
            if self.server is None:
                self.start_server()
            self.start_workers()
            self.wait_online()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Kills everything."""
        for process in [*self.others, *(worker.process for worker in self.workers), self.server]:
            if process is not None:
                process.send(signal.SIGCONT)
                process.kill()
        wait_until(lambda: not self._kill_leftovers(), 5)

    def _kill_leftovers(self) -> bool:
        kill_below(self.settings.directory)
        return False

    @property
    def api(self) -> Api:
        """The server's HTTP interface."""
        return Api(HOST, self.http_port)

    @property
    def grpc(self) -> str:
        """The server's address for workers."""
        return f"{HOST}:{self.grpc_port}"

    def server_pid(self) -> int:
        """Of the server, which was started."""
        if self.server is None:
            raise BrokenError("the server was never started")
        return self.server.pid

    def start_server(self, seconds: float = 15) -> float:
        """Starts it, again on the same ports, and waits until it serves, at most `seconds`. Seconds that took."""
        begin = time.monotonic()
        arguments = [str(self.settings.binaries / "benchwire-server"), "--data", str(self.data)]
        arguments += ["--grpc-port", str(self.grpc_port), "--http-port", str(self.http_port)]
        arguments += ["--lease-ttl", str(self.settings.ttl)]
        log = self.settings.directory / "server.log"
        self.server = Process(arguments, log, prefix=self.server_prefix, environment=self.settings.server_environment)
        server = self.server
        if not wait_until(lambda: b"\n" in server.output.read_bytes() or not server.running(), seconds):
            raise BrokenError(f"the server does not serve within {seconds} s")
        ready = re.search(r" grpc=\S+:(\d+) http=\S+:(\d+) ", server.output.read_text())
        if ready is None:
            raise BrokenError(f"the server did not start; see {log}")
        self.grpc_port, self.http_port = int(ready[1]), int(ready[2])
        return time.monotonic() - begin

    def start_workers(self) -> None:
        """Starts every worker that does not run."""
        for worker in self.workers:
            if not worker.running():
                worker.start(self.grpc)

    def wait_online(self, seconds: float = 30) -> None:
        """Waits until every worker is online with its present process."""

        def all_online() -> bool:
            return all(worker.registered() for worker in self.workers) and self.online() == len(self.workers)

        if not wait_until(all_online, seconds, 0.1):
            raise BrokenError(f"{self.online()} of {len(self.workers)} workers are online after {seconds} s")

    def online(self) -> int:
        """How many workers are."""
        try:
            workers = self.api.pages("/v1/workers", "workers")
        except NoAnswerError:
            return 0
        return sum(worker.get("state") in ("WORKER_STATE_ONLINE", "WORKER_STATE_SICK") for worker in workers)

    def jobs(self) -> dict[str, dict[str, Any]]:
        """Every job with its attempts."""
        return {name: self.api.get(f"/v1/{name}") for name in self.states()}

    def states(self) -> dict[str, str]:
        """The state of every job."""
        return {str(job["name"]): short(job["state"]) for job in self.api.pages("/v1/jobs", "jobs")}

    def lives(self) -> list[Life]:
        """What the runners' journal tells so far."""
        return read_journal(self.journal)

    def stop_gently(self) -> list[str]:
        """SIGTERM to all. What went wrong with it."""
        out = []
        for worker in self.workers:
            if worker.process is not None and worker.process.running() and worker.process.stop() != 0:
                out.append(f"STOP {worker.name} did not end with 0 after SIGTERM")
        if self.server is not None and self.server.running() and self.server.stop() != 0:
            out.append("STOP the server did not end with 0 after SIGTERM")
        return out

    def check_databases(self) -> list[str]:
        """Integrity of the files that a stopped server left."""
        out = []
        for path in sorted(self.data.glob("*.db")):
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
                verdict = [row[0] for row in database.execute("PRAGMA integrity_check")]
                orphans = list(database.execute("PRAGMA foreign_key_check"))
            database.close()
            if verdict != ["ok"] or orphans:
                out.append(f"INTEGRITY {path.name}: {verdict[:3]} {orphans[:3]}")
        return out
