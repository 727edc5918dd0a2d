#!/usr/bin/env python3
"""No unfinished work, and nothing of the machine a file was written on: paths, registries."""

import re
import sys
from pathlib import Path

from tracked import ROOT, files, git, report, text

# Spelled so that this file does not hold what it looks for.
UNFINISHED = re.compile(r"\b(TO[D]O|FIX[M]E|XX[X])\b")
REGISTRIES = re.compile(
    r"registry[.](npmjs|yarnpkg)|py[p]i[.]org|files[.]pythonhosted|(deb|snapshot|security)[.]debian[.]org"
)
# A path begins after a space, a quote or such; `work/x` or `${dir}/home/x` is none.
START = r"(?:^|(?<=[\s\"'`=:,(\[<]))"
HOMES = re.compile(START + r"/(?:home|root|Users)/\w", re.MULTILINE)


def own_paths(checkout: Path, shared: Path) -> re.Pattern[str]:
    """Matches the place of this checkout, or of the one it shares its history with, and the folder that holds it."""
    places = {place for root in (checkout, shared) for place in (root, root.parent) if len(place.parts) > 1}
    # Every system has these; a repository that lies there says nothing about the machine.
    places -= {Path(name) for name in ("/tmp", "/usr", "/opt", "/srv", "/var", "/var/tmp", "/mnt", "/home")}
    return re.compile(START + f"(?:{'|'.join(re.escape(str(place)) for place in places) or '(?!)'})/\\w", re.MULTILINE)


def violations(path: str, source: str, machine: re.Pattern[str]) -> list[str]:
    """One line for each place that holds what it should not."""
    kinds = [
        (UNFINISHED, "unfinished work; do it or say what is so"),
        (REGISTRIES, "host of a registry; the user's settings name it"),
        (HOMES, "path of one machine"),
        (machine, "path of this machine"),
    ]
    return [
        f"{path}:{source.count(chr(10), 0, match.start()) + 1}: {match.group().strip()}: {why}"
        for pattern, why in kinds
        for match in pattern.finditer(source)
    ]


def main() -> int:
    """Checks every file that is text."""
    shared = Path(git("rev-parse", "--path-format=absolute", "--git-common-dir").strip()).parent
    machine = own_paths(ROOT, shared)
    return report([line for path in files() for line in violations(path, text(path) or "", machine)])


if __name__ == "__main__":
    sys.exit(main())
