"""The server's HTTP interface for the harness: calls, pages, logs, and a reader of the event stream that resumes."""

import base64
import http.client
import json
import threading
import time
from typing import Any
from urllib.parse import quote

ENDS = {f"JOB_STATE_{state}" for state in ("SUCCEEDED", "FAILED", "CANCELLED", "TIMED_OUT", "QUARANTINED", "EXPIRED")}


class NoAnswerError(Exception):
    """The call may have taken effect or not."""


class RefusedError(Exception):
    """The call had no effect."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        """HTTP status, reason code and message of the server's error."""
        super().__init__(f"{code} {reason}: {message}")
        self.code = code
        self.reason = reason


class Api:
    """Calls to one server. Any thread."""

    def __init__(self, host: str, port: int) -> None:
        """Connects for each call anew."""
        self.host = host
        self.port = port

    def call(self, method: str, path: str, body: object = None, timeout: float = 10) -> dict[str, Any]:
        """The answer; RefusedError or NoAnswerError."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, {} if data is None else {"Content-Type": "application/json"})
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswerError(str(error)) from error
        finally:
            connection.close()
        try:
            answer: dict[str, Any] = json.loads(text)
        except ValueError as error:
            raise NoAnswerError(f"{response.status} without JSON") from error
        if response.status == 200:
            return answer
        details = answer.get("error", answer)
        reason = next((str(one["reason"]) for one in details.get("details", []) if "reason" in one), "")
        # 503 may be said of a call that is under way when the server stops; 5xx leave it open what happened.
        if response.status >= 500:
            raise NoAnswerError(f"{response.status} {reason} {details.get('message', '')}")
        raise RefusedError(response.status, reason, str(details.get("message", "")))

    def text(self, path: str) -> str:
        """A page that is not JSON; empty where there is no answer."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=10)
        try:
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        except (OSError, http.client.HTTPException):
            return ""
        finally:
            connection.close()

    def get(self, path: str, seconds: float = 30) -> dict[str, Any]:
        """A read, repeated until it is answered. NoAnswerError after that time."""
        end = time.monotonic() + seconds
        while True:
            try:
                return self.call("GET", path)
            except NoAnswerError:
                if time.monotonic() >= end:
                    raise
                time.sleep(0.05)

    def pages(self, path: str, items: str) -> list[dict[str, Any]]:
        """Every item of a list."""
        out: list[dict[str, Any]] = []
        token = ""
        while True:
            page = self.get(f"{path}?pageSize=1000&pageToken={quote(token)}")
            out += page.get(items, [])
            token = str(page.get("nextPageToken", ""))
            if not token:
                return out

    def log(self, attempt: str) -> bytes:
        """The whole log of an attempt that has ended."""
        out = b""
        while True:
            chunk = self.get(f"/v1/{attempt}/log?offset={len(out)}")
            data = base64.b64decode(str(chunk.get("data", "")))
            out += data
            if not data or chunk.get("end"):
                return out


class EventReader(threading.Thread):
    """Follows the event stream from the first revision, and resumes by Last-Event-ID wherever the connection breaks."""

    def __init__(self, api: Api) -> None:
        """Not started yet."""
        super().__init__(daemon=True)
        self._api = api
        self._ending = threading.Event()
        self.revisions: list[int] = []
        self.ended_jobs: set[str] = set()
        self.connections = 0

    def run(self) -> None:
        """Until stop."""
        while not self._ending.is_set():
            try:
                self._follow()
            except (OSError, http.client.HTTPException, ValueError):
                self._ending.wait(0.05)

    def _follow(self) -> None:
        # A connection that is silent for longer than the server's comments are apart is given up.
        connection = http.client.HTTPConnection(self._api.host, self._api.port, timeout=20)
        try:
            last = self.revisions[-1] if self.revisions else 0
            path = "/v1/events:watch?afterRevision=0"
            connection.request("GET", path, headers={"Accept": "text/event-stream", "Last-Event-ID": str(last)})
            response = connection.getresponse()
            if response.status != 200:
                raise OSError(response.status)
            self.connections += 1
            revision, data = 0, b""
            # An event counts with the empty line at its end.
            while not self._ending.is_set() and (line := response.readline()):
                if line.startswith(b"id:") and line.endswith(b"\n"):
                    revision = int(line[3:])
                elif line.startswith(b"data:"):
                    data = line[5:]
                elif line == b"\n" and revision > 0:
                    self.revisions.append(revision)
                    event = json.loads(data)
                    if event.get("state") in ENDS:
                        self.ended_jobs.add(event["resource"])
                    revision = 0
        finally:
            connection.close()

    def stop(self, last_revision: int, seconds: float) -> None:
        """Waits until the reader has got that revision, then ends it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and (not self.revisions or self.revisions[-1] < last_revision):
            time.sleep(0.02)
        self._ending.set()
        self.join(5)
