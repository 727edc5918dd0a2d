#!/usr/bin/env python3
"""Tests of the small checks on made-up files: each goes red on what it is for, and only there."""

import unittest
from pathlib import Path

import check_places
import check_proto_comments
import check_words
import unit


class Places(unittest.TestCase):
    """check_places.py."""

    def test_top_level(self) -> None:
        for path in ("README.md", ".ci/run", ".clang-format", "server/main.cc", "tests/run.sh"):
            self.assertIsNone(check_places.misplaced(path))
        for path in ("notes.md", "docs/a.md", "proto", "package.json"):
            self.assertIsNotNone(check_places.misplaced(path))

    def test_sql(self) -> None:
        raw = 'R"sql(\n  UPDATE a SET b = 1)sql"'
        for literal in ('"SELECT 1"', '"INSERT OR IGNORE INTO a"', raw, '"BEGIN IMMEDIATE"'):
            self.assertEqual(1, len(check_places.sql("server/core/a.cc", f"run({literal});")), literal)
            self.assertEqual([], check_places.sql("storage/a.cc", f"run({literal});"), literal)
        for literal in ('"Select a job"', '"UPDATED"', '"SELECTOR"', "SELECT"):
            self.assertEqual([], check_places.sql("server/core/a.cc", f"run({literal});"), literal)


class Words(unittest.TestCase):
    """check_words.py."""

    def found(self, source: str) -> list[str]:
        machine = check_words.own_paths(Path("/build/area/one"), Path("/build/main"))
        return check_words.violations("a.cc", source, machine)

    def test_refused(self) -> None:
        slash = "/"
        for source in (
            "// TO" + "DO: later",
            "XX" + "X",
            "npm --registry https://" + "registry" + ".npmjs.org",
            'open("' + slash + 'home/someone/a")',
            "cd /build/area/one/x",
            "cd /build/area/two",
            "a=/build/main/x",
        ):
            self.assertEqual(1, len(self.found(source)), source)

    def test_allowed(self) -> None:
        for source in ("mktemp XXXXXX", "todo", "${dir}/home/x", "a/build/main/x", 'dir + "/build/"', "/builds/x"):
            self.assertEqual([], self.found(source), source)


class ProtoComments(unittest.TestCase):
    """check_proto_comments.py."""

    def test_messages(self) -> None:
        fine = "// A.\nmessage A {\n}\nmessage GetARequest {}\n"
        self.assertEqual([], check_proto_comments.violations("a.proto", fine))
        self.assertEqual(1, len(check_proto_comments.violations("a.proto", "\nmessage A {}\n")))
        self.assertEqual(1, len(check_proto_comments.violations("a.proto", "message A {}\n")))


if __name__ == "__main__":
    unit.main()
