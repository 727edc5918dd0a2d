#!/usr/bin/env python3
"""The checker goes red on made-up bad histories, each by its kind, and stays green on good ones."""

import unittest
from typing import Any

from checker import check
from fixture import attempt_of, expected_log
from history import FAIL, OK, UNKNOWN, Life, Operation, Record


def submit(key: str, begin: float, job: str = "", outcome: str = OK) -> Operation:
    """A submit that takes one second."""
    return Operation("submit", key, begin, begin + 1, outcome, job, "QUEUED" if job else "")


def cancel(job: str, begin: float, state: str = "", outcome: str = OK, reason: str = "") -> Operation:
    """A cancel that takes one second."""
    return Operation("cancel", job, begin, begin + 1, outcome, job, state, reason)


def get(job: str, begin: float, state: str) -> Operation:
    """A read that takes one second."""
    return Operation("get", job, begin, begin + 1, OK, job, state)


def job(state: str, *attempts: str, **fields: Any) -> dict[str, object]:
    """A job as GetJob shows it."""
    return {
        "state": f"JOB_STATE_{state}",
        "attempts": [{"state": f"ATTEMPT_STATE_{attempt}"} for attempt in attempts],
        **fields,
    }


SUCCEEDED = job("SUCCEEDED", "SUCCEEDED")


def kinds(record: Record) -> list[str]:
    """The kinds of all breaches."""
    return [breach.split()[0] for breach in check(record)]


class Submits(unittest.TestCase):
    """LOST and DOUBLED."""

    def test_good(self) -> None:
        operations = [
            submit("a", 0, outcome=UNKNOWN),
            submit("a", 2, "jobs/1"),
            submit("b", 3, outcome=FAIL),
            submit("c", 4, outcome=UNKNOWN),
        ]
        self.assertEqual([], check(Record(operations, jobs={"jobs/1": SUCCEEDED})))
        self.assertEqual([], check(Record(operations, jobs={"jobs/1": SUCCEEDED, "jobs/2": SUCCEEDED})))

    def test_lost(self) -> None:
        self.assertEqual(["LOST"], kinds(Record([submit("a", 0, "jobs/1")])))

    def test_two_jobs_for_one_request(self) -> None:
        operations = [submit("a", 0, "jobs/1"), submit("a", 2, "jobs/2")]
        self.assertEqual(["DOUBLED"], kinds(Record(operations, jobs={"jobs/1": SUCCEEDED, "jobs/2": SUCCEEDED})))

    def test_one_job_for_two_requests(self) -> None:
        operations = [submit("a", 0, "jobs/1"), submit("b", 2, "jobs/1")]
        self.assertEqual(["DOUBLED"], kinds(Record(operations, jobs={"jobs/1": SUCCEEDED})))

    def test_a_job_that_nobody_asked_for(self) -> None:
        operations = [submit("a", 0, outcome=UNKNOWN), submit("a", 2, "jobs/1")]
        self.assertEqual(["DOUBLED"], kinds(Record(operations, jobs={"jobs/1": SUCCEEDED, "jobs/2": SUCCEEDED})))


class Results(unittest.TestCase):
    """What a job looks like in the end."""

    def found(self, *jobs: dict[str, object]) -> list[str]:
        operations = [submit(f"r{i}", i, f"jobs/{i}") for i in range(len(jobs))]
        return kinds(Record(operations, jobs={f"jobs/{i}": one for i, one in enumerate(jobs)}))

    def test_good(self) -> None:
        lost = job("SUCCEEDED", "WORKER_LOST", "FAILED", "RELEASED", "SUCCEEDED", failedAttempts=1)
        self.assertEqual([], self.found(lost, job("QUARANTINED", *["WORKER_LOST"] * 3), job("CANCELLED", "CANCELLED")))

    def test_two_results(self) -> None:
        self.assertEqual(["DOUBLED"], self.found(job("SUCCEEDED", "SUCCEEDED", "SUCCEEDED")))

    def test_a_state_without_its_result(self) -> None:
        self.assertEqual(["DOUBLED"], self.found(job("FAILED", "SUCCEEDED")))
        self.assertEqual(["DOUBLED"], self.found(job("SUCCEEDED", "WORKER_LOST")))

    def test_too_many_attempts(self) -> None:
        self.assertEqual(["ATTEMPTS"], self.found(job("FAILED", *["FAILED"] * 3, maxAttempts=2)))
        self.assertEqual(["ATTEMPTS"], self.found(job("QUARANTINED", *["WORKER_LOST"] * 4)))

    def test_unfinished(self) -> None:
        self.assertEqual(["UNFINISHED"], self.found(job("RUNNING", "RUNNING")))


class Order(unittest.TestCase):
    """Linearizability of one job."""

    def found(self, final: str, *operations: Operation) -> list[str]:
        attempts = ["SUCCEEDED"] if final == "SUCCEEDED" else []
        return kinds(Record([submit("a", 0, "j"), *operations], jobs={"j": job(final, *attempts)}))

    def test_good(self) -> None:
        self.assertEqual([], self.found("SUCCEEDED", get("j", 2, "RUNNING"), get("j", 4, "SUCCEEDED")))
        self.assertEqual([], self.found("CANCELLED", cancel("j", 2, "CANCELLED"), cancel("j", 4, "CANCELLED")))
        self.assertEqual([], self.found("CANCELLED", cancel("j", 2, outcome=UNKNOWN), get("j", 4, "RUNNING")))
        # Both at one time: the read may have come first.
        self.assertEqual([], self.found("CANCELLED", cancel("j", 2, "CANCELLED"), get("j", 2.5, "QUEUED")))
        late = cancel("j", 4, outcome=FAIL, reason="ALREADY_TERMINAL")
        self.assertEqual([], self.found("SUCCEEDED", cancel("j", 2, "RUNNING"), late))

    def test_a_read_that_goes_back(self) -> None:
        self.assertEqual(["ORDER"], self.found("SUCCEEDED", get("j", 2, "SUCCEEDED"), get("j", 4, "RUNNING")))

    def test_a_terminal_state_that_changed(self) -> None:
        self.assertEqual(["ORDER"], self.found("SUCCEEDED", get("j", 2, "FAILED")))

    def test_a_cancel_that_did_not_count(self) -> None:
        self.assertEqual(["ORDER"], self.found("SUCCEEDED", cancel("j", 2, "CANCELLED")))
        self.assertEqual(["ORDER"], self.found("CANCELLED", cancel("j", 2, "CANCELLED"), get("j", 4, "QUEUED")))

    def test_ended_before_its_end(self) -> None:
        refused = cancel("j", 2, outcome=FAIL, reason="ALREADY_TERMINAL")
        self.assertEqual(["ORDER"], self.found("SUCCEEDED", refused, get("j", 4, "RUNNING")))

    def test_gone_after_it_was_there(self) -> None:
        gone = Operation("get", "j", 2, 3, FAIL, reason="NOT_FOUND")
        self.assertEqual(["ORDER"], self.found("SUCCEEDED", gone))


class Streams(unittest.TestCase):
    """What readers got."""

    def test_good(self) -> None:
        self.assertEqual([], check(Record(readers=[[1, 2, 3], [1, 2, 3]], last_revision=3)))

    def test_red(self) -> None:
        for revisions in ([1, 3], [1, 2, 2, 3], [2, 1, 3], [1, 2], [2, 3]):
            self.assertEqual(["STREAM"], kinds(Record(readers=[revisions], last_revision=3)), revisions)


class Overlaps(unittest.TestCase):
    """Runners at one time."""

    def test_good(self) -> None:
        lives = [Life("w", "", "a", 1, 0, 1), Life("w", "", "b", 1, 1, 2), Life("v", "", "a", 2, 1.5, 3)]
        self.assertEqual([], check(Record(lives=lives)))
        lives = [Life("w", "gpu:0", "a", 1, 0, 2), Life("w", "gpu:1", "b", 1, 1, 3), Life("v", "gpu:0", "c", 1, 1, 2)]
        self.assertEqual([], check(Record(lives=lives, slots=2)))

    def test_of_a_job(self) -> None:
        self.assertEqual(["OVERLAP"], kinds(Record(lives=[Life("w", "", "a", 1, 0, 2), Life("v", "", "a", 2, 1, 3)])))

    def test_on_a_device(self) -> None:
        lives = [Life("w", "gpu:0", "a", 1, 0, 2), Life("w", "gpu:1,gpu:0", "b", 1, 1, 3)]
        self.assertEqual(["OVERLAP"], kinds(Record(lives=lives, slots=2)))

    def test_on_a_worker(self) -> None:
        self.assertEqual(["OVERLAP"], kinds(Record(lives=[Life("w", "", "a", 1, 0, 9), Life("w", "", "b", 1, 1, 2)])))


class Logs(unittest.TestCase):
    """Bytes of logs."""

    def test_red(self) -> None:
        want = {"jobs/1/attempts/1": expected_log("jobs/1", 1, 5)}
        self.assertEqual([], check(Record(expected_logs=want, logs=dict(want))))
        self.assertEqual(["LOG"], kinds(Record(expected_logs=want)))
        for log in (b"", expected_log("jobs/1", 2, 5), want["jobs/1/attempts/1"][:-1]):
            self.assertEqual(["LOG"], kinds(Record(expected_logs=want, logs={"jobs/1/attempts/1": log})))

    def test_attempt_of_a_directory(self) -> None:
        self.assertEqual(("jobs/01ab", 7), attempt_of("/x/w1/attempts/jobs-01ab-attempts-7-00ff/work"))


if __name__ == "__main__":
    unittest.main()
