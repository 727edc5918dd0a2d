#!/usr/bin/env python3
"""Every message has a comment, but requests and responses, which their method explains. buf checks the rest."""

import re
import sys

from tracked import files, report, text

MESSAGE = re.compile(r"^\s*message (\w+)")


def violations(path: str, source: str) -> list[str]:
    """One line for each message without a comment."""
    lines = source.splitlines()
    return [
        f"{path}:{number + 1}: message {match.group(1)} has no comment"
        for number, line in enumerate(lines)
        if (match := MESSAGE.match(line))
        and not match.group(1).endswith(("Request", "Response"))
        and not (number and lines[number - 1].strip().startswith("//"))
    ]


def main() -> int:
    """Checks every proto."""
    return report([line for path in files(".proto") for line in violations(path, text(path) or "")])


if __name__ == "__main__":
    sys.exit(main())
