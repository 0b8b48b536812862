"""Faults against `mount`: its process is killed while others read, and the same command mounts again; descriptors are
few; pipes, links and folders lie where packs should; packs lie on bad sectors. Every byte that is read is right, or the
read fails.

It runs as a program, as the user who mounts: `mount_faults.py PART {"seekless": ..., "packs": ..., "expected": the
same assets in a folder, "shown": where to mount, "kills": 150, "seed": 1}` prints {part: {tried, wrong}}; PART
`reads` mounts, and for each line of standard input reads all of it and prints path -> 0, an errno, or "wrong".
served_campaign.py calls it."""
import errno
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

WAIT_S = 600
# Errors of a file in a folder whose process has just ended.
GONE = (errno.ENOTCONN, errno.ECONNABORTED, errno.EIO, errno.ENOENT)


class Refused(Exception):
    """The mount failed with a reason."""


def whole(path, from_memory=True):
    with open(path, "rb", buffering=0) as file:
        if not from_memory:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return file.read()


def tree(folder):
    return {os.path.relpath(os.path.join(at, name), folder): whole(os.path.join(at, name))
            for at, _, names in os.walk(folder) for name in names}


class Shown:
    """A mounted set."""

    def __init__(self, told):
        self.seekless, self.packs, self.shown = told["seekless"], told["packs"], told["shown"]
        self.kills, self.chosen = told["kills"], random.Random(told["seed"])
        self.expected = tree(told["expected"])
        self.names = sorted(self.expected)
        self.wrong, self.tried = [], 0

    def start(self, before=()):
        return subprocess.Popen([*before, self.seekless, "mount", "-f", "--always", self.packs, self.shown], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)

    def mount(self, before=()):
        child = self.start(before)
        if child.stdout.readline():
            return child
        said = child.communicate(timeout=WAIT_S)[1].decode(errors="replace")
        raise Refused(child.returncode, said)

    def unmount(self, child):
        child.send_signal(signal.SIGTERM)  # SIGINT is ignored if a shell started us in the background
        if child.wait(timeout=WAIT_S) != 0 or os.path.ismount(self.shown) or os.listdir(self.shown):
            self.wrong.append(f"it ended with {child.returncode}, and left {os.listdir(self.shown)}")

    def looked_through(self, when):
        try:
            found = tree(self.shown)
        except OSError as error:
            self.wrong.append(f"{when}: {error}")
            return
        if found != self.expected:
            self.wrong.append(f"{when}: {[name for name in self.names if found.get(name) != self.expected[name]][:5]} differ")

    def read_on(self, until):
        """Reads pieces of files as long as that works."""
        chosen = random.Random(self.chosen.random())
        while not until.is_set():
            name = chosen.choice(self.names)
            content = self.expected[name]
            at = chosen.randrange(len(content) + 1)
            try:
                file = os.open(os.path.join(self.shown, name), os.O_RDONLY)
                try:
                    if os.pread(file, 50_000, at) != content[at:at + 50_000]:
                        self.wrong.append(f"wrong bytes of {name} at {at}")
                finally:
                    os.close(file)
            except OSError as error:
                if error.errno not in GONE:
                    self.wrong.append(f"{name}: {error}")

    def killed_while_read(self):
        child = self.mount()
        if self.tried % 10 == 0:
            self.looked_through(f"mounted again after {self.tried} kills")
        ended = threading.Event()
        readers = [threading.Thread(target=self.read_on, args=[ended]) for _ in range(2)]
        for reader in readers:
            reader.start()
        time.sleep(0.15 * self.chosen.random())
        child.kill()
        child.communicate()
        ended.set()
        for reader in readers:
            reader.join()

    def killed_while_it_starts(self):
        child = self.start()
        time.sleep(0.1 * self.chosen.random())
        child.kill()
        child.communicate()

    def killed(self):
        while self.tried < self.kills and not self.wrong:
            self.chosen.choice([self.killed_while_read, self.killed_while_read, self.killed_while_it_starts])()
            self.tried += 1
        child = self.mount()
        self.looked_through("mounted again in the end")
        self.unmount(child)

    def few_descriptors(self):
        """Checks that the mount reports too few descriptors, or that everything can be read."""
        for limit in (*range(4, 32), 40, 64):
            self.tried += 1
            try:
                child = self.mount(["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh"])
            except Refused as refused:
                code, said = refused.args
                # With too few descriptors the loader can't open libraries.
                if code != 127 and (code != 1 or said.count("seekless: error: ") != 1):
                    self.wrong.append(f"{limit} descriptors: exit code {code}: {said[-300:]}")
                continue
            self.looked_through(f"{limit} descriptors")
            self.unmount(child)

    def odd_files(self):
        for name in sorted(os.listdir(self.packs)):
            for kind in ("pipe", "link", "folder"):
                self.tried += 1
                self.odd(kind, name)
        child = self.mount()
        self.looked_through("with all files again")
        self.unmount(child)

    def odd(self, kind, name):
        place, aside = os.path.join(self.packs, name), os.path.join(os.path.dirname(self.packs), "aside")
        os.rename(place, aside)
        {"pipe": lambda: os.mkfifo(place), "link": lambda: os.symlink(aside, place), "folder": lambda: os.mkdir(place)}[kind]()
        try:
            child = self.mount()
            if kind != "link":
                self.wrong.append(f"a {kind} for {name}: it is mounted")
            self.looked_through(f"a {kind} for {name}")
            self.unmount(child)
        except Refused as refused:
            code, said = refused.args
            if code not in (1, 3) or said.count("seekless: error: ") != 1:
                self.wrong.append(f"a {kind} for {name}: exit code {code}: {said[-300:]}")
        os.rmdir(place) if kind == "folder" else os.unlink(place)
        os.rename(aside, place)

    def read_all(self):
        found = {}
        for name in self.names:
            try:
                found[name] = 0 if whole(os.path.join(self.shown, name), from_memory=False) == self.expected[name] else "wrong"
            except OSError as error:
                found[name] = error.errno
        return found

    def places(self):
        """Maps each path to its pack and the place in that pack."""
        def of(name, attribute):
            return os.getxattr(os.path.join(self.shown, name), f"user.seekless.{attribute}").decode()

        return {name: [of(name, "pack"), int(of(name, "offset")), len(content)] for name, content in self.expected.items() if content}

    def reads(self):
        child = self.mount()
        print(json.dumps(self.places()), flush=True)
        for _ in sys.stdin:
            print(json.dumps(self.read_all()), flush=True)
        self.unmount(child)


PARTS = {"killed": Shown.killed, "few descriptors": Shown.few_descriptors, "pipes and links": Shown.odd_files}


def main():
    part, told = sys.argv[1], json.loads(sys.argv[2])
    if part == "reads":
        Shown(told).reads()
        return
    done = {}
    for name, run in PARTS.items():
        shown = Shown(told)
        run(shown)
        done[name] = {"tried": shown.tried, "wrong": shown.wrong}
    print(json.dumps(done))


if __name__ == "__main__":
    main()
