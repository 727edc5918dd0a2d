"""Runs the unittest cases of a script so that tests/run.sh can count them: `ok NAME` or `not ok NAME` for each."""

import sys
import unittest
from typing import Any


class Lines(unittest.TestResult):
    """Prints a line for each test as it ends."""

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        print("ok", test.id().removeprefix("__main__."))

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802 - unittest's name
        super().addFailure(test, err)
        print(f"not ok {test.id().removeprefix('__main__.')}\n{self.failures[-1][1]}")

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802 - unittest's name
        super().addError(test, err)
        print(f"not ok {test.id().removeprefix('__main__.')}\n{self.errors[-1][1]}")


def main() -> None:
    """Runs what the calling script defines."""
    result = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]).run(Lines())
    sys.exit(0 if result.wasSuccessful() else 1)
