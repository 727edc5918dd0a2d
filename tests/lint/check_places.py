#!/usr/bin/env python3
"""Things stand where they belong: the entries of the top level, and SQL in storage/ only."""

import re
import sys

from tracked import CPP, files, report, text

FOLDERS = {"proto", "server", "workers", "storage", "clients", "tests", "deploy"}
FILES = {"CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE"}
# SQL as it stands in a string: upper-case keywords after a quote, also that of a raw string.
SQL = re.compile(
    r'"(?:sql\()?\s*(?:SELECT\s[^"]*|INSERT\s+(?:OR\s+\w+\s+)?INTO\b|UPDATE\s+\w+\s+SET\b|DELETE\s+FROM\b'
    r"|CREATE\s+(?:UNIQUE\s+|VIRTUAL\s+)?(?:TABLE|INDEX|TRIGGER)\b|DROP\s+TABLE\b|PRAGMA\s|BEGIN\s+IMMEDIATE\b)"
)


def misplaced(path: str) -> str | None:
    """What is wrong with where a file stands."""
    top = path.split("/")[0]
    if top.startswith(".") or top in (FOLDERS if "/" in path else FILES):
        return None
    return f"{path}: the top level holds {', '.join(sorted(FOLDERS | FILES))} and dotfiles, nothing else"


def sql(path: str, source: str) -> list[str]:
    """Lines of SQL in the product outside storage/."""
    if path.split("/")[0] not in {"server", "workers", "clients"}:
        return []
    lines = [source.count("\n", 0, match.start()) + 1 for match in SQL.finditer(source)]
    return [f"{path}:{line}: SQL stands in storage/ only" for line in lines]


def main() -> int:
    """Checks every file."""
    problems = [problem for path in files() if (problem := misplaced(path))]
    problems += [f"{path}: SQL stands in storage/ only" for path in files(".sql") if sql(path, '"PRAGMA x"')]
    for path in files(*CPP):
        problems += sql(path, text(path) or "")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
