"""Scenarios F10 to F12 and F18: partitions, half-open connections, delays, resets and repeated messages.

The server serves loopback only, so workers behind a partition live in a network namespace of their own and reach it
over two relays of the harness: a worker connects to its own loopback, that relay over a pair of virtual interfaces to
a second namespace, and the relay there to the server. Only the packets between the two namespaces are dropped.
"""

import contextlib
import ctypes
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from api import Api
from cluster import HOST, Cluster
from processes import processes_below, wait_until
from relay import Faults, Relay
from trial import Scene, SkippedError, Trial

CLONE_NEWNET = 0x40000000


def command(*arguments: str) -> None:
    """Runs it; SkippedError where that fails."""
    result = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SkippedError(f"{' '.join(arguments)}: {result.stderr.strip()}")


def namespaces_of(pid: int) -> list[str]:
    """The names of the namespaces that a process of the harness makes."""
    return [f"bwf{pid}w", f"bwf{pid}s"]


def socket_in(namespace: str) -> socket.socket:
    """A TCP socket of a network namespace: a socket stays in the one it was made in."""
    made: list[socket.socket] = []

    def make() -> None:
        # Of this thread alone, which ends with it.
        with Path(f"/run/netns/{namespace}").open() as file:
            if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET) != 0:
                return
        made.append(socket.socket())

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    if not made:
        raise SkippedError("a thread may not enter a network namespace here")
    return made[0]


class Link:
    """Two namespaces with a wire between them, whose packets can be dropped in each direction."""

    WORKER, SERVER = "10.231.7.2", "10.231.7.1"

    def __init__(self) -> None:
        """Makes them; SkippedError where this machine forbids that."""
        for program in ("ip", "iptables-legacy", "nsenter"):
            if shutil.which(program) is None:
                raise SkippedError(f"{program} is not installed")
        self.worker, self.server = namespaces_of(os.getpid())
        try:
            for space in (self.worker, self.server):
                command("ip", "netns", "add", space)
                command("ip", "-n", space, "link", "set", "lo", "up")
            wire = ["link", "add", "wire-a", "type", "veth", "peer", "wire-b", "netns", self.server]
            command("ip", "-n", self.worker, *wire)
            for space, name, own in ((self.worker, "wire-a", self.WORKER), (self.server, "wire-b", self.SERVER)):
                command("ip", "-n", space, "address", "add", f"{own}/24", "dev", name)
                command("ip", "-n", space, "link", "set", name, "up")
            self._rule("-L")
        except SkippedError:
            self.close()
            raise

    def _rule(self, *arguments: str) -> None:
        command("nsenter", f"--net=/run/netns/{self.worker}", "iptables-legacy", "-w", *arguments)

    def drop(self, direction: str) -> None:
        """Drops packets to the server (`up`), from it (`down`) or `both`."""
        if direction in ("up", "both"):
            self._rule("-A", "OUTPUT", "-o", "wire-a", "-j", "DROP")
        if direction in ("down", "both"):
            self._rule("-A", "INPUT", "-i", "wire-a", "-j", "DROP")

    def heal(self) -> None:
        """Drops nothing any more."""
        self._rule("-F")

    def close(self) -> None:
        """Removes both."""
        for space in (self.worker, self.server):
            subprocess.run(["ip", "netns", "del", space], capture_output=True, check=False)


@contextlib.contextmanager
def apart(cluster: Cluster, numbers: list[int]) -> Iterator[Link]:
    """These workers, not started yet, will be beyond a link."""
    link = Link()
    relays = []
    try:
        far = socket_in(link.server)
        far.bind((Link.SERVER, 0))
        to_server = Relay(lambda: (HOST, cluster.grpc_port), listener=far)
        relays.append(to_server)
        near = socket_in(link.worker)
        near.bind((HOST, 0))
        relays.append(Relay(lambda: to_server.address, listener=near, make_socket=lambda: socket_in(link.worker)))
        for number in numbers:
            cluster.workers[number].server = str(relays[-1])
            cluster.workers[number].prefix = ["nsenter", f"--net=/run/netns/{link.worker}", "--"]
        yield link
    finally:
        for relay in relays:
            relay.close()
        link.close()


def partition(trial: Trial) -> None:
    """F10, F11: workers cannot reach the server, or are not reached, or now and then; what they ran goes to others."""
    cluster = Cluster(trial.settings(workers=2))
    with apart(cluster, [0]) as link, cluster:
        scene = Scene(trial, cluster)
        scene.load(clients=3, longest=1500, cancels=0.05, mix=[("plain", 80), ("stubborn", 20)])
        bound = cluster.settings.requeue_bound
        kinds = ["both", "up", "down", "flapping"]
        trial.rng.shuffle(kinds)
        for number in trial.rounds(3, 40):
            trial.pause(0.5, 1.5)
            kind = kinds[number % len(kinds)]
            if kind == "flapping":
                for _ in range(4):
                    link.drop(trial.rng.choice(["both", "up", "down"]))
                    trial.pause(0.3, 1.5)
                    link.heal()
                    trial.pause(0.1, 0.8)
            else:
                link.drop(kind)
                gone = wait_until(lambda: not processes_below(cluster.workers[0].attempts), 3 * cluster.settings.ttl)
                trial.expect(gone, "SURVIVOR the runner of a worker that is cut off lives after three times to live")
                time.sleep(bound if kind != "up" else bound / 2)
                link.heal()
            online = wait_until(lambda: cluster.online() == 2, 3 * bound + 10, 0.2)
            trial.expect(online, f"BOUND the worker is not back after a partition ({kind})")
        scene.settle()


def server_out_of_sight(trial: Trial) -> None:
    """F11: the server starts anew while the link is down: the worker finds out that its connections are half-open."""
    cluster = Cluster(trial.settings(workers=1))
    with apart(cluster, [0]) as link, cluster:
        scene = Scene(trial, cluster)
        scene.load(clients=2, longest=500, cancels=0)
        for _ in trial.rounds(1, 20):
            trial.pause(0.5, 1)
            link.drop("both")
            trial.kill(cluster.server)
            cluster.start_server()
            time.sleep(1)
            link.heal()
            online = wait_until(lambda: cluster.online() == 1, 3 * 30, 0.2)
            trial.expect(online, "BOUND the worker is not back 90 s after its connections became half-open")
        scene.settle()


def bad_network(trial: Trial) -> None:
    """F12, F18: workers and clients reach the server over proxies that delay, reset, stop reading and repeat."""
    cluster = Cluster(trial.settings(workers=2, slots=2))
    cluster.start_server()
    to_workers = Faults(trial.rng)
    to_clients = Faults(trial.rng, duplicates=True)
    relays = [
        Relay(lambda: (HOST, cluster.grpc_port), faults=to_workers),
        Relay(lambda: (HOST, cluster.http_port), faults=to_clients),
    ]
    for worker in cluster.workers:
        worker.server = str(relays[0])
    try:
        with cluster:
            scene = Scene(trial, cluster)
            scene.load(through=Api(HOST, relays[1].address[1]), clients=4, pause=0.05, longest=300, cancels=0.15)
            for _ in trial.rounds(2, 60):
                to_workers.bad, to_clients.bad = trial.rng.uniform(0.5, 0.95), trial.rng.uniform(0.3, 0.7)
                end = time.monotonic() + 7
                while time.monotonic() < end:
                    trial.pause(0.5, 1.5)
                    relays[0].drop_some(trial.rng)
                to_workers.bad = to_clients.bad = 0
                for relay in relays:
                    relay.heal()
                trial.pause(1, 2)
            scene.settle()
    finally:
        for relay in relays:
            relay.close()
