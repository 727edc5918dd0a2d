"""Processes of a run: started so that they die with it, ended with certainty, looked at through /proc."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


def wait_until(condition: Callable[[], bool], seconds: float, pause: float = 0.02) -> bool:
    """Waits for a condition. False: it did not come true in that time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= end:
            return False
        time.sleep(pause)
    return True


class Process:
    """A child that the kernel kills when the thread that started it ends. Start it from the main thread."""

    def __init__(
        self,
        arguments: Sequence[str],
        log: Path,
        *,
        prefix: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Starts it; output goes to LOG.out, errors to the end of LOG. `prefix`: a program that execs it."""
        self.output = log.with_suffix(".out")
        with self.output.open("wb") as out, log.open("ab") as err:
            self._child = subprocess.Popen(
                [*prefix, "setpriv", "--pdeathsig", "KILL", "--", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                env={**os.environ, **(environment or {})},
            )
        self.pid = self._child.pid

    def running(self) -> bool:
        """Whether it has not ended."""
        return self._child.poll() is None

    def send(self, number: signal.Signals) -> None:
        """A signal to it alone."""
        if self.running():
            self._child.send_signal(number)

    def kill(self) -> bool:
        """SIGKILL, and waits. False: it had ended before."""
        running = self.running()
        self.send(signal.SIGKILL)
        self._child.wait()
        return running

    def stop(self, seconds: float = 20) -> int | None:
        """SIGTERM, and waits; SIGKILL in the end. The exit status, or None where it had to be killed."""
        self.send(signal.SIGCONT)
        self.send(signal.SIGTERM)
        try:
            return self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def wait(self, seconds: float) -> int | None:
        """The exit status, or None where it still runs then."""
        try:
            return self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


def rss_bytes(pid: int) -> int:
    """Resident memory of a process; 0 where it is gone."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def processes_below(directory: Path) -> list[int]:
    """Processes whose working directory is this one or below it; zombies have none."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            place = str((entry / "cwd").readlink()).removesuffix(" (deleted)")
            if Path(place).is_relative_to(directory):
                found.append(int(entry.name))
    return found


def kill_below(directory: Path) -> None:
    """Kills what still lives below a directory."""
    for pid in processes_below(directory):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def name_of(pid: int) -> str:
    """The program's name of a process, empty where it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()
    except OSError:
        return ""
