"""The program that jobs of the fault tests run, and what it must have printed.

Started by the runner of the kind command as `fixture.py JOURNAL WORKER MODE MILLISECONDS LINES`. It appends a line to
the journal when it starts, about every 20 ms while it lives, and when it stops, with the monotonic time: after
SIGKILL its last line still says until when it ran. One write(2) to a file opened with O_APPEND is never torn by
another.
"""

import json
import os
import signal
import sys
import time

BEAT = 0.02
CHILD_LIFE = 60.0


def expected_log(job: str, attempt: int, lines: int) -> bytes:
    """What an attempt in a mode that prints lines writes to its log."""
    seed = sum(job.encode()) * 31 + attempt
    text = "".join(f"{job}/{attempt} {i} {'x' * ((seed + i * 7) % 97)}\n" for i in range(lines))
    return text.encode()


def attempt_of(directory: str) -> tuple[str, int]:
    """Job and number of the attempt whose private directory this is: `jobs-J-attempts-N-…`."""
    for part in directory.split("/"):
        fields = part.split("-")
        if len(fields) == 5 and fields[0] == "jobs" and fields[2] == "attempts":
            return f"jobs/{fields[1]}", int(fields[3])
    return "", 0


class Journal:
    """Appends to the journal."""

    def __init__(self, path: str, worker: str) -> None:
        """Opens it; the attempt is that of the current directory."""
        self.fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self.job, self.attempt = attempt_of(os.getcwd())  # noqa: PTH109 - pathlib costs as much time as all the rest
        self.fixed = {
            "job": self.job,
            "attempt": self.attempt,
            "worker": worker,
            "devices": os.environ.get("BENCHWIRE_DEVICES", ""),
            "seed": os.environ.get("BENCHWIRE_SEED", ""),
        }

    def add(self, what: str) -> None:
        """One line."""
        line = json.dumps({"t": time.monotonic_ns(), "what": what, "pid": os.getpid(), **self.fixed}) + "\n"
        os.write(self.fd, line.encode())

    def live(self, seconds: float) -> None:
        """Lives for that long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(BEAT, left))
            self.add("alive")


def ancestor(generations: int) -> int:
    """The process id of parent, grandparent and so on."""
    pid = os.getpid()
    for _ in range(generations):
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - likewise
            pid = int(file.read().rsplit(b")", 1)[1].split()[1])
    return pid


def leave_a_grandchild(journal: Journal) -> None:
    """Forks twice; the grandchild leaves session and pipes and goes on living."""
    if os.fork() != 0:
        os.wait()
        return
    os.setsid()
    if os.fork() != 0:
        os._exit(0)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    journal.live(CHILD_LIFE)
    os._exit(0)


def flood(seconds: float, block: bytes) -> None:
    """Prints as fast as it can."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        os.write(1, block)


def main() -> int:
    """Does what its arguments say."""
    journal = Journal(sys.argv[1], sys.argv[2])
    mode, seconds, lines = sys.argv[3], int(sys.argv[4]) / 1000, int(sys.argv[5])
    if mode == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    journal.add("start")
    first = journal.attempt == 1
    if mode == "grandchild":
        leave_a_grandchild(journal)
    elif mode == "flood":
        flood(seconds, (b"y" * 127 + b"\n") * 512)
    elif mode == "endless-line":
        flood(seconds, b"z" * 65536)
    text = expected_log(journal.job, journal.attempt, lines)
    half = len(text) // 2
    os.write(1, text[:half])
    journal.live(seconds)
    if mode == "crash" or (mode == "crash-once" and first):
        os.kill(os.getppid(), signal.SIGSEGV)
        time.sleep(10)
    if mode == "kill-runner-once" and first:
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(10)
    if mode == "poison":
        os.kill(ancestor(3), signal.SIGKILL)
        time.sleep(10)
    os.write(1, text[half:])
    journal.add("stop")
    return 3 if mode == "fail" else 0


if __name__ == "__main__":
    sys.exit(main())
