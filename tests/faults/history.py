"""What clients and programs saw of a run: operations with their times, the readers' revisions, the runners' journal.

Times are seconds of the monotonic clock, which all processes of a machine share.
"""

import json
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

OK, FAIL, UNKNOWN = "ok", "fail", "unknown"


@dataclass
class Operation:
    """One call of a client. FAIL: it had no effect. UNKNOWN: it may have taken effect, or may yet."""

    kind: str  # submit, cancel or get.
    key: str  # The request id of a submit, else the job's name.
    invoke: float
    complete: float = 0.0
    outcome: str = UNKNOWN
    job: str = ""  # As answered.
    state: str = ""  # Likewise.
    reason: str = ""  # Of a failure.


@dataclass
class Life:
    """A runner's life as its journal tells."""

    worker: str
    devices: str
    job: str
    attempt: int
    begin: float
    end: float
    stopped: bool = False


@dataclass
class Record:
    """Everything that is checked."""

    operations: list[Operation] = field(default_factory=list)
    lives: list[Life] = field(default_factory=list)
    jobs: dict[str, dict[str, object]] = field(default_factory=dict)  # As GetJob shows them at the end.
    readers: list[list[int]] = field(default_factory=list)  # Revisions in the order in which each reader got them.
    last_revision: int = 0
    expected_logs: dict[str, bytes] = field(default_factory=dict)  # By attempt name.
    logs: dict[str, bytes] = field(default_factory=dict)
    slots: int = 1  # Of each worker.


class Recorder:
    """Takes in operations from several threads and keeps them in a file too, so that a crash leaves them."""

    def __init__(self, path: Path) -> None:
        """Begins an empty history."""
        self._lock = threading.Lock()
        self._file = path.open("w", buffering=1)
        self._operations: list[Operation] = []

    def begin(self, kind: str, key: str) -> Operation:
        """An operation that is invoked now."""
        operation = Operation(kind, key, time.monotonic())
        with self._lock:
            self._operations.append(operation)
            self._write("invoke", operation)
        return operation

    def end(self, operation: Operation, outcome: str) -> None:
        """Its end."""
        with self._lock:
            operation.complete = time.monotonic()
            operation.outcome = outcome
            self._write(outcome, operation)

    def _write(self, event: str, operation: Operation) -> None:
        self._file.write(json.dumps({"event": event, **asdict(operation)}) + "\n")

    def operations(self) -> list[Operation]:
        """All so far."""
        with self._lock:
            return list(self._operations)


def read_journal(path: Path) -> list[Life]:
    """The lives of all runners that wrote to a journal; processes of one attempt count as one life."""
    lives: dict[tuple[str, str, int, str], Life] = {}
    if not path.exists():
        return []
    for text in path.read_text().splitlines():
        line = json.loads(text)
        key = (line["worker"], line["job"], line["attempt"], line["devices"])
        at = line["t"] / 1e9
        life = lives.setdefault(key, Life(line["worker"], line["devices"], line["job"], line["attempt"], at, at))
        life.begin = min(life.begin, at)
        life.end = max(life.end, at)
        life.stopped = life.stopped or line["what"] == "stop"
    return list(lives.values())
