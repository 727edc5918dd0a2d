"""Relays of TCP connections inside the harness: as they are, or with faults drawn from a seed."""

import asyncio
import contextlib
import random
import socket
import struct
import threading
from collections.abc import Callable

CHUNK = 65536


class Faults:
    """How a relay maltreats its connections. Any thread may switch it."""

    def __init__(self, rng: random.Random, *, bad: float = 0.0, duplicates: bool = False) -> None:
        """`bad`: share of connections that are maltreated; `duplicates`: some first messages are sent twice."""
        self.rng = rng
        self.bad = bad
        self.duplicates = duplicates

    def draw(self) -> "Plan":
        """What happens to the next connection."""
        if self.rng.random() >= self.bad:
            return Plan()
        kind = self.rng.choice(["delay", "reset", "reset", "stall", *(["duplicate"] * 2 if self.duplicates else [])])
        if kind == "delay":
            return Plan(delay=self.rng.uniform(0.01, 0.4))
        if kind == "duplicate":
            return Plan(duplicate=True)
        after = int(2 ** self.rng.uniform(0, 14))
        if kind == "stall":
            return Plan(stall_after=after, stall=self.rng.uniform(0.5, 8))
        return Plan(reset_after=after)


class Plan:
    """The fate of one connection: how long each piece is held back, after how many bytes it is reset or not read."""

    def __init__(
        self,
        *,
        delay: float = 0,
        reset_after: int = 1 << 62,
        stall_after: int = 1 << 62,
        stall: float = 0,
        duplicate: bool = False,
    ) -> None:
        """Without arguments: none."""
        self.delay = delay
        self.reset_after = reset_after
        self.stall_after = stall_after
        self.stall = stall
        self.duplicate = duplicate
        self.bytes = 0


def reset(one: socket.socket) -> None:
    """Closes with a TCP reset."""
    with contextlib.suppress(OSError):
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    one.close()


class Relay:
    """Accepts connections and passes them on, on a thread of its own, until closed."""

    def __init__(
        self,
        target: Callable[[], tuple[str, int]],
        *,
        faults: Faults | None = None,
        make_socket: Callable[[], socket.socket] = lambda: socket.socket(),
        listener: socket.socket | None = None,
    ) -> None:
        """`make_socket`: makes the outgoing sockets; `listener`: bound already, else one on a free loopback port."""
        if listener is None:
            listener = socket.socket()
            listener.bind(("127.0.0.1", 0))
        self._listener = listener
        self._listener.listen(512)
        self._listener.setblocking(False)
        self.address: tuple[str, int] = self._listener.getsockname()
        self._target = target
        self._make_socket = make_socket
        self._faults = faults
        self._pairs: dict[asyncio.Task[None], tuple[socket.socket, Plan]] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __str__(self) -> str:
        """The address to connect to."""
        return f"{self.address[0]}:{self.address[1]}"

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        accepting = self._loop.create_task(self._accept())
        self._loop.run_forever()
        accepting.cancel()
        for task in list(self._pairs):
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(accepting, *self._pairs, return_exceptions=True))
        self._listener.close()
        self._loop.close()

    async def _accept(self) -> None:
        while True:
            client, _ = await self._loop.sock_accept(self._listener)
            client.setblocking(False)
            plan = self._faults.draw() if self._faults is not None else Plan()
            task = self._loop.create_task(self._connect(client, plan))
            self._pairs[task] = (client, plan)
            task.add_done_callback(lambda done: self._pairs.pop(done, None))

    async def _connect(self, client: socket.socket, plan: Plan) -> None:
        server = self._make_socket()
        server.setblocking(False)
        try:
            await self._loop.sock_connect(server, self._target())
            both = [self._pump(client, server, plan, True), self._pump(server, client, plan, False)]
            tasks = [self._loop.create_task(one) for one in both]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            reset(client)
            reset(server)

    async def _pump(self, source: socket.socket, sink: socket.socket, plan: Plan, upwards: bool) -> None:
        first = upwards
        while data := await self._loop.sock_recv(source, CHUNK):
            if plan.duplicate and first:
                await self._twice(data)
            first = False
            if plan.delay:
                await asyncio.sleep(plan.delay)
            plan.bytes += len(data)
            if plan.bytes > plan.reset_after:
                await self._loop.sock_sendall(sink, data[: max(1, len(data) - (plan.bytes - plan.reset_after))])
                raise ConnectionResetError
            if plan.bytes > plan.stall_after:
                await asyncio.sleep(plan.stall)
                raise ConnectionResetError
            await self._loop.sock_sendall(sink, data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    async def _twice(self, data: bytes) -> None:
        """Sends the first message on a connection of its own, whose answer nobody reads."""
        other = self._make_socket()
        other.setblocking(False)
        try:
            await self._loop.sock_connect(other, self._target())
            await self._loop.sock_sendall(other, data)
            await asyncio.sleep(0.05)
        except OSError:
            pass
        finally:
            other.close()

    def heal(self) -> None:
        """Connections that were to be maltreated end now."""

        def end() -> None:
            for task, (_, plan) in list(self._pairs.items()):
                if plan.delay or plan.duplicate or plan.reset_after < 1 << 62 or plan.stall_after < 1 << 62:
                    task.cancel()

        self._loop.call_soon_threadsafe(end)

    def drop_some(self, rng: random.Random) -> None:
        """Half of the present connections end; those that follow are drawn anew."""
        chances = [rng.random() for _ in range(64)]

        def end() -> None:
            for number, task in enumerate(list(self._pairs)):
                if chances[number % len(chances)] < 0.5:
                    task.cancel()

        self._loop.call_soon_threadsafe(end)

    def close(self) -> None:
        """Ends every connection and the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
