"""Faults in the midst of a running process: strace changes some of its system calls."""

import shutil
from pathlib import Path

from processes import Process, wait_until
from trial import SkippedError, Trial


def attach_strace(trial: Trial, pid: int, inject: str) -> Process:
    """Strace on a running process and its threads, which changes system calls as it is told to."""
    if shutil.which("strace") is None:
        raise SkippedError("strace is not installed")
    calls = inject.split(":", 1)[0]
    command = [
        "strace",
        "-f",
        "-qq",
        "-p",
        str(pid),
        "-e",
        f"trace={calls}",
        "-e",
        f"inject={inject}",
        "-o",
        "/dev/null",
    ]
    tracer = Process(command, trial.directory / "strace.log")

    def attached() -> bool:
        try:
            return "TracerPid:\t0" not in Path(f"/proc/{pid}/status").read_text()
        except FileNotFoundError:
            return True  # The first changed call has ended it already.

    if not wait_until(lambda: not tracer.running() or attached(), 10) or not (tracer.running() or attached()):
        tracer.kill()
        raise SkippedError("strace may not attach to a process here")
    return tracer
