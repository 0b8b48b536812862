"""A build is killed, or the system refuses one of its calls: at every call that changes a file, and at random moments.
A reader of the packs then finds the whole old set or the whole new one, and the next build gives the bytes of an
undisturbed one.

SEEKLESS_LONG=1 tries every call, and 200 random moments."""
import json
import os
import random
import shutil
import signal
import subprocess
import time

import pytest

from project import Project, edit, settle
from tool import DONE, FAILED, strace_can_inject, tree

LONG = os.environ.get("SEEKLESS_LONG") == "1"
CALLS = {"renameat": "EIO", "unlinkat": "EACCES", "mkdirat": "ENOSPC", "openat2": "EACCES", "fsync": "EIO",
         "pwrite64": "ENOSPC", "fallocate": "ENOSPC", "openat": "EMFILE", "flock": "ENOLCK"}
MOST_CALLS = 600

needs_injection = pytest.mark.skipif(not strace_can_inject(), reason="needs strace and the right to trace")


class Disturbed:
    """A project with an old build and edits made since; `reset` brings it back for the next disturbance. Packs stay,
    and the build makes generations (`generations` true); or all are rebuilt, as without a lock."""

    def __init__(self, tool, folder, generations, **size):
        self.tool = tool
        self.project = Project(tool, folder / "game", **size)
        self.folder = folder
        kept = {"threads": 1, **({"generations": {"max_dead": 0.1, "rewrite_price": 20}} if generations else {})}
        self.project.configure(**kept)
        self.project.build()
        if generations:  # there already is an overlay, and some content is dead
            edit(self.project.asset(30), b"first edit" * 700)
            settle()
            self.project.build()
        self.old = tree(self.project.packs)
        self.old_content = self.contents(self.project.packs, folder / "old")
        # One pack changes, one is left alone, one comes and one goes.
        edit(self.project.asset(30), b"edited" * 900)
        (self.project.content / "pinned.xyz").write_bytes(b"pinned" * 5000)
        if generations:
            for number in range(0, 12):
                edit(self.project.asset(number), bytes([number]) * 20_000)
        else:
            self.project.configure(**kept, rules=[{"match": "a001.bin", "pack": "extra"}])
            shutil.move(self.project.folder / "layout.lock", folder / "aside")
        settle()
        self.saved = folder / "saved"
        subprocess.run(["cp", "-a", self.project.folder, self.saved], check=True)
        self.project.build()
        self.new = tree(self.project.packs)
        self.new_lock = (self.project.folder / "layout.lock").read_bytes()
        self.new_content = self.contents(self.project.packs, folder / "new")
        assert self.old_content != self.new_content
        assert self.old.keys() != self.new.keys()
        assert any(self.old.get(name) == self.new[name] for name in self.new)

    def contents(self, packs, into):
        self.tool.ok("extract", packs, "-o", into)
        found = tree(into)
        shutil.rmtree(into)
        return found

    def reset(self):
        shutil.rmtree(self.project.folder)
        subprocess.run(["cp", "-a", self.saved, self.project.folder], check=True)

    def command(self):
        return self.tool.command("build", self.project.folder)

    def check_readable(self):
        """Checks that the packs now give the old set or the new one."""
        packs = self.project.packs
        self.tool.ok("verify", packs)
        found = self.contents(packs, self.folder / "now")
        assert found in (self.old_content, self.new_content)
        if found == self.old_content:
            catalog = (packs / "catalog.skl").read_bytes()
            assert catalog == self.old["catalog.skl"]
        return found == self.new_content

    def check_next_build(self):
        self.project.build()
        found = tree(self.project.packs)
        # An empty folder that couldn't be removed doesn't belong to the set.
        if found.get(".seekless-new", "") is None:
            del found[".seekless-new"]
        assert found == self.new
        assert (self.project.folder / "layout.lock").read_bytes() == self.new_lock
        left = [name for name in tree(self.project.folder) if ".tmp" in name]
        assert left == []
        assert not self.project.build()["changed"]


BOTH = {"params": [True, False], "ids": ["packs that stay", "all anew"]}


@pytest.fixture(scope="module", **BOTH)
def small(tool, tmp_path_factory, request):
    return Disturbed(tool, tmp_path_factory.mktemp("small"), request.param, assets=61, most_bytes=3000)


@pytest.fixture(scope="module", **BOTH)
def large(tool, tmp_path_factory, request):
    return Disturbed(tool, tmp_path_factory.mktemp("large"), request.param, assets=90, most_bytes=400_000)


def inject(disturbed, call, what, count):
    return subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}",
                           "-e", f"inject={call}:{what}:when={count}", *disturbed.command()],
                          capture_output=True, text=True, timeout=60)


def counts_of(disturbed, call):
    """Returns the numbers of the calls to disturb: in the short form the first ones, and some of the others."""
    disturbed.reset()
    done = subprocess.run(["strace", "-f", "-e", f"trace={call}", *disturbed.command()],
                          capture_output=True, text=True)
    assert done.returncode == DONE, done.stderr[-1000:]
    total = min(done.stderr.count(f"{call}("), MOST_CALLS)
    if LONG or total <= 6:
        return range(1, total + 1)
    return sorted({*random.Random(call).sample(range(1, total + 1), 5), total})


@needs_injection
@pytest.mark.parametrize("call", CALLS)
def test_killed_at_a_call(small, call):
    sets = set()
    for count in counts_of(small, call):
        small.reset()
        done = inject(small, call, "signal=KILL", count)
        assert done.returncode == -signal.SIGKILL, (count, done.stderr)
        sets.add(small.check_readable())
        small.check_next_build()
    if call == "renameat" and LONG:
        assert sets == {True, False}


@needs_injection
@pytest.mark.parametrize("call", CALLS)
def test_refused_a_call(small, call):
    for count in counts_of(small, call):
        small.reset()
        done = inject(small, call, f"error={CALLS[call]}", count)
        assert done.returncode in (DONE, FAILED), (count, done.stderr)
        assert done.returncode == DONE or "seekless: error: " in done.stderr
        is_new = small.check_readable()
        assert is_new or done.returncode == FAILED, count
        small.check_next_build()


def test_killed_at_random_moments(large):
    chance = random.Random(3)
    large.reset()
    start = time.monotonic()
    subprocess.run(large.command(), check=True, stdout=subprocess.DEVNULL)
    took_s = time.monotonic() - start
    kills = 0
    for _ in range(200 if LONG else 12):
        large.reset()
        process = subprocess.Popen(large.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, took_s))
        process.send_signal(signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        large.check_readable()
        large.check_next_build()
    assert kills >= 3


def test_killed_again_and_again(large):
    """Each build continues from the state that the killed one before has left, and is killed in turn."""
    chance = random.Random(5)
    large.reset()
    for _ in range(8 if not LONG else 60):
        process = subprocess.Popen(large.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.005, 0.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        large.check_readable()
    large.check_next_build()


# ---- inputs that change, outputs that can't be written ----------------------------------------

def while_reading(project, change):
    """Builds under strace, stops the packer when it first writes a block, and calls `change` then."""
    log = project.folder.parent / "calls"
    process = subprocess.Popen(["strace", "-f", "-o", log, "-e", "trace=fallocate",
                                "-e", "inject=fallocate:delay_exit=700000:when=1",
                                *project.tool.command("build", project.folder)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not (log.exists() and "fallocate" in log.read_text()) and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    change()
    err = process.communicate(timeout=60)[1]
    return process.returncode, err


@needs_injection
@pytest.mark.parametrize("how", ["same size", "another size", "gone", "one more"])
def test_inputs_that_change_meanwhile_fail_the_build(tool, tmp_path, how):
    project = Project(tool, tmp_path / "game")
    project.build()
    old = tree(project.packs)
    edit(project.asset(30), b"x" * 500)
    settle()
    victim = project.asset(31)
    name = "a031.bin"

    def change():
        nonlocal name
        if how == "same size":
            edit(victim, bytes(255 - byte for byte in victim.read_bytes()))
        elif how == "another size":
            edit(victim, b"y" * 17)
        elif how == "gone":
            victim.unlink()
        else:
            name = "late.bin"
            (project.content / name).write_bytes(b"late")

    code, err = while_reading(project, change)
    assert code == FAILED and name in err, err
    assert tree(project.packs) == old
    project.build()
    tool.ok("verify", project.packs)


def test_a_full_disk_keeps_the_old_set(tool, tmp_path, small_disk):
    disk = small_disk(3_000_000)
    project = Project(tool, tmp_path / "game")
    project.configure(outputs={"packs": {"folder": str(disk / "packs")}})
    project.build()
    old = tree(disk / "packs")
    for number in range(60):
        edit(project.asset(number), os.urandom(45_000))
    settle()
    tool.run("build", project.folder).says("free some space")
    assert tree(disk / "packs") == old
    tool.ok("verify", disk / "packs")


def test_an_output_that_is_read_only_is_refused(tool, tmp_path, small_disk):
    disk = small_disk(9_000_000)
    project = Project(tool, tmp_path / "game")
    project.configure(outputs={"packs": {"folder": str(disk / "packs")}})
    project.build()
    old = tree(disk / "packs")
    edit(project.asset(30), b"x" * 77)
    settle()
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    project.tool.run("build", project.folder).says(str(disk))
    assert tree(disk / "packs") == old
    assert json.loads(project.tool.run("build", project.folder, "--check", "--json", "-").out or "{}")["changed"]
