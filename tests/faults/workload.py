"""Clients that submit many short jobs, cancel and read some, and follow the events, while things fail."""

import random
import threading
from collections.abc import Callable, Sequence

from api import Api, EventReader, NoAnswerError, RefusedError
from checker import short
from history import FAIL, OK, Recorder

# What a job does, of how many in a hundred.
Mix = Sequence[tuple[str, int]]
PLAIN: Mix = (("plain", 100),)


class Client(threading.Thread):
    """One client: a submit at a time, each asked again with its request id until it is answered."""

    def __init__(
        self, number: int, rng: random.Random, api: Callable[[], Api], recorder: Recorder, load: "Workload"
    ) -> None:
        """Not started yet."""
        super().__init__(daemon=True)
        self._number = number
        self._rng = rng
        self._api = api
        self._recorder = recorder
        self._load = load

    def run(self) -> None:
        """Until the workload ends."""
        serial = 0
        while not self._load.ending.is_set():
            if self._load.may_submit():
                serial += 1
                job = self._submit(f"s{self._load.seed}-c{self._number}-{serial}")
                if job and self._rng.random() < self._load.cancels:
                    self._load.ending.wait(self._rng.random() * 0.3)
                    self._cancel(job)
                if job and self._rng.random() < 0.3:
                    self._get(job)
            self._load.ending.wait(self._rng.random() * 2 * self._load.pause)

    def _body(self) -> dict[str, object]:
        modes, weights = zip(*self._load.mix, strict=True)
        parameters = {
            "mode": self._rng.choices(modes, weights)[0],
            "millis": str(self._rng.randint(0, self._load.longest)),
            "lines": str(self._rng.randint(0, 400)),
        }
        body: dict[str, object] = {"command": {"command": "fixture", "parameters": parameters}, "maxAttempts": 3}
        if self._load.gpus:
            body["requirements"] = {
                "deviceKind": "DEVICE_KIND_GPU",
                "deviceCount": self._rng.randint(1, 2),
                "exclusivity": "EXCLUSIVITY_DEVICE",
            }
        return body

    def _submit(self, key: str) -> str:
        body = self._body()
        while not self._load.abandoned.is_set():
            operation = self._recorder.begin("submit", key)
            try:
                answer = self._api().call("POST", f"/v1/jobs?requestId={key}&allowUnsatisfiable=true", body, 5)
            except RefusedError as refusal:
                operation.reason = refusal.reason
                self._recorder.end(operation, FAIL)
                self._load.refused(refusal)
                if refusal.code != 429:
                    return ""
            except NoAnswerError:
                self._recorder.end(operation, "unknown")
            else:
                operation.job, operation.state = str(answer["name"]), short(answer["state"])
                self._recorder.end(operation, OK)
                self._load.accepted(operation.job)
                return operation.job
            self._load.abandoned.wait(0.05 + self._rng.random() * 0.2)
        return ""

    def _call(self, kind: str, job: str, method: str, path: str, body: object) -> None:
        operation = self._recorder.begin(kind, job)
        try:
            answer = self._api().call(method, path, body, 5)
        except RefusedError as refusal:
            operation.reason = refusal.reason
            self._recorder.end(operation, FAIL)
        except NoAnswerError:
            self._recorder.end(operation, "unknown")
        else:
            operation.job, operation.state = job, short(answer["state"])
            self._recorder.end(operation, OK)

    def _cancel(self, job: str) -> None:
        self._call("cancel", job, "POST", f"/v1/{job}:cancel", {})

    def _get(self, job: str) -> None:
        self._call("get", job, "GET", f"/v1/{job}", None)


class Workload:
    """The clients and readers of a run."""

    def __init__(
        self,
        rng: random.Random,
        seed: int,
        api: Callable[[], Api],
        recorder: Recorder,
        *,
        clients: int = 3,
        readers: int = 2,
        mix: Mix = PLAIN,
        gpus: bool = False,
        pause: float = 0.1,
        longest: int = 200,
        cancels: float = 0.1,
        backlog: int = 12,
    ) -> None:
        """Starts them. `longest`: milliseconds a program lives at most; `backlog`: open jobs at most."""
        self.seed = seed
        self.mix = mix
        self.gpus = gpus
        self.pause = pause
        self.longest = longest
        self.cancels = cancels
        self.ending = threading.Event()
        self.abandoned = threading.Event()
        self.refusals: list[RefusedError] = []
        self._backlog = backlog
        self._lock = threading.Lock()
        self._accepted: list[str] = []
        self._open: set[str] = set()
        self.readers = [EventReader(api()) for _ in range(readers)]
        self._clients = [
            Client(number, random.Random(rng.getrandbits(64)), api, recorder, self) for number in range(clients)
        ]
        for thread in [*self._clients, *self.readers]:
            thread.start()

    def may_submit(self) -> bool:
        """Whether there may be one more job, as far as the events tell; they come late when something fails."""
        with self._lock:
            for reader in self.readers:
                self._open = {job for job in self._open if job not in reader.ended_jobs}
            return len(self._open) < self._backlog

    def accepted(self, job: str) -> None:
        """A submit was acknowledged."""
        with self._lock:
            self._accepted.append(job)
            self._open.add(job)

    def refused(self, refusal: RefusedError) -> None:
        """A submit was refused."""
        with self._lock:
            self.refusals.append(refusal)

    def count(self) -> int:
        """Acknowledged submits."""
        with self._lock:
            return len(self._accepted)

    def stop_submitting(self, seconds: float = 30) -> None:
        """No new jobs; waits until every submit under way is answered, at most that long."""
        self.ending.set()
        for client in self._clients:
            client.join(seconds)
        self.abandoned.set()
        for client in self._clients:
            client.join()
