"""Several faults at once, in an order drawn from the seed: what one of them leaves half done, the next one meets."""

import signal
from collections.abc import Callable

from cluster import HOST, Cluster, Worker
from kills import expect_runners_gone, killed_inside, restart_server, strike_runner
from relay import Faults, Relay
from trial import Scene, Trial


class Storm:
    """The faults, each a method that leaves server and workers running."""

    def __init__(self, trial: Trial, cluster: Cluster, relay: Relay) -> None:
        """The cluster runs, its workers behind the relay."""
        self.trial = trial
        self.cluster = cluster
        self.relay = relay

    def worker(self) -> Worker:
        """One of them."""
        return self.trial.rng.choice(self.cluster.workers)

    def kill_server(self) -> None:
        """Killed, and started after a while."""
        self.trial.kill(self.cluster.server)
        self.trial.pause(0, 0.5)
        restart_server(self.trial, self.cluster)

    def kill_server_inside(self) -> None:
        """Killed within a call."""
        assert self.cluster.server is not None
        killed_inside(self.trial, self.cluster.server, ["pwrite64", "fdatasync", "sendmsg"], 15)
        if not self.cluster.server.running():
            restart_server(self.trial, self.cluster)

    def kill_worker(self) -> None:
        """Killed, and started after a while."""
        worker = self.worker()
        self.trial.kill(worker.process)
        expect_runners_gone(self.trial, worker)
        self.trial.pause(0, 1)
        worker.start(self.cluster.grpc)

    def freeze_worker(self) -> None:
        """Stopped for up to twice its time to live; the server may be killed meanwhile."""
        worker = self.worker()
        worker.signal(signal.SIGSTOP)
        self.trial.pause(0.2, self.cluster.settings.ttl)
        if self.trial.rng.random() < 0.3:
            self.kill_server()
        self.trial.pause(0, self.cluster.settings.ttl)
        worker.signal(signal.SIGCONT)

    def freeze_server(self) -> None:
        """Stopped for a while."""
        assert self.cluster.server is not None
        self.cluster.server.send(signal.SIGSTOP)
        self.trial.pause(0.2, 3)
        self.cluster.server.send(signal.SIGCONT)

    def cut_connections(self) -> None:
        """Some end, in the midst of whatever they carried."""
        for _ in range(3):
            self.relay.drop_some(self.trial.rng)
            self.trial.pause(0, 0.3)

    def strike_runners(self) -> None:
        """Runners, keepers and programs are killed."""
        for worker in self.cluster.workers:
            strike_runner(self.trial, worker)


def storm(trial: Trial) -> None:
    """F1 to F5 and F12 together."""
    cluster = Cluster(trial.settings(workers=3, slots=2, fake_gpus=trial.fake_gpus))
    network = Faults(trial.rng, bad=0.3)
    relay = Relay(lambda: (HOST, cluster.grpc_port), faults=network)
    for worker in cluster.workers:
        worker.server = str(relay)
    mix = [("plain", 75), ("stubborn", 10), ("grandchild", 10), ("crash-once", 5)]
    try:
        with cluster:
            scene = Scene(trial, cluster)
            scene.load(clients=4, mix=mix, gpus=trial.fake_gpus is not None, longest=800, pause=0.05)
            faults = Storm(trial, cluster, relay)
            actions: list[Callable[[], None]] = [
                faults.kill_server,
                faults.kill_server_inside,
                faults.kill_worker,
                faults.kill_worker,
                faults.freeze_worker,
                faults.freeze_server,
                faults.cut_connections,
                faults.strike_runners,
            ]
            for _ in trial.rounds(12, 500):
                trial.pause(0.05, 0.8)
                trial.rng.choice(actions)()
                scene.end_sickness()
            network.bad = 0
            relay.heal()
            scene.settle()
    finally:
        relay.close()
