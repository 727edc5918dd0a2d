"""What must not have happened, whatever failed: pure checks over a Record that give lines beginning with a kind.

LOST: an acknowledged submit is not there. DOUBLED: one request id with two jobs, a job with two accepted results, or
a job that nobody asked for. ORDER: no order of submits, cancels, reads and the completion of one job explains what
clients saw (linearizability after Herlihy and Wing; the search is that of Wing and Gong, one job at a time). STREAM:
a reader missed a revision, or got one twice or out of order. OVERLAP: two live runners of one job, on one device, or
more on a worker than it has slots. LOG: a log differs from what the program wrote. ATTEMPTS: more failed or lost
attempts than a job may have. UNFINISHED: a job has not ended.
"""

import heapq
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from history import FAIL, OK, UNKNOWN, Life, Operation, Record

TERMINAL = {"SUCCEEDED", "FAILED", "CANCELLED", "TIMED_OUT", "QUARANTINED", "EXPIRED"}
MOST_LOST = 3


def short(state: object) -> str:
    """JOB_STATE_RUNNING as RUNNING."""
    return str(state).removeprefix("JOB_STATE_").removeprefix("ATTEMPT_STATE_")


def attempts_of(job: dict[str, Any]) -> list[dict[str, Any]]:
    """The attempts of a job as GetJob shows it."""
    return list(job.get("attempts", []))


def lost_and_doubled(record: Record) -> list[str]:
    """Sets of submits and jobs against each other."""
    out = []
    named: dict[str, set[str]] = defaultdict(set)
    for operation in record.operations:
        if operation.kind == "submit" and operation.outcome == OK:
            named[operation.key].add(operation.job)
    known: dict[str, str] = {}
    for key, jobs in sorted(named.items()):
        if len(jobs) > 1:
            out.append(f"DOUBLED request {key} was answered with {', '.join(sorted(jobs))}")
        for job in jobs:
            if job in known:
                out.append(f"DOUBLED {job} is the answer to {known[job]} and {key}")
            known[job] = key
            if job not in record.jobs:
                out.append(f"LOST {job}, acknowledged to {key}")
    # An unknown submit that was never answered may have left one job behind.
    unanswered = {o.key for o in record.operations if o.kind == "submit" and o.outcome == UNKNOWN} - set(named)
    surplus = sorted(set(record.jobs) - set(known))
    if len(surplus) > len(unanswered):
        out.append(
            f"DOUBLED {len(surplus)} jobs that no answered submit made, {len(unanswered)} unanswered: {surplus[:5]}"
        )
    return out


def results(record: Record) -> list[str]:
    """At most one accepted result, bounded attempts, an end."""
    out = []
    for name, job in record.jobs.items():
        states = [short(attempt["state"]) for attempt in attempts_of(job)]
        if states.count("SUCCEEDED") > 1:
            out.append(f"DOUBLED {name} has {states.count('SUCCEEDED')} accepted results")
        state = short(job["state"])
        if state not in TERMINAL:
            out.append(f"UNFINISHED {name} is {state}")
        elif (state == "SUCCEEDED") != ("SUCCEEDED" in states):
            out.append(f"DOUBLED {name} is {state}, its attempts are {states}")
        most = int(str(job.get("maxAttempts", 3)))
        if int(str(job.get("failedAttempts", 0))) > most or states.count("FAILED") > most:
            out.append(f"ATTEMPTS {name} failed {states.count('FAILED')} times, allowed {most}")
        if states.count("WORKER_LOST") > MOST_LOST:
            out.append(f"ATTEMPTS {name} lost {states.count('WORKER_LOST')} workers")
    return out


# A job as one small object: its value is ABSENT, LIVE, or a terminal state.
ABSENT, LIVE = "ABSENT", "LIVE"
Step = Callable[[str], str | None]  # The value after an operation, or None where it cannot have answered so.


@dataclass
class Call:
    """An operation with its effect. One of unknown outcome may take effect at any later time, or never."""

    begin: float
    end: float
    optional: bool
    step: Step


def submit_step(value: str) -> str:
    """Submitting makes the job, and again changes nothing."""
    return LIVE if value == ABSENT else value


def read_step(seen: str) -> Step:
    """A read that saw this state."""

    def step(value: str) -> str | None:
        if seen in TERMINAL:
            return value if value == seen else None
        return value if value == LIVE else None

    return step


def cancel_step(operation: Operation) -> Step:
    """A cancel: accepted while the job lived (it ends at once, or by its runner's end), or cancelled already."""

    def step(value: str) -> str | None:
        if operation.reason == "ALREADY_TERMINAL":
            return value if value in TERMINAL - {"CANCELLED"} else None
        if operation.reason == "NOT_FOUND":
            return value if value == ABSENT else None
        if operation.outcome == FAIL:
            return value
        if operation.outcome == UNKNOWN:
            return value
        if value == "CANCELLED":
            return value if operation.state == "CANCELLED" else None
        if value != LIVE:
            return None
        return "CANCELLED" if operation.state == "CANCELLED" else LIVE

    return step


def end_step(final: str) -> Step:
    """The job's end, which the clients do not see happen. A cancel may have made it already."""

    def step(value: str) -> str | None:
        return final if value == LIVE or (value == final and final == "CANCELLED") else None

    return step


def calls_of(operations: list[Operation], final: str) -> list[Call]:
    """The history of one job."""
    forever = float("inf")
    calls = []
    born = forever
    for operation in operations:
        end = operation.complete if operation.outcome != UNKNOWN else forever
        if operation.kind == "submit":
            if operation.outcome == FAIL:
                continue
            born = min(born, operation.invoke)
            calls.append(Call(operation.invoke, end, operation.outcome == UNKNOWN, submit_step))
        elif operation.kind == "cancel":
            calls.append(Call(operation.invoke, end, operation.outcome == UNKNOWN, cancel_step(operation)))
        elif operation.outcome == OK:
            calls.append(Call(operation.invoke, end, False, read_step(operation.state)))
        elif operation.reason == "NOT_FOUND":
            calls.append(Call(operation.invoke, end, False, lambda value: value if value == ABSENT else None))
    if final in TERMINAL:
        calls.append(Call(born, forever, False, end_step(final)))
    return calls


def linearizable(calls: list[Call]) -> bool:
    """Whether some order that respects the times explains every answer."""
    calls = sorted(calls, key=lambda call: call.begin)
    must = sum(1 << i for i, call in enumerate(calls) if not call.optional)
    seen: set[tuple[int, str]] = set()
    todo = [(0, ABSENT)]
    while todo:
        done, value = todo.pop()
        if done & must == must:
            return True
        left = [i for i in range(len(calls)) if not done >> i & 1]
        horizon = min(calls[i].end for i in left if not calls[i].optional)
        for i in left:
            if calls[i].begin > horizon:
                break
            after = calls[i].step(value)
            state = (done | 1 << i, after or "")
            if after is not None and state not in seen:
                seen.add(state)
                todo.append((state[0], after))
    return False


def order(record: Record) -> list[str]:
    """Each job is one object with a few dozen operations, so that the search is cheap."""
    job_of = {o.key: o.job for o in record.operations if o.kind == "submit" and o.outcome == OK}
    by_job: dict[str, list[Operation]] = defaultdict(list)
    for operation in record.operations:
        job = job_of.get(operation.key, "") if operation.kind == "submit" else operation.key
        if job:
            by_job[job].append(operation)
    out = []
    for name, operations in by_job.items():
        if name in record.jobs and not linearizable(calls_of(operations, short(record.jobs[name]["state"]))):
            out.append(
                f"ORDER {name} is {short(record.jobs[name]['state'])}; its operations have no order: {operations}"
            )
    return out


def streams(record: Record) -> list[str]:
    """Each reader got 1, 2, 3 … up to the last revision."""
    out = []
    for number, revisions in enumerate(record.readers):
        for before, after in zip([0, *revisions], revisions, strict=False):
            if after != before + 1:
                out.append(f"STREAM reader {number} got revision {after} after {before}")
                break
        else:
            if len(revisions) < record.last_revision:
                out.append(f"STREAM reader {number} got {len(revisions)} of {record.last_revision} revisions")
    return out


def crowded(lives: list[Life], most: int) -> tuple[Life, Life] | None:
    """Two of the lives in a moment with more of them than allowed, or None."""
    running: list[tuple[float, int, Life]] = []
    for number, life in enumerate(sorted(lives, key=lambda one: one.begin)):
        while running and running[0][0] <= life.begin:
            heapq.heappop(running)
        heapq.heappush(running, (life.end, number, life))
        if len(running) > most:
            other = next(one for _, _, one in running if one is not life)
            return other, life
    return None


def overlaps(record: Record) -> list[str]:
    """Runners that lived at one time and must not."""
    groups: dict[str, list[Life]] = defaultdict(list)
    for life in record.lives:
        groups[f"job {life.job}"].append(life)
        groups[f"worker {life.worker}"].append(life)
        for device in filter(None, life.devices.split(",")):
            groups[f"device {life.worker} {device}"].append(life)
    out = []
    for what, lives in sorted(groups.items()):
        if pair := crowded(lives, record.slots if what.startswith("worker ") else 1):
            first, second = pair
            out.append(
                f"OVERLAP on {what}: {first.job}/{first.attempt} on {first.worker} until {first.end:.3f}, "
                f"{second.job}/{second.attempt} on {second.worker} from {second.begin:.3f}"
            )
    return out


def logs(record: Record) -> list[str]:
    """Logs of succeeded attempts, byte for byte."""
    out = []
    for attempt, want in sorted(record.expected_logs.items()):
        got = record.logs.get(attempt)
        if got is None:
            out.append(f"LOG of {attempt} cannot be read")
        elif got != want:
            at = next((i for i, (a, b) in enumerate(zip(got, want, strict=False)) if a != b), min(len(got), len(want)))
            out.append(f"LOG of {attempt}: {len(got)} bytes, wrote {len(want)}; they differ from byte {at}")
    return out


def check(record: Record) -> list[str]:
    """Every breach."""
    return [breach for part in (lost_and_doubled, results, order, streams, overlaps, logs) for breach in part(record)]
