"""Faults against `apply` on one file system: it is killed at random moments and at chosen system calls, the disk is
full, descriptors are few, reads are short, and pipes, links and folders lie where files should. Afterwards the set is
the old release or the new one, byte by byte, and the same command continues.

script/campaign calls these functions; tests call them with fewer faults."""
import collections
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import page_cache
from outcome import Outcome
from programs import build_preload
from releases import NEW, OLD, kill_after, set_of
from tool import DAMAGED, DONE, FAILED, strace_can_inject, tree

WAIT_S = 600
CHANGING_CALLS = "renameat,unlinkat,mkdirat,fsync,pwrite64,fallocate,ftruncate,fchmod,flock"
FILLS = """
import sys
size = 1 << 20
with open(sys.argv[1], 'wb', buffering=0) as file:
    while size >= 256:
        try:
            file.write(bytes(size))
        except OSError:
            size //= 16
"""


class Applied:
    """Sets of two releases in a folder of some file system, and actions on them, as root or as `user`."""

    def __init__(self, released, folder, user=None, seed=1):
        self.released, self.tool, self.folder, self.user = released, released.tool, folder, user
        self.chosen = random.Random(seed)
        self.packs, self.patch = folder / "set", folder / "up.skp"
        self.old, self.new = tree(released.old), tree(released.new)
        shutil.copy(released.patch, self.patch)
        self.give(folder, self.patch)

    def give(self, *paths):
        for path in paths:
            if self.user is not None:
                os.chown(path, self.user, self.user)

    def install(self):
        shutil.rmtree(self.packs, ignore_errors=True)
        shutil.copytree(self.released.old, self.packs)
        self.give(self.packs, *self.packs.iterdir())

    def command(self, *words, before=()):
        as_user = [] if self.user is None else ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups"]
        return [*as_user, *map(str, before), *self.tool.command("apply", self.packs, *words)]

    def run(self, *words, before=(), env=None):
        return subprocess.run(self.command(*words, before=before), capture_output=True, text=True, timeout=WAIT_S, stdin=subprocess.DEVNULL,
                              env={**os.environ, **(env or {})})

    def now(self):
        """Returns the set's own files, without state for continuing and kept files."""
        return {name: data for name, data in set_of(self.packs).items() if not name.startswith((NEW, ".seekless-"))}

    def read(self):
        """Returns what a reader of the set gets: a release's content, or why it is refused."""
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run(self.tool.command("extract", self.packs, "-o", f"{out}/all"), capture_output=True, text=True,
                                  timeout=WAIT_S)
            return tree(Path(out) / "all") if done.returncode == DONE else done.stderr

    def check_whole(self, when, wrong, may_be_refused=False):
        if tree(self.packs) in (self.old, self.new):
            return
        found = self.read()
        if isinstance(found, str) and not may_be_refused:
            wrong.append(f"{when}: the set is refused: {found[-300:]}")
        if not isinstance(found, str) and found not in self.released.releases:
            wrong.append(f"{when}: what is read is neither release")

    def go_on(self, when, wanted, wrong, *words):
        done = self.run(*words)
        if done.returncode != DONE and self.now() != wanted:
            wrong.append(f"{when}: the same command ends with {done.returncode}: {done.stderr[-300:]}")
        elif self.now() != wanted:
            wrong.append(f"{when}: the same command made another set")

    def moments(self, *words):
        """Returns the system calls at which the command may be killed, (name, number), and how long it takes."""
        begin = time.monotonic()
        self.run(*words)
        whole_s = time.monotonic() - begin
        self.ready(words)
        if not strace_can_inject():
            return [], whole_s
        said = self.run(*words, before=["strace", "-f", "-e", f"trace={CHANGING_CALLS}"]).stderr
        counts = collections.Counter(re.findall(r"^(?:\[pid +\d+\] )?(\w+)\(", said, re.MULTILINE))
        return [(call, number) for call, count in counts.items() for number in range(1, count + 1)], whole_s

    def is_kept(self):
        return (self.packs / OLD / "catalog.skl").exists() and self.now() == self.new

    def ready(self, words):
        """Brings the folder into the state before the command."""
        if "--rollback" not in words:
            return self.packs.exists() and tree(self.packs) == self.old or self.install()
        if not self.is_kept():
            self.install()
            self.run(self.patch, "--keep-old")

    def kill(self, words, calls, whole_s):
        """Kills the command at a system call or, half of the time, at any moment. Returns True if it hadn't ended
        before."""
        if calls and self.chosen.random() < 0.5:
            call, number = self.chosen.choice(calls)
            before = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}"]
            return self.run(*words, before=before).returncode not in (DONE, FAILED)
        return kill_after(self.command(*words), self.chosen.uniform(0, whole_s)) == -signal.SIGKILL

    def killed_once(self, way, words, moments, outcome):
        self.ready(words)
        if not self.kill(words, *moments):
            return
        outcome.tried += 1
        when = f"{way}, kill {outcome.tried}"
        self.check_whole(when, outcome.wrong, may_be_refused="--file-by-file" in words)
        self.go_on(when, self.old if "--rollback" in words else self.new, outcome.wrong, *words)
        # An empty folder may remain; the next run removes it.
        left = [name for name, data in tree(self.packs).items() if name.startswith(NEW) and data is not None or ".tmp" in name]
        outcome.wrong += [f"{when}: {name} is left" for name in left]

    def killed(self, count):
        """Kills each way to apply `count` times, in turn. Each run continues from what the previous one left, if it
        can."""
        ways = {"in place": [self.patch], "file by file": [self.patch, "--file-by-file"], "keeping the old": [self.patch, "--keep-old"],
                "rolling back": ["--rollback"]}
        moments, outcomes = {}, {way: Outcome() for way in ways}
        for way, words in ways.items():
            self.ready(words)
            moments[way] = self.moments(*words)
        for _ in range(4 * count):
            for way, words in ways.items():
                if outcomes[way].tried < count and not outcomes[way].wrong:
                    self.killed_once(way, words, moments[way], outcomes[way])
        return {f"apply, killed {way}": outcome for way, outcome in outcomes.items()}

    def check_refused(self, when, done, wrong):
        """Checks that the command succeeded, or gave the reason in one line and left the old set unchanged."""
        if done.returncode == DONE:
            if self.now() != self.new:
                wrong.append(f"{when}: through, but the set is another")
            return
        if done.returncode not in (FAILED, DAMAGED) or done.stderr.count("seekless: error: ") != 1:
            wrong.append(f"{when}: exit code {done.returncode}: {done.stderr[-300:]}")
        if self.now() != self.old:
            wrong.append(f"{when}: the old set changed")
        self.check_whole(when, wrong)

    def full_disk(self):
        outcome, fill = Outcome(), self.folder / "fill"
        for words in ([self.patch], [self.patch, "--keep-old"]):
            self.install()
            subprocess.run(["/usr/bin/python3", "-I", "-S", "-c", FILLS, fill], check=True, timeout=WAIT_S,
                           **({} if self.user is None else {"user": self.user, "group": self.user, "extra_groups": []}))
            self.check_refused("on a full disk", self.run(*words), outcome.wrong)
            fill.unlink()
            self.go_on("with room again", self.new, outcome.wrong, *words)
            outcome.tried += 1
        return outcome

    def few_descriptors(self):
        outcome = Outcome()
        for limit in (4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 24):
            self.install()
            done = self.run(self.patch, before=["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh"])
            # With too few descriptors the loader can't open libraries, and no program starts.
            if done.returncode != 127:
                self.check_refused(f"{limit} descriptors", done, outcome.wrong)
            self.go_on(f"after {limit} descriptors", self.new, outcome.wrong, self.patch)
            outcome.tried += 1
        return outcome

    def short_reads(self):
        outcome = Outcome()
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            library = build_preload("fail_reads", Path(folder))
            for words in ([self.patch], [self.patch, "--file-by-file"]):
                self.install()
                self.go_on_with(library, words, outcome)
        return outcome

    def go_on_with(self, library, words, outcome):
        done = self.run(*words, env={"LD_PRELOAD": str(library), "SLOW_READS_OF": ".skl"})
        outcome.tried += 1
        if done.returncode != DONE or self.now() != self.new:
            outcome.wrong.append(f"short reads: exit code {done.returncode}: {done.stderr[-300:]}")

    def odd_files(self):
        """With a pipe, a link or a folder in place of a file, nothing hangs, and nothing outside is touched."""
        outcome = Outcome()
        outside = self.folder / "outside"
        for kind in ("pipe", "link", "folder"):
            for name in ("up.skp", *self.old):
                self.install()
                place = self.patch if name == "up.skp" else self.packs / name
                content = place.read_bytes()
                outside.write_bytes(content)
                place.unlink()
                {"pipe": lambda: os.mkfifo(place), "link": lambda: place.symlink_to(outside), "folder": place.mkdir}[kind]()
                done = self.run(self.patch)
                outcome.tried += 1
                if outside.read_bytes() != content:
                    outcome.wrong.append(f"{kind} for {name}: it wrote outside")
                if done.returncode not in (DONE, FAILED, DAMAGED):
                    outcome.wrong.append(f"{kind} for {name}: exit code {done.returncode}: {done.stderr[-300:]}")
                if done.returncode == DONE and self.now() != self.new:
                    outcome.wrong.append(f"{kind} for {name}: another set")
                if done.returncode != DONE and any((self.packs / other).read_bytes() != data
                                                   for other, data in self.old.items() if other != name):
                    outcome.wrong.append(f"{kind} for {name}: another file changed")
                if name == "up.skp":
                    shutil.rmtree(place) if kind == "folder" else place.unlink()
                    place.write_bytes(content)
        outside.unlink(missing_ok=True)
        return outcome

    def faults(self):
        return {"apply, full disk": self.full_disk(), "apply, few descriptors": self.few_descriptors(),
                "apply, short reads": self.short_reads(), "apply, pipes and links": self.odd_files()}


def bad_sectors(applied, disk):
    """With packs on a failing disk, apply reports an error of the disk, not damage, and the old set stays; then the
    same command continues."""
    outcome = Outcome()
    for words in ([applied.patch], [applied.patch, "--keep-old"], [applied.patch, "--file-by-file"]):
        for name in ("common.skl", "cold.skl", "catalog.skl"):
            applied.install()
            pack = applied.packs / name
            page_cache.forget(applied.packs)
            disk.hdd("fault", "eio", "--file", f"{pack}:{pack.stat().st_size // 2 // 4096 * 4096}", "--bytes", "4096")
            done = applied.run(*words)
            disk.hdd("fault", "none")
            outcome.tried += 1
            if done.returncode != FAILED or "Input/output error" not in done.stderr:
                outcome.wrong.append(f"{name}: exit code {done.returncode}: {done.stderr[-300:]}")
            if applied.now() != applied.old:
                outcome.wrong.append(f"{name}: the old set changed")
            applied.go_on(name, applied.new, outcome.wrong, *words)
    return outcome
