"""A slow network from this machine to itself: a relay with a round trip and a rate, in front of a file server that
`sshfs` mounts. The server can be stopped or lost."""
import asyncio
import contextlib
import os
import shutil
import subprocess
import threading
import time

SFTP_SERVER = "/usr/lib/openssh/sftp-server"
PIECE = 64 << 10


def why_not():
    """Returns the reason if such a folder can't be mounted here, otherwise None."""
    if os.geteuid() != 0:
        return "mounting needs root"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "there is no /dev/fuse that may be opened"
    for program in ("sshfs", SFTP_SERVER):
        if shutil.which(program) is None:
            return f"there is no {program}"
    return None


class Network:
    """Passes bytes on, each half a round trip later, and at most at the rate. `stop` holds all bytes back."""

    def __init__(self, round_trip_ms, bytes_per_s):
        self.delay_s, self.rate = round_trip_ms / 2000, bytes_per_s
        self.goes_on = None  # an event of the loop
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        self.passed_bytes = 0
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        self.ready.wait()

    def run(self):
        asyncio.set_event_loop(self.loop)
        self.goes_on = asyncio.Event()
        self.goes_on.set()
        server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0, limit=PIECE))
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        self.loop.run_forever()

    async def serve(self, reader, writer):
        process = await asyncio.create_subprocess_exec(SFTP_SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        await asyncio.gather(self.pass_on(reader, process.stdin), self.pass_on(process.stdout, writer))
        with contextlib.suppress(ProcessLookupError):
            process.kill()

    async def pass_on(self, reader, writer):
        due, waiting = 0.0, asyncio.Queue()

        async def deliver():
            while (item := await waiting.get()) is not None:
                at, piece = item
                await asyncio.sleep(max(0, at - time.monotonic()))
                await self.goes_on.wait()
                writer.write(piece)
                self.passed_bytes += len(piece)
            writer.close()
        delivering = asyncio.ensure_future(deliver())
        with contextlib.suppress(ConnectionError):
            while piece := await reader.read(PIECE):
                due = max(due, time.monotonic()) + len(piece) / self.rate
                await waiting.put((due + self.delay_s, piece))
        await waiting.put(None)
        await delivering

    def wait_for_bytes(self, count):
        while self.passed_bytes < count:
            time.sleep(0.001)

    def stop(self):
        self.loop.call_soon_threadsafe(self.goes_on.clear)

    def go_on(self):
        self.loop.call_soon_threadsafe(self.goes_on.set)


@contextlib.contextmanager
def mounted(source, folder, round_trip_ms, bytes_per_s, options="auto_cache"):
    """Mounts `source` on `folder` through such a network."""
    network = Network(round_trip_ms, bytes_per_s)
    folder.mkdir(exist_ok=True)
    subprocess.run(["sshfs", "-o", f"directport={network.port},ro,allow_other,{options}", f"127.0.0.1:{source}", folder], check=True)
    try:
        yield network
    finally:
        network.go_on()
        subprocess.run(["umount", "-l", folder], check=False)
