"""Reads a JUnit report of ctest: prints the failing tests' output, then `PASSED FAILED SKIPPED` as the last line."""

import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Totals:
    """How many tests ended how, and what the failing ones said."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: tuple[str, ...] = ()


def count(report: Iterable[ElementTree.Element]) -> Totals:
    """Counts the test cases. One that ctest could not run is a failure, not a skip."""
    totals = Totals()
    for case in report:
        if case.tag != "testcase":
            continue
        skipped = case.find("skipped")
        reason = skipped.get("message", "") if skipped is not None else ""
        if case.get("status") == "run":
            totals.passed += 1
        elif case.get("status") == "disabled" or reason.startswith("SKIP_"):
            totals.skipped += 1
        else:
            totals.failed += 1
            failure = case.find("failure")
            why = failure.get("message", "") if failure is not None else reason
            output = case.findtext("system-out", default="").rstrip()
            totals.failures += (f"FAILED {case.get('name')}: {why}\n{output}",)
    return totals


def main() -> None:
    """Prints the totals of the report named by the first argument."""
    totals = count(ElementTree.fromstring(Path(sys.argv[1]).read_bytes()))
    for failure in totals.failures:
        print(failure)
    print(totals.passed, totals.failed, totals.skipped)


if __name__ == "__main__":
    main()
