"""Archives that are replaced in place are whole at any moment, and can be restored."""
import os
import random
import shutil
import signal
import subprocess
import time
import zipfile

import pytest

import zips
from game import noise, prose
from tool import DAMAGED, DONE, FAILED, USAGE, strace_can_inject, tree
from zips import Entry, archive

pytestmark = pytest.mark.skipif(not zips.have_readers(), reason="needs unzip, bsdtar and libzip")
STORED = ("--compression", "store")
KILLS = 200 if "SEEKLESS_LONG" in os.environ else 30


class Home:
    """A folder of archives, a trace that reads them backwards, and a copy to begin from again."""

    def __init__(self, tool, folder, archives=3, size=20_000):
        self.tool, self.folder, self.home = tool, folder, folder / "home"
        self.trace = folder / "load.strace"
        lines = []
        for number in range(archives):
            path = self.home / ("sub" if number % 2 else ".") / f"{number}.pk3"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive([Entry(f"{n}.txt", prose(n, size), 8) for n in range(5)]
                                     + [Entry(f"{n}.bin", noise(n, size)) for n in range(5)]))
            for at, offset in enumerate(reversed(zips.data_offsets(path))):
                lines += [f'7 {number}.{at}1 openat(AT_FDCWD</>, "{path.resolve()}", O_RDONLY) = 3<{path.resolve()}>',
                          f'7 {number}.{at}2 pread64(3<{path.resolve()}>, ""..., 50, {offset}) = 50']
        (self.home / "loose.cfg").write_text("loose")
        self.trace.write_text("\n".join(lines) + "\n")
        self.old = tree(self.home)
        # Whether loads gain depends on where this disk has put the archives.
        self.command = ("repack", self.trace, "--content", self.home, "--in-place", "--force", *STORED)
        self.new = None

    def repack(self, *options):
        return self.tool.json(*self.command, *options)

    def restore(self, *options):
        return self.tool.json("restore", self.home, *options)

    def visible(self):
        return {n: b for n, b in tree(self.home).items() if not n.startswith(".seekless")}

    def learn_new(self):
        self.repack()
        self.new = self.visible()
        self.restore()
        assert self.tree() == self.old and self.new != self.old

    def tree(self):
        return tree(self.home)

    def assert_whole(self):
        """Checks that every archive is there, and is the old or the new one."""
        now = self.visible()
        assert now.keys() == self.old.keys()
        for name, bytes_ in now.items():
            assert bytes_ in (self.old[name], self.new[name]), f"{name} is neither old nor new"


@pytest.fixture
def home(tool, tmp_path):
    return Home(tool, tmp_path)


def inodes(folder):
    return {p.name: (p.stat().st_ino, p.stat().st_mtime_ns, p.stat().st_mode) for p in folder.rglob("*.pk3")
            if ".seekless" not in str(p)}


def test_originals_come_back_to_the_inode(home):
    before = inodes(home.home)
    answer = home.repack()
    assert [a["repacked"] for a in answer["archives"]] == [True] * 3
    assert {n: v[1:] for n, v in inodes(home.home).items()} == {n: v[1:] for n, v in before.items()}
    for name, bytes_ in home.visible().items():
        if name.endswith(".pk3"):
            assert bytes_ != home.old[name]
            (home.folder / "old.zip").write_bytes(home.old[name])
            assert zips.by_zipfile(home.folder / "old.zip") == zips.by_zipfile(home.home / name)
    assert sorted(home.restore()["restored"]) == ["0.pk3", "2.pk3", "sub/1.pk3"]
    assert home.tree() == home.old and inodes(home.home) == before
    assert home.restore() == {"command": "restore", "folder": str(home.home), "restored": [], "unchanged": [],
                              "set_aside": [], "outdated": [], "changed_parts": [], "lost": [], "overlays": [], "discarded": [], "discarded_bytes": 0}


def test_a_second_run_keeps_the_first_originals(home):
    home.repack()
    profile = home.folder / "profile.json"
    home.restore()
    home.tool.ok("profile", home.trace, "--content", home.home, "--keep-archives", "-o", profile)
    home.repack()
    again = ("repack", "--profile", profile, "--content", home.home, "--in-place")
    answer = home.tool.json(*again, "--compress", "*.txt")
    assert len(answer["archives"]) == 3  # the originals aren't content
    with zipfile.ZipFile(home.home / "0.pk3") as opened:
        assert opened.getinfo("1.txt").compress_type == 8
    home.restore()
    assert home.tree() == home.old


def record(home, name, chosen):
    """Writes a trace of the present archives: the entries whose numbers `chosen` picks, in its order."""
    trace, lines = home.folder / name, []
    for path in sorted(p for p in home.home.rglob("*.pk3") if ".seekless" not in str(p)):
        names = sorted(zipfile.ZipFile(path).namelist())
        places = dict(zip(zipfile.ZipFile(path).namelist(), zips.data_offsets(path)))
        for entry in chosen(names):
            at = len(lines)
            lines += [f'7 {at}.1 openat(AT_FDCWD</>, "{path.resolve()}", O_RDONLY) = 3<{path.resolve()}>',
                      f'7 {at}.2 pread64(3<{path.resolve()}>, ""..., 50, {places[entry]}) = 50']
    trace.write_text("\n".join(lines) + "\n")
    return trace


def test_recordings_of_before_order_as_they_do_the_originals(home):
    """The second run uses recordings with places in the originals."""
    other = record(home, "other.strace", lambda names: names[1::2] + names[::2])
    home.tool.ok("repack", other, "--content", home.home, "--in-place", "--force", *STORED)
    wanted = home.visible()
    home.restore()
    home.repack()
    assert home.visible() != wanted
    answer = home.tool.ok("repack", other, "--content", home.home, "--in-place", "--force", *STORED)
    assert "from their originals again" in answer.text
    assert home.visible() == wanted
    home.tool.ok("repack", other, "--content", home.home, "--in-place", "--force", *STORED)
    assert home.visible() == wanted
    home.tool.ok("repack", other, "--content", home.home, "-o", home.folder / "out", *STORED)
    assert {n: b for n, b in tree(home.folder / "out").items() if n.endswith(".pk3")} == {
        n: b for n, b in wanted.items() if n.endswith(".pk3")}
    home.restore()
    assert home.tree() == home.old


def test_recordings_of_after_are_taken_as_they_are(home):
    order = lambda names: names[1::2] + names[::2]
    home.tool.ok("repack", record(home, "old.strace", order), "--content", home.home, "--in-place", "--force", *STORED)
    wanted = home.visible()
    home.restore()
    home.repack()
    new = record(home, "new.strace", order)
    answer = home.tool.ok("repack", new, "--content", home.home, "--in-place", "--force", *STORED)
    assert "originals again" not in answer.text
    assert [zipfile.ZipFile(home.home / "0.pk3").open(n).read() for n in order(sorted(
        zipfile.ZipFile(home.home / "0.pk3").namelist()))]
    assert {n: zips.data_offsets(home.home / n) for n in ("0.pk3", "2.pk3")} == offsets_of(wanted, home.folder)
    home.restore()
    assert home.tree() == home.old


def offsets_of(archives, folder):
    found = {}
    for name in ("0.pk3", "2.pk3"):
        (folder / "wanted.pk3").write_bytes(archives[name])
        found[name] = zips.data_offsets(folder / "wanted.pk3")
    return found


def test_recordings_that_cannot_be_told_apart_are_refused(home):
    """Reads of whole pages don't show which archives were recorded, so the user must say."""
    old = record(home, "old.strace", lambda names: names)
    home.repack()
    before = home.tree()
    pages = home.folder / "pages.strace"
    path = (home.home / "0.pk3").resolve()
    pages.write_text("".join(f'7 {n}.1 openat(AT_FDCWD</>, "{path}", O_RDONLY) = 3<{path}>\n'
                             f'7 {n}.2 pread64(3<{path}>, ""..., 4096, {at}) = 4096\n'
                             for n, at in enumerate((4096, 20480, 65536, 12288))))
    answer = home.tool.run("repack", pages, "--content", home.home, "--in-place", "--force", *STORED).says(pages, "--recorded")
    assert answer.code == FAILED and home.tree() == before
    new = record(home, "new.strace", lambda names: names)
    assert home.tool.run("repack", old, new, "--content", home.home, "--in-place", "--force", *STORED).says(new, "other kind").code == FAILED
    assert home.tree() == before
    for kind in ("current", "originals"):
        home.tool.ok("repack", pages, "--content", home.home, "--in-place", "--force", "--recorded", kind, "--dry-run")
    home.tool.ok("repack", pages, "--content", home.home, "--in-place", "--force", "--recorded", "originals")
    home.restore()
    assert home.tree() == home.old


def test_changed_archives_are_not_overwritten(home):
    home.repack()
    (home.home / "0.pk3").write_bytes(b"an update of the game")
    before = home.tree()
    assert home.tool.run("restore", home.home).says("0.pk3", "--force").code == FAILED
    assert home.tree() == before
    answer = home.restore("--force")
    assert answer["set_aside"] == [str(home.home / "0.pk3.changed")]
    assert home.tree() == {**home.old, "0.pk3.changed": b"an update of the game"}


def test_a_touched_archive_is_still_ours(home):
    home.repack()
    os.utime(home.home / "0.pk3")
    home.restore()
    assert home.tree() == home.old


def test_links_are_left_alone(home):
    (home.folder / "elsewhere.pk3").write_bytes(home.old["0.pk3"])
    (home.home / "0.pk3").unlink()
    (home.home / "0.pk3").symlink_to(home.folder / "elsewhere.pk3")
    results = {a["name"]: a for a in home.repack()["archives"]}
    assert "symbolic link" in results["0.pk3"]["reason"] or not results["0.pk3"]["repacked"]
    assert (home.home / "0.pk3").is_symlink()
    assert (home.folder / "elsewhere.pk3").read_bytes() == home.old["0.pk3"]


def test_a_single_archive_is_replaced_beside_its_originals(home):
    path = home.home / "0.pk3"
    home.tool.ok("repack", home.trace, "--content", path, "--in-place")
    assert path.read_bytes() != home.old["0.pk3"]
    home.restore()
    assert home.tree() == home.old


def test_two_at_once_keep_out_of_each_other(home):
    holder = home.home / ".seekless-originals"
    holder.mkdir()
    locked = subprocess.Popen(["flock", holder / "lock", "sleep", "60"])
    try:
        for _ in range(100):
            if (holder / "lock").exists():
                break
            time.sleep(0.05)
        time.sleep(0.3)
        assert home.tool.run(*home.command).says("lock", "wait until").code == FAILED
        assert home.tool.run("restore", home.home).says("lock").code == FAILED
    finally:
        locked.kill()
        locked.wait()
    assert home.visible() == home.old


def test_restoring_what_is_no_folder_is_told(tool, tmp_path):
    assert tool.run("restore", tmp_path / "gone").says("gone", "no folder").code == USAGE
    assert tool.json("restore", tmp_path)["restored"] == []


def test_too_little_space_is_known_before(home, small_disk):
    disk = small_disk(400 * 1024)
    shutil.copytree(home.home, disk / "home")
    trace = home.folder / "small.strace"
    trace.write_text(home.trace.read_text().replace(str(home.home), str(disk / "home")))
    before = tree(disk)
    answer = home.tool.run("repack", trace, "--content", disk / "home", "--in-place")
    assert answer.says("free space").code == FAILED
    assert tree(disk) == before


def test_a_run_that_fails_leaves_no_trace(home):
    if not strace_can_inject():
        pytest.skip("needs strace and the right to trace")
    # Calls are counted in each thread: pwrite64 on an archive, and the main thread's last flush, of the journal.
    for call, count in (("linkat", 2), ("pwrite64", 1), ("fsync", 2), ("fsync", 3)):
        done = subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                               f"inject={call}:error=EIO:when={count}", *home.tool.command(*home.command)],
                              capture_output=True)
        assert done.returncode == FAILED and b"Input/output error" in done.stderr
        assert home.tree() == home.old


def test_killed_at_random_moments_archives_are_whole(tool, tmp_path):
    home = Home(tool, tmp_path, archives=4, size=150_000)
    home.learn_new()
    start = time.monotonic()
    home.repack()
    longest = time.monotonic() - start
    home.restore()
    rng = random.Random(4)
    states = set()
    for _ in range(KILLS):
        process = subprocess.Popen(tool.command(*home.command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0, longest * 1.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        home.assert_whole()
        states.add(tuple(home.visible()[n] == home.new[n] for n in sorted(home.new)))
        if rng.random() < 0.3:  # run it again instead, so that it continues from there
            answer = tool.run(*home.command)
            assert answer.code == DONE or "locked" in answer.err or "reads of" in answer.err, answer.err
        home.restore()
        assert home.tree() == home.old


CALLS = ["renameat", "linkat", "unlinkat", "fsync", "fdatasync", "pwrite64", "write", "mkdirat", "openat", "openat2",
         "fallocate", "ftruncate", "fchown", "fchmod", "utimensat", "flock"]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("command", ["repack", "restore"])
def test_killed_or_failing_at_any_call_archives_are_whole(home, call, command):
    if not strace_can_inject():
        pytest.skip("needs strace and the right to trace")
    home.learn_new()
    happened = 0
    for fault in ("signal=KILL", "error=EIO"):
        for count in range(1, 40):
            if command == "restore":
                home.repack()
            arguments = home.command if command == "repack" else ("restore", home.home)
            log = home.folder / "calls"
            done = subprocess.run(["strace", "-f", "-o", log, "-e", f"trace={call}",
                                   "-e", f"inject={call}:{fault}:when={count}", *home.tool.command(*arguments)],
                                  capture_output=True, timeout=120)
            injected = "INJECTED" in log.read_text() or done.returncode == -signal.SIGKILL
            happened += injected
            home.assert_whole()
            home.restore()
            assert home.tree() == home.old, (fault, count)
            if not injected:
                break
            if call in ("openat", "openat2", "write") and count > 25:
                break
    used = {"repack": {"renameat", "linkat", "fsync", "pwrite64", "mkdirat", "openat", "fallocate", "flock"},
            "restore": {"renameat", "unlinkat", "fsync", "openat", "flock"}}
    assert happened or call not in used[command]


def damage_original(home, name, way):
    kept = home.home / ".seekless-originals" / "files" / name
    stat = kept.stat()
    if way == "gone":
        kept.unlink()
        return
    data = bytearray(kept.read_bytes())
    if way == "cut":
        del data[-1000:]
    else:
        data[len(data) // 2] ^= 4
    kept.write_bytes(data)
    os.utime(kept, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@pytest.mark.parametrize("way", ["gone", "cut", "other bytes"])
def test_an_original_that_is_damaged_replaces_nothing(home, way):
    home.repack()
    damage_original(home, "sub/1.pk3", way)
    before = home.tree()
    answer = home.tool.run("restore", home.home)
    assert answer.code == DAMAGED
    answer.says("sub/1.pk3", "original", "nothing was done", "--force")
    assert {n: b for n, b in before.items() if b is not None} == {n: b for n, b in home.tree().items() if b is not None}
    done = home.restore("--force")
    assert (done["restored"], done["lost"]) == (["0.pk3", "2.pk3"], ["sub/1.pk3"])
    visible = home.visible()
    assert {name for name in home.old if visible[name] == home.old[name]} == home.old.keys() - {"sub/1.pk3"}
    assert visible["sub/1.pk3"] == before["sub/1.pk3"]
    kept = home.home / ".seekless-originals" / "files" / "sub" / "1.pk3"
    assert kept.exists() == (way != "gone")


def test_originals_of_a_version_that_noted_no_hashes_come_back(home):
    home.repack()
    journal = home.home / ".seekless-originals" / "journal"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(line for line in lines if ".seekless-originals/" not in line))
    assert len(lines) == 7
    damage_original(home, "0.pk3", "cut")  # without its directory
    before = home.tree()
    assert home.tool.run("restore", home.home).code == DAMAGED
    assert home.tree() == before
    (home.home / ".seekless-originals" / "files" / "0.pk3").write_bytes(home.old["0.pk3"])
    home.restore()
    assert home.tree() == home.old


def test_without_hard_links_originals_are_moved(home):
    if not strace_can_inject():
        pytest.skip("needs strace and the right to trace")
    home.learn_new()
    before = inodes(home.home)
    no_links = ["strace", "-f", "-o", "/dev/null", "-e", "trace=linkat", "-e", "inject=linkat:error=EPERM"]
    subprocess.run([*no_links, *home.tool.command(*home.command)], check=True, capture_output=True)
    assert home.visible() == home.new
    home.restore()
    assert home.tree() == home.old and inodes(home.home) == before
    # If it was killed between the two renames, a name leads nowhere; both commands mend that.
    for mend in ("restore", "repack"):
        for count in (1, 2, 3, 4, 5, 6, 7):
            subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", "trace=linkat,renameat", "-e", "inject=linkat:error=EPERM",
                            "-e", f"inject=renameat:signal=KILL:when={count}", *home.tool.command(*home.command)],
                           capture_output=True)
            if mend == "repack":
                answer = home.tool.run(*home.command)
                assert answer.code == DONE or "brought back" in answer.err or "reads of" in answer.err, answer.err
                for name in home.old:  # archives that are already new are repacked once more
                    assert name == "loose.cfg" or zipfile.ZipFile(home.home / name).testzip() is None
            home.restore()
            assert home.tree() == home.old


def test_a_reader_never_sees_half_an_archive(home):
    """Keeps opening the archives while they are replaced and restored."""
    home.learn_new()
    reader = subprocess.Popen(["/usr/bin/python3", "-c", """
import sys, time
paths = sys.argv[1:]
seen = 0
while True:
    for path in paths:
        data = open(path, 'rb').read()
        assert data[-22:-18] == b'PK\\5\\6', path
        seen += 1
    if seen % 100 == 0: print(seen, flush=True)
""", *[str(home.home / n) for n in home.old if n.endswith(".pk3")]], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for _ in range(3):
        home.repack()
        home.restore()
    assert reader.poll() is None, reader.stderr.read()
    reader.kill()
    reader.wait()
