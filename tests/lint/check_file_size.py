#!/usr/bin/env python3
"""No source over 450 lines; a warning from 401 on."""

import sys

from tracked import CPP, files, report, text

LIMIT = 450
WARN = 400
SOURCES = (*CPP, ".proto", ".py", ".sh", ".ts", ".tsx", ".css", ".cmake", "CMakeLists.txt")


def main() -> int:
    """Checks every source."""
    problems = []
    for path in files(*SOURCES):
        lines = len((text(path) or "").splitlines())
        if lines > LIMIT:
            problems.append(f"{path}: {lines} lines; the limit is {LIMIT}. Split it by idea.")
        elif lines > WARN:
            print(f"warning: {path}: {lines} lines; the limit is {LIMIT}")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
