#!/usr/bin/env python3
"""No include against the direction of dependencies, and only allowed libraries in each part.

proto <- server/base <- storage <- server/core <- server/rpc <- server/gateway <- server/main.cc
workers/kit <- runners, which never include server, clients, gRPC or Abseil
proto, server/base, clients/cpp <- workers/agent, clients/cli
"""

import re
import sys

from tracked import CPP, ROOT, files, report, text

LAYERS = ["proto", "server/base", "storage", "server/core", "server/rpc", "server/gateway", "server"]
RUNNERS = ["workers/p2p", "workers/command", "workers/nas", "workers/mappo", "workers/process"]

# What each part may include besides itself.
ALLOWED: dict[str, list[str]] = {
    **{layer: LAYERS[:index] for index, layer in enumerate(LAYERS)},
    **{runner: ["workers/kit"] for runner in RUNNERS},
    "workers/kit": [],
    "clients/cpp": ["proto", "server/base"],
    "clients/cli": ["proto", "server/base", "clients/cpp"],
    "workers/agent": ["proto", "server/base", "clients/cpp"],
}
PARTS = sorted([*ALLOWED, "tests"], key=len, reverse=True)
# The server computes claims with the very function that the runners report with.
EXCEPTIONS = {("server/core", "workers/kit/statistics.h")}

GRPC = r"grpc(pp|\+\+)?/|.*\.grpc\.pb\.h$"
SQL = r"soci/|sqlite3\.h$"
# Libraries that a part may not include.
BANNED = {
    "server/base": f"{GRPC}|{SQL}",
    "storage": GRPC,
    "server/core": f"{GRPC}|{SQL}",
    **{part: rf"{GRPC}|{SQL}|absl/|google/|.*\.pb\.h$" for part in [*RUNNERS, "workers/kit"]},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def part_of(path: str) -> str | None:
    """The part that a path from the root belongs to."""
    if path.startswith("benchwire/v1/"):
        return "proto"
    return next((part for part in PARTS if path.startswith(part + "/")), None)


def problem(path: str, target: str) -> str | None:
    """What is wrong with the file `path` including `target`, None where nothing is."""
    part, other = part_of(path), part_of(target)
    if part in (None, "tests"):
        return None
    if re.match(BANNED.get(part, r"(?!)"), target):
        return f"{part} may not include this library"
    if other in (None, part) or (part, target) in EXCEPTIONS:
        return None
    if other not in ALLOWED[part]:
        return f"{part} may include only {', '.join([part, *ALLOWED[part]])}"
    return None


def violations(path: str, source: str) -> list[str]:
    """One line for each include of `source`, the content of `path`, that goes the wrong way."""
    found = []
    for match in INCLUDE.finditer(source):
        line = source.count("\n", 0, match.start(2)) + 1
        target = match.group(2)
        why = problem(path, target)
        if match.group(1) == '"' and part_of(target) is None and (ROOT / path).parent.joinpath(target).is_file():
            why = "include by path from the root of the repository"
        if why:
            found.append(f"{path}:{line}: {target}: {why}")
    return found


def main() -> int:
    """Checks every C++ file."""
    problems = []
    for path in files(*CPP):
        if part_of(path) is None:
            problems.append(f"{path}: belongs to no part; name it in tests/lint/check_include_direction.py")
        problems += violations(path, text(path) or "")
    return report(problems)


if __name__ == "__main__":
    sys.exit(main())
