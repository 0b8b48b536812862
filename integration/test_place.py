"""`seekless place`: files that load together come to lie next to each other, on file systems of the test's own; bytes, names,
sizes and times stay the same at every moment, whatever ends it; `--undo` puts them back into their order."""
import contextlib
import fcntl
import json
import mmap
import os
import random
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from game import noise
from tool import USAGE, tree

MIB = 1 << 20


def why_not():
    if os.geteuid() != 0:
        return "mounting needs root"
    if not Path("/dev/loop-control").exists():
        return "there are no loop devices"
    if shutil.which("mkfs.ext4", path="/usr/sbin:/sbin:/usr/bin") is None:
        return "there is no mkfs.ext4"
    return None


pytestmark = [pytest.mark.alone, pytest.mark.skipif(why_not() is not None, reason=why_not() or "")]
FILES = 24


def program(name):
    return shutil.which(name, path="/usr/sbin:/sbin:/usr/bin")


def knows(file_system):
    return f"\t{file_system}\n" in Path("/proc/filesystems").read_text()


@contextlib.contextmanager
def mounted(tmp_path, megabytes, *make, options="loop"):
    """A file system of a test's own, of which nothing is written later but what is asked for."""
    if program(make[0]) is None or not knows(make[0].removeprefix("mkfs.")):
        pytest.skip(f"there is no {make[0]}, or Linux doesn't know it")
    image, folder = tmp_path / "image", tmp_path / "disk"
    folder.mkdir()
    with open(image, "wb") as file:
        file.truncate(megabytes * MIB)
    subprocess.run([program(make[0]), "-q", *make[1:], image], check=True)
    subprocess.run(["mount", "-o", options, image, folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


FILE_SYSTEMS = {
    "ext4": ("moved within ext4", ["mkfs.ext4", "-E", "lazy_itable_init=1"], "loop,noinit_itable",
             ["/usr/sbin/e2fsck", "-fn"]),
    "xfs": ("moved within XFS", ["mkfs.xfs"], "loop", ["/usr/sbin/xfs_repair", "-n"]),
    "xfs-rmap": ("moved within XFS", ["mkfs.xfs", "-m", "rmapbt=1"], "loop", ["/usr/sbin/xfs_repair", "-n"]),
}


@pytest.fixture(params=FILE_SYSTEMS)
def kind(request):
    return request.param


@pytest.fixture
def disk(tmp_path, kind):
    _, make, options, _ = FILE_SYSTEMS[kind]
    with mounted(tmp_path, 512, *make, options=options) as folder:
        yield folder


@pytest.fixture
def game(disk):
    """Files that lie far apart in an order of their own, with others in between, which go again."""
    folder = disk / "game"
    folder.mkdir()
    numbers = list(range(FILES))
    random.Random(1).shuffle(numbers)
    for number in numbers:
        (folder / f"f{number:02}").write_bytes(noise(number, 300_000 + 4_321 * number))
        (disk / f"between{number}").write_bytes(bytes(6 * MIB))
        subprocess.run(["sync", "-f", disk], check=True)
    for file in disk.glob("between*"):
        if int(file.name[7:]) % 2:
            file.unlink()
    subprocess.run(["sync", "-f", disk], check=True)
    return folder


def trace_of(files, text):
    """A load that reads all of them, as strace prints it."""
    lines, clock = [], 1_700_000_000.0
    for file in files:
        for call in [f'openat(AT_FDCWD</tmp>, "{file}", O_RDONLY) = 3<{file}>',
                     *[f'pread64(3<{file}>, ""..., 65536, {at}) = {min(65536, file.stat().st_size - at)}'
                       for at in range(0, file.stat().st_size, 65536)], f"close(3<{file}>) = 0"]:
            clock += 0.001
            lines.append(f"7 {clock:.6f} {call} <0.0001>")
    text.write_text("\n".join(lines) + "\n")
    return text


@pytest.fixture
def trace(game, tmp_path):
    return trace_of(sorted(game.iterdir()), tmp_path / "map.1.strace")


@pytest.fixture
def parts(game):
    """The game's files in two folders, whose names are the same, and some beside them."""
    for number in range(FILES - 4):
        folder = game / f"part{number % 2}"
        folder.mkdir(exist_ok=True)
        (game / f"f{number:02}").rename(folder / f"g{number // 2:02}")
    return sorted(game.iterdir())


@pytest.fixture
def place(tool, game, trace, tmp_path):
    return lambda *options: tool.json("place", game, trace, "--state", tmp_path / "state", *options)


def first_places(tool, folder):
    found = tool.json("where", *sorted(folder.iterdir()), "--extents")
    return [file["first_place"] for file in found["files"]], found["fragments"]


def state_of(folder):
    return {file.name: (file.read_bytes(), file.stat().st_mtime_ns, file.stat().st_ino, file.stat().st_mode)
            for file in sorted(folder.iterdir())}


def is_halved(scenario, kind):
    """But for what finding the files takes, which stays: on ext4 a folder's list and its inodes."""
    finding_s = 0.025 if kind == "ext4" else 0
    return scenario["after_s"] - finding_s < (scenario["before_s"] - finding_s) / 2


def test_files_come_to_lie_in_load_order_with_the_same_bytes(tool, game, place, kind):
    before = state_of(game)
    assert first_places(tool, game)[0] != sorted(first_places(tool, game)[0])
    answer = place()
    assert answer["way"] == FILE_SYSTEMS[kind][0] and answer["moved_files"] == FILES
    (scenario,) = answer["scenarios"]
    assert is_halved(scenario, kind)
    assert state_of(game) == before
    os.sync()
    Path("/proc/sys/vm/drop_caches").write_text("3")
    assert state_of(game) == before
    places, fragments = first_places(tool, game)
    assert places == sorted(places) and fragments <= 3
    assert place()["moved_files"] == 0  # nothing is left to win


def test_a_dry_run_moves_nothing(tool, game, place, kind, tmp_path):
    before = first_places(tool, game)
    answer = place("--dry-run")
    assert answer["dry_run"] and answer["moved_files"] == FILES
    assert is_halved(answer["scenarios"][0], kind)
    assert first_places(tool, game) == before
    assert not (tmp_path / "state").exists()


def test_undo_brings_the_earlier_order_back(tool, game, place, tmp_path):
    bytes_before = tree(game)
    order = [name for _, name in sorted(zip(first_places(tool, game)[0], sorted(os.listdir(game))))]
    place()
    answer = tool.json("place", game, "--undo", "--state", tmp_path / "state")
    assert answer["put_back"] == FILES
    assert [name for _, name in sorted(zip(first_places(tool, game)[0], sorted(os.listdir(game))))] == order
    assert tree(game) == bytes_before
    tool.run("place", game, "--undo", "--state", tmp_path / "state").says("placed before", "none")


def test_several_files_and_folders_are_placed_as_one(tool, game, parts, tmp_path):
    files = sorted(file for file in game.rglob("*") if file.is_file())
    trace, state = trace_of(files, tmp_path / "map.1.strace"), ["--state", tmp_path / "state"]
    before = tree(game)
    answer = tool.json("place", *parts, trace, *state)
    assert answer["moved_files"] == FILES and answer["paths"] == [str(path) for path in parts]
    found = tool.json("where", *files)
    places = [file["first_place"] for file in found["files"]]
    assert places == sorted(places) and found["fragments"] <= 3
    assert tree(game) == before
    # What is named alone is put back alone; the rest is still known.
    assert tool.json("place", parts[0], "--undo", *state)["put_back"] == 1
    assert tool.json("place", *parts[1:], "--undo", *state)["put_back"] == FILES - 1
    tool.run("place", *parts, "--undo", *state).says("placed before", "none")
    assert tree(game) == before


def test_recordings_are_told_from_files_by_what_is_in_them(tool, game, trace, tmp_path):
    """Also a text that looks like a list of paths; a recording that is named like a file of the game; a list that is one."""
    state = ["--dry-run", "--state", tmp_path / "state"]
    (game / "readme.txt").write_text("data/first\ndata/second\n")
    trace = Path(shutil.move(trace, game / "z.pak"))
    files = [game / f"f{number:02}" for number in range(8)]
    assert tool.json("place", *files, game / "readme.txt", trace, *state)["moved_files"] == 8
    assert tool.json("place", trace, "--content", *files, *state)["moved_files"] == 8
    assert tool.json("place", game, game / "f03", trace, *state)["paths"] == [str(game)]
    (tmp_path / "list.txt").write_text("".join(f"{file}\n" for file in files))
    assert tool.json("place", game, tmp_path / "list.txt", *state)["moved_files"] == 8
    (tmp_path / "noise").write_bytes(noise(1, 5000))
    tool.run("place", game, tmp_path / "noise", *state).says("noise", "a trace")


def test_one_at_a_time(tool, game, trace, tmp_path):
    state = tmp_path / "state"
    state.mkdir()
    before = first_places(tool, game)
    held = os.open(state, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        tool.run("place", game, trace, "--state", state).says("no other place", "wait")
    finally:
        os.close(held)
    assert first_places(tool, game) == before


def check_file_system(tmp_path, kind):
    """By its own checker, with nothing left to be written."""
    _, _, options, checker = FILE_SYSTEMS[kind]
    subprocess.run(["umount", tmp_path / "disk"], check=True)
    # Other programs' name spaces may have a copy of the mount for a while.
    end = time.monotonic() + 60
    while subprocess.run(["losetup", "-j", tmp_path / "image"], capture_output=True).stdout:
        assert time.monotonic() < end, "another mount name space holds the file system"
        time.sleep(0.05)
    checked = subprocess.run([*checker, tmp_path / "image"], capture_output=True, text=True)
    subprocess.run(["mount", "-o", options, tmp_path / "image", tmp_path / "disk"], check=True)
    assert checked.returncode == 0, checked.stdout


def test_killed_at_random_moments_no_byte_changes(tool, game, trace, tmp_path, kind):
    before = state_of(game)
    chosen = random.Random(2)
    for _ in range(int(os.environ.get("SEEKLESS_PLACE_KILLS", 12))):
        child = subprocess.Popen(tool.command("place", game, trace, "--state", tmp_path / "state"),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chosen.random() * 0.25)
        child.send_signal(chosen.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT]))
        child.wait()
        assert state_of(game) == before
        tool.run("place", game, "--undo", "--state", tmp_path / "state")
        assert state_of(game) == before
    check_file_system(tmp_path, kind)
    assert state_of(game) == before


class Writer(threading.Thread):
    """Writes into a file again and again, in its own way, and knows what it wrote."""

    def __init__(self, file, write):
        super().__init__()
        self.file, self.write, self.ends = file, write, threading.Event()
        self.bytes = bytearray(file.read_bytes())

    def run(self):
        chosen = random.Random(self.file.name)
        while not self.ends.is_set():
            at, text = chosen.randrange(len(self.bytes) - 5000), chosen.randbytes(chosen.choice([1, 300, 5000]))
            self.write(self.file, at, text)
            self.bytes[at:at + len(text)] = text
            time.sleep(chosen.random() * 0.05)


def write_by_call(file, at, text):
    with open(file, "r+b", buffering=0) as opened:
        opened.seek(at)
        opened.write(text)


def write_by_map(file, at, text):
    with open(file, "r+b") as opened, mmap.mmap(opened.fileno(), 0) as memory:
        memory[at:at + len(text)] = text


def test_nothing_is_lost_of_what_programs_write_meanwhile(tool, game, trace, tmp_path):
    writers = [Writer(game / f"f{number:02}", (write_by_call, write_by_map)[number % 2]) for number in range(0, FILES, 3)]
    for writer in writers:
        writer.start()
    moved = 0
    try:
        for _ in range(6):
            tool.ok("place", game, trace, "--state", tmp_path / "state", "--json", tmp_path / "r.json")
            moved += json.loads((tmp_path / "r.json").read_text())["moved_files"]
            tool.ok("place", game, "--undo", "--state", tmp_path / "state")
    finally:
        for writer in writers:
            writer.ends.set()
            writer.join()
    assert moved > 0
    for _ in "memory", "disk":
        for writer in writers:
            assert writer.file.read_bytes() == writer.bytes
        os.sync()
        Path("/proc/sys/vm/drop_caches").write_text("3")


@pytest.mark.parametrize("kind", ["xfs"], indirect=True)
def test_on_xfs_what_is_open_for_writing_stays(tool, game, trace, tmp_path):
    before = first_places(tool, game)[0]
    with open(game / "f07", "r+b"), open(game / "f08", "rb"):
        answer = tool.ok("place", game, trace, "--state", tmp_path / "state", "--json", tmp_path / "r.json")
    assert "f07: is being written; it stays" in answer.err and "f08" not in answer.err
    assert json.loads((tmp_path / "r.json").read_text())["moved_files"] == FILES - 1
    after = first_places(tool, game)[0]
    assert [number for number in range(FILES) if before[number] == after[number]] == [7]


def test_sparse_files_and_hard_links_stay_what_they_are(tool, game, place):
    with open(game / "f03", "r+b") as file:
        file.truncate(20 * MIB)
    os.link(game / "f05", game / "twin")
    (game / "alias").symlink_to("f06")
    before, blocks = tree(game), (game / "f03").stat().st_blocks
    answer = place()
    assert answer["moved_files"] >= FILES - 2
    assert tree(game) == before
    assert (game / "f03").stat().st_blocks <= blocks + 8
    assert (game / "f05").stat().st_ino == (game / "twin").stat().st_ino


def fill(disk, left):
    """More than once: XFS tells of some room only a while after a file has gone."""
    with open(disk / "full", "wb") as file:
        for _ in range(20):
            os.sync()
            free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
            if free > left:
                os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, free - left)
            time.sleep(0.05)


def test_what_has_no_room_stays_where_it_is(tool, disk, game, trace, tmp_path):
    fill(disk, 4 * MIB)
    before = first_places(tool, game)
    answer = tool.ok("place", game, trace, "--state", tmp_path / "state", "--json", tmp_path / "r.json")
    assert "free room" in answer.err
    assert json.loads((tmp_path / "r.json").read_text())["moved_files"] == 0
    assert first_places(tool, game) == before


def test_what_is_wrong_is_told(tool, game, trace, tmp_path):
    assert tool.run("place", game).says("recordings").code == USAGE
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("x")
    tool.run("place", tmp_path / "elsewhere", trace, "--state", tmp_path / "state").says("none", "--map")
    tool.run("place", tmp_path / "nowhere", trace).says("nowhere")
    tool.run("place", game, tmp_path / "nowhere.trace").says("nowhere.trace")
    tool.run("place", game, tmp_path / "elsewhere", trace).says("elsewhere", "one file system")
    assert tool.run("place").says("files or folders").code == USAGE


def test_what_lies_on_another_file_system_is_told_and_left_out(tool, game, tmp_path):
    other = game / "other"
    other.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "none", other], check=True)
    try:
        (other / "movie").write_bytes(noise(1, 100_000))
        # It is read first, and is nevertheless not what the others are measured by.
        trace = trace_of([other / "movie", *sorted(game.glob("f*"))], tmp_path / "map.1.strace")
        answer = tool.ok("place", game, trace, "--state", tmp_path / "state")
    finally:
        subprocess.run(["umount", other], check=True)
    assert "other/movie: lies on another file system, left out" in answer.err
    assert f"{FILES} files" in answer.text, answer.text


COPYING = {
    "ext4 with blocks of 1 KiB": ["mkfs.ext4", "-b", "1024"],
    "btrfs": ["mkfs.btrfs"],
    "XFS without clones": ["mkfs.xfs", "-m", "reflink=0"],
}


@pytest.mark.parametrize("name", COPYING)
def test_elsewhere_files_are_copied_and_renamed(tool, tmp_path, name):
    """F2FS and others, too; where XFS has no clones, the way is found out file by file."""
    with mounted(tmp_path, 400, *COPYING[name]) as folder:
        for number in (2, 0, 1):
            (folder / f"f{number}").write_bytes(noise(number, 500_000))
            (folder / f"b{number}").write_bytes(noise(number + 9, 9 * MIB))
            os.utime(folder / f"f{number}", ns=(5, 1_000_000_007))
            os.setxattr(folder / f"f{number}", "user.kept", b"yes")
            subprocess.run(["sync", "-f", folder], check=True)
        files = [folder / f"f{number}" for number in range(3)]
        trace = trace_of(files, tmp_path / "a.strace")
        before, numbers = tree(folder / "."), [file.stat().st_ino for file in files]
        answer = tool.json("place", folder, trace, "--state", tmp_path / "state")
        assert answer["moved_files"] == 3
        assert tree(folder) == before
        assert all(file.stat().st_ino != number for file, number in zip(files, numbers))
        for file in files:
            assert file.stat().st_mtime_ns == 1_000_000_007
            assert os.getxattr(file, "user.kept") == b"yes"
        assert ("copied and renamed" in answer["way"]) == (name != "XFS without clones")
