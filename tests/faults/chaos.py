#!/usr/bin/env python3
"""Runs the fault scenarios against the real binaries. See --help."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import disk
import freeze
import kills
import load
import network
from cluster import HERE, BrokenError
from processes import kill_below
from trial import Figures, SkippedError, Trial

ROOT = HERE.parent.parent


@dataclass
class Scenario:
    """One line of the result."""

    name: str
    run: Callable[[Trial], None]
    seconds: int  # After which a bounded run is killed.
    side_by_side: bool = True  # May run beside another.


SCENARIOS = [
    Scenario("f1_server_killed", kills.server_killed, 120),
    Scenario("f1_server_killed_inside", kills.server_killed_inside, 150),
    Scenario("f2_worker_killed", kills.worker_killed, 120),
    Scenario("f2_worker_killed_inside", kills.worker_killed_inside, 150),
    Scenario("f1_f2_both_killed", kills.both_killed, 120),
    Scenario("f3_runner_killed", kills.runner_killed, 150),
    Scenario("f3_runner_ends", kills.runner_ends, 120),
    Scenario("f4_worker_frozen", freeze.worker_frozen, 150),
    Scenario("f5_server_frozen", freeze.server_frozen, 150),
    Scenario("f5_disk_stalled", freeze.disk_stalled, 150),
    Scenario("f6_server_disk_full", disk.server_disk_full, 120),
    Scenario("f6_worker_disk_full", disk.worker_disk_full, 120),
    Scenario("f7_sync_fails", disk.sync_fails, 120),
    Scenario("f7_write_fails", disk.write_fails, 120),
    Scenario("f10_f11_partition", network.partition, 150),
    Scenario("f11_server_out_of_sight", network.server_out_of_sight, 150),
    Scenario("f12_f18_bad_network", network.bad_network, 150),
    Scenario("f13_clock_jumps", freeze.clock_jumps, 120),
    Scenario("f20_stuck_readers", load.stuck_readers, 120),
    Scenario("f21_herd", load.herd, 150, side_by_side=False),
    Scenario("f22_flood", load.flood, 120),
    Scenario("f23_poison", load.poison, 120),
    Scenario("f23_sick_worker", load.sick, 120),
]
LONG_SECONDS = 4 * 3600


def arguments() -> argparse.Namespace:
    """The command line."""
    names = ", ".join(one.name for one in SCENARIOS)
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"Scenarios: {names}. Artefacts of a failed one (history, journal, data, logs) stay in DIR/NAME-SEED.",
    )
    parser.add_argument("--binaries", type=Path, default=ROOT / "build/release/bin", metavar="DIR")
    parser.add_argument("--directory", type=Path, default=ROOT / "build/faults", metavar="DIR")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="this scenario; may be repeated")
    parser.add_argument("--seed", type=int, metavar="N", help="default: drawn, and printed")
    parser.add_argument("--long", action="store_true", help="many more rounds; takes hours")
    parser.add_argument("--jobs", type=int, default=3, metavar="N", help="scenarios at a time (default 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    parser.add_argument("--list", action="store_true", help="only check the arguments and name the scenarios")
    parser.add_argument("--inside", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = [name for name in options.only if name not in {one.name for one in SCENARIOS}]
    if unknown:
        parser.error(f"no scenario '{unknown[0]}'; there are: {names}")
    return options


def fake_gpus(directory: Path) -> Path | None:
    """A library in NVML's place, built from the unit tests' fixture; None without a compiler."""
    source = ROOT / "tests/unit/agent/fixtures/fake_nvml.cc"
    library = directory / "libfake_nvml.so"
    compiler = shutil.which("c++")
    if compiler is None:
        return None
    if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
        directory.mkdir(parents=True, exist_ok=True)
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    return library


def run_inside(scenario: Scenario, options: argparse.Namespace) -> None:
    """Runs a scenario in this process and writes what came of it to a file."""

    def out_of_time(*_: object) -> None:
        raise BrokenError("it was ended, its time being over")

    signal.signal(signal.SIGTERM, out_of_time)
    directory = options.directory / f"{scenario.name}-{options.seed}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    trial = Trial(scenario.name, options.seed, options.long, options.binaries, directory)
    trial.fake_gpus = fake_gpus(options.directory)
    skip = ""
    begin = time.monotonic()
    try:
        scenario.run(trial)
    except SkippedError as why:
        skip = str(why)
    except BrokenError as why:
        trial.breaches.append(f"BROKEN {why}")
    except Exception:
        trial.breaches.append(f"BROKEN {traceback.format_exc()}")
    result = {
        "skip": skip,
        "breaches": trial.breaches,
        "notes": trial.notes,
        "figures": asdict(trial.figures),
        "seconds": time.monotonic() - begin,
    }
    Path(options.inside).write_text(json.dumps(result))


class Child:
    """A scenario in a process of its own, so that nothing of one reaches another."""

    def __init__(self, scenario: Scenario, options: argparse.Namespace) -> None:
        """Starts it."""
        self.scenario = scenario
        self.name = f"{scenario.name}-{options.seed}"
        self.directory: Path = options.directory / self.name
        self.result_file: Path = options.directory / f"{self.name}.json"
        self.log: Path = options.directory / f"{self.name}.log"
        self.result_file.unlink(missing_ok=True)
        command = [
            "setpriv",
            "--pdeathsig",
            "TERM",
            "--",
            sys.executable,
            __file__,
            "--inside",
            str(self.result_file),
            "--only",
            scenario.name,
        ]
        command += ["--seed", str(options.seed), "--binaries", str(options.binaries)]
        command += ["--directory", str(options.directory), *(["--long"] if options.long else [])]
        self.until = time.monotonic() + (LONG_SECONDS if options.long else scenario.seconds)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

    def ended(self) -> bool:
        """Whether it has; it is ended when its time is over."""
        if self.process.poll() is not None:
            return True
        if time.monotonic() > self.until:
            self.end()
        return False

    def end(self) -> None:
        """SIGTERM, so that it removes what it made; SIGKILL if need be, and then it is removed from here."""
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            kill_below(self.directory)
            for line in Path("/proc/self/mounts").read_text().splitlines():
                if Path(line.split()[1]).is_relative_to(self.directory):
                    subprocess.run(["umount", "--lazy", line.split()[1]], check=False)
            for space in network.namespaces_of(self.process.pid):
                subprocess.run(["ip", "netns", "del", space], capture_output=True, check=False)

    def result(self) -> dict[str, Any]:
        """What it left."""
        try:
            out: dict[str, Any] = json.loads(self.result_file.read_text())
            return out
        except (OSError, ValueError):
            why = f"BROKEN it ended with {self.process.returncode} and without a result\n{self.log.read_text()[-4000:]}"
            return {"skip": "", "breaches": [why], "notes": [], "figures": {}, "seconds": 0.0}


def report(child: Child, result: dict[str, Any], seed: int) -> bool:
    """Prints the line of a scenario. Whether it held."""
    name = child.scenario.name
    if result["skip"]:
        print(f"ok {name} # SKIP {result['skip']}", flush=True)
    elif not result["breaches"]:
        print(f"ok {name} ({result['seconds']:.0f} s, {'; '.join(result['notes']) or 'seed ' + str(seed)})", flush=True)
    else:
        print(f"not ok {name} seed={seed}; repeat: tests/faults/run.sh --only {name} --seed {seed}")
        for breach in result["breaches"][:20]:
            print("   ", breach.replace("\n", "\n    "))
        print(f"    kept: {child.directory}", flush=True)
        return False
    shutil.rmtree(child.directory, ignore_errors=True)
    child.log.unlink(missing_ok=True)
    child.result_file.unlink(missing_ok=True)
    return True


def run_all(scenarios: list[Scenario], options: argparse.Namespace) -> tuple[bool, Figures]:
    """Runs them, some at a time. Whether all held, and the sums."""
    waiting = list(scenarios)
    running: list[Child] = []
    held, sums = True, Figures()
    try:
        while waiting or running:
            alone = any(not child.scenario.side_by_side for child in running)
            while waiting and not alone and len(running) < (options.jobs if waiting[0].side_by_side else 1):
                running.append(Child(waiting.pop(0), options))
                alone = not running[-1].scenario.side_by_side
            for child in [one for one in running if one.ended()]:
                running.remove(child)
                result = child.result()
                held = report(child, result, options.seed) and held
                for key, value in result["figures"].items():
                    setattr(sums, key, getattr(sums, key) + value)
            time.sleep(0.05)
    finally:
        for child in running:
            child.end()
    return held, sums


def write_figures(path: Path, sums: Figures, long: bool) -> None:
    """In the shape of all figures of this project."""
    how = f"tests/faults/run.sh{' --long' if long else ''}: SIGKILL to server, workers and runners under load"
    figures = [
        {"name": f"faults.{key}", "value": value, "unit": "1", "n": 1, "median": value, "min": value, "max": value}
        | {"reference": None, "how": how}
        for key, value in asdict(sums).items()
        if key != "jobs"
    ]
    path.write_text(json.dumps({"figures": figures}, indent=1) + "\n")


def main() -> int:
    """Exit status 0: all held."""
    options = arguments()
    chosen = [one for one in SCENARIOS if not options.only or one.name in options.only]
    if options.seed is None:
        options.seed = int.from_bytes(os.urandom(4), "big")
    if options.list:
        print("\n".join(one.name for one in chosen))
        return 0
    options.directory.mkdir(parents=True, exist_ok=True)
    if options.inside:
        run_inside(chosen[0], options)
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(f"seed={options.seed}", flush=True)
    held, sums = run_all(chosen, options)
    print(f"{'kills':>8} {'lost':>8} {'doubled':>8} {'overlaps':>8} {'jobs':>8}")
    print(f"{sums.kills:>8} {sums.lost:>8} {sums.doubled:>8} {sums.overlaps:>8} {sums.jobs:>8}", flush=True)
    if options.json:
        write_figures(options.json, sums, options.long)
    return 0 if held else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
