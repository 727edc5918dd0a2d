"""Scenarios F20 to F23: readers that never read, a herd of workers, floods of output, jobs and workers that are bad."""

import socket
import struct
import time

from cluster import HOST, Cluster
from processes import processes_below, rss_bytes, wait_until
from trial import Scene, Trial, fixture_job, submit, wait_for_state

SERVER_CAP = 512 << 20
WORKER_CAP = 256 << 20
# Streams on one HTTP/2 connection.
STREAMS = 100


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """A frame of HTTP/2 (RFC 9113, section 4.1)."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def grpc_call(stream: int, path: str, message: bytes) -> bytes:
    """The frames of a gRPC request; headers are literals that are not indexed (RFC 7541, section 6.2.2)."""
    headers = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "localhost"}
    headers |= {"content-type": "application/grpc", "te": "trailers"}
    block = b"".join(
        b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
        for name, value in headers.items()
    )
    data = b"\0" + struct.pack(">I", len(message)) + message
    return frame(1, 4, stream, block) + frame(0, 1, stream, data)


def stuck_socket(port: int) -> socket.socket:
    """A connection whose receive buffer is as small as can be."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    one.connect((HOST, port))
    return one


def stuck_grpc(port: int, streams: int, log_of: str) -> socket.socket:
    """A connection with that many watches of events and of a log, which is never read."""
    connection = stuck_socket(port)
    # INITIAL_WINDOW_SIZE: what the server may send on each stream before it has to wait.
    data = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, struct.pack(">HI", 4, 16384))
    for number in range(streams):
        if number % 4 == 3:
            name = b"\x0a" + bytes([len(log_of)]) + log_of.encode()
            data += grpc_call(2 * number + 1, "/benchwire.v1.JobService/WatchLog", name)
        else:
            data += grpc_call(2 * number + 1, "/benchwire.v1.EventService/WatchEvents", b"\x08\x00")
    connection.sendall(data)
    return connection


def stuck_sse(port: int) -> socket.socket:
    """A reader of the event stream over HTTP that never reads."""
    connection = stuck_socket(port)
    connection.sendall(b"GET /v1/events:watch?afterRevision=0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return connection


def many_events(scene: Scene, count: int) -> None:
    """Jobs that no worker takes, cancelled at once: two events each."""
    body = fixture_job("plain", requirements={"workerLabels": {"no": "such"}})
    for _ in range(count):
        scene.api.call("POST", f"/v1/{submit(scene, body)}:cancel", {})


def stuck_readers(trial: Trial) -> None:
    """F20: hundreds of readers never read. The server stays under its cap, and jobs go on."""
    count = 5000 if trial.long else 500
    with Cluster(trial.settings(workers=1)) as cluster:
        scene = Scene(trial, cluster)
        watched = submit(scene, fixture_job("plain", millis=8000, lines=20000))
        wait_for_state(scene, watched, {"RUNNING"}, 20)
        many_events(scene, 150)
        connections = []
        for begin in range(0, count * 3 // 5, STREAMS):
            streams = min(STREAMS, count * 3 // 5 - begin)
            connections.append(stuck_grpc(cluster.grpc_port, streams, f"{watched}/attempts/1"))
        refused = 0
        for _ in range(min(count * 2 // 5, 240)):
            try:
                connections.append(stuck_sse(cluster.http_port))
            except OSError:
                refused += 1
        workload = scene.load(clients=2, pause=0.05, longest=100)
        many_events(scene, 3000 if trial.long else 300)
        before = workload.count()
        going = wait_until(lambda: workload.count() > before + 5, 30)
        trial.expect(going, "STUCK no jobs are accepted while readers do not read")
        rss = rss_bytes(cluster.server_pid())
        trial.expect(rss < SERVER_CAP, f"MEMORY the server takes {rss >> 20} MiB with {count} stuck readers")
        trial.note(f"{rss >> 20} MiB with {count} stuck readers, {refused} refused")
        for connection in connections:
            connection.close()
        scene.settle()


def renewals(scene: Scene) -> int:
    """How often workers have renewed since the server started."""
    lines = [line for line in scene.api.text("/metrics").splitlines() if "RenewLease" in line and 'code="OK"' in line]
    return sum(int(float(line.split()[-1])) for line in lines if line.startswith("benchwire_calls_total"))


def herd(trial: Trial) -> None:
    """F21: the server starts anew under many workers: all come back, none is lost."""
    runners = trial.directory / "runners"
    runners.mkdir()
    (runners / "benchwire-command").symlink_to(trial.binaries / "benchwire-command")
    count = 100 if trial.long else 40
    settings = trial.settings(workers=count, ttl=15, runners=runners)
    with Cluster(settings) as cluster:
        scene = Scene(trial, cluster)
        scene.load(clients=3, pause=0.1, longest=3000, cancels=0)
        for _ in trial.rounds(1, 20):
            trial.pause(1, 2)
            trial.kill(cluster.server)
            cluster.start_server()
            begin = time.monotonic()
            back = wait_until(lambda: renewals(scene) >= count, 3 * settings.ttl, 0.1)
            trial.expect(back, f"HERD {renewals(scene)} renewals of {count} workers within three times to live")
            trial.note(f"{count} workers renewed within {time.monotonic() - begin:.1f} s")
        jobs = scene.settle()
        lost = [name for name, job in jobs.items() if job.get("lostAttempts", 0)]
        trial.expect(not lost, f"EXPIRY a restart of the server lost attempts of {lost}")


def flood(trial: Trial) -> None:
    """F22: a program prints as fast as it can, in lines and in one line: the log is cut, the worker stays small."""
    with Cluster(trial.settings(workers=1, output_bytes=1 << 40)) as cluster:
        scene = Scene(trial, cluster)
        worker = cluster.workers[0]
        for mode in ("flood", "endless-line"):
            job = submit(scene, fixture_job(mode, millis=60_000 if trial.long else 3000, maxAttempts=1))
            wait_for_state(scene, job, {"RUNNING"}, 20)
            most = 0
            end = time.monotonic() + (70 if trial.long else 5)
            while time.monotonic() < end:
                pids = [worker.pid(), *processes_below(worker.attempts)]
                most = max(most, *(rss_bytes(pid) for pid in pids))
                time.sleep(0.1)
            state = wait_for_state(scene, job, {"SUCCEEDED", "FAILED"}, 60)
            attempt = scene.api.get(f"/v1/{job}")["attempts"][0]
            trial.expect(state == "SUCCEEDED", f"FLOOD a job in mode {mode} is {state}: {attempt.get('reason')}")
            trial.expect(bool(attempt.get("logTruncated")), f"FLOOD the log of mode {mode} is not marked as cut")
            stored = int(attempt.get("logBytes", 0))
            trial.expect(0 < stored <= 10 << 20, f"FLOOD {stored} bytes of log are stored in mode {mode}")
            trial.expect(most < WORKER_CAP, f"MEMORY the worker or its runner takes {most >> 20} MiB in mode {mode}")
            trial.note(f"{mode}: {most >> 20} MiB")
        scene.settle()


def poison(trial: Trial) -> None:
    """F23: a job kills every worker it gets: it is quarantined, and the others run."""
    with Cluster(trial.settings(workers=3)) as cluster:
        scene = Scene(trial, cluster)
        for _ in trial.rounds(1, 30):
            job = submit(scene, fixture_job("poison"))
            others = [submit(scene, fixture_job("plain", millis=300)) for _ in range(4)]

            def quarantined() -> bool:
                for worker in cluster.workers:
                    if not worker.running():
                        trial.figures.kills += 1
                        worker.start(cluster.grpc)
                return str(scene.api.get(f"/v1/{job}")["state"]) == "JOB_STATE_QUARANTINED"  # noqa: B023

            trial.expect(wait_until(quarantined, 40, 0.2), "POISON a job that kills its workers is not quarantined")
            for other in others:
                wait_for_state(scene, other, {"SUCCEEDED"}, 40)
        scene.settle()


def sick(trial: Trial) -> None:
    """F23: runners crash on one worker, job after job: it alone gets no more for a while."""
    with Cluster(trial.settings(workers=2)) as cluster:
        scene = Scene(trial, cluster)
        here = {"workerLabels": {"machine": "w1"}}
        for _ in range(3):
            job = submit(scene, fixture_job("crash", maxAttempts=1, requirements=here))
            wait_for_state(scene, job, {"FAILED"}, 20)
        states = {one["name"]: one["state"] for one in scene.api.pages("/v1/workers", "workers")}
        wanted = {"workers/w1": "WORKER_STATE_SICK", "workers/w2": "WORKER_STATE_ONLINE"}
        trial.expect(states == wanted, f"SICK the workers are {states}")
        jobs = [submit(scene, fixture_job("plain")) for _ in range(4)]
        for job in jobs:
            wait_for_state(scene, job, {"SUCCEEDED"}, 20)
            where = scene.api.get(f"/v1/{job}")["attempts"][0]["worker"]
            trial.expect(where == "workers/w2", f"SICK {job} ran on {where}")
        waiting = submit(scene, fixture_job("plain", requirements=here))
        told = str(scene.api.get(f"/v1/{waiting}:explain"))
        trial.expect("OBSTACLE_SICK" in told, f"SICK the waiting job is explained by {told[:300]}")
        scene.settle()
