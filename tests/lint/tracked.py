"""The files that the lint checks look at."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CPP = (".cc", ".h", ".cu", ".cuh")


def git(*arguments: str) -> str:
    """Output of a git command in the repository."""
    return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True).stdout


def files(*suffixes: str) -> list[str]:
    """Paths from the root of files tracked or about to be, with one of these suffixes, or all."""
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return sorted({name for name in listed if name and name.endswith(suffixes or "") and (ROOT / name).is_file()})


def text(name: str) -> str | None:
    """The text of a file, None where it is not UTF-8."""
    try:
        return (ROOT / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def report(problems: list[str]) -> int:
    """Prints the problems; the exit status of the check."""
    for problem in problems:
        print(problem)
    return 1 if problems else 0
