"""`seekless place`: files that load together come to lie next to each other, on an ext4 of the test's own; bytes, names,
sizes and times stay the same at every moment, whatever ends it; `--undo` puts them back into their order."""
import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
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


@pytest.fixture
def disk(tmp_path):
    """An ext4 of 512 MB, of which nothing is written later but what is asked for."""
    image, folder = tmp_path / "image", tmp_path / "disk"
    folder.mkdir()
    with open(image, "wb") as file:
        file.truncate(512 * MIB)
    env = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
    subprocess.run(["mkfs.ext4", "-q", "-E", "lazy_itable_init=1", image], check=True, env=env)
    subprocess.run(["mount", "-o", "loop,noinit_itable", image, folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


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


def test_files_come_to_lie_in_load_order_with_the_same_bytes(tool, game, place):
    before = state_of(game)
    assert first_places(tool, game)[0] != sorted(first_places(tool, game)[0])
    answer = place()
    assert answer["way"] == "moved within ext4" and answer["moved_files"] == FILES
    (scenario,) = answer["scenarios"]
    assert scenario["after_s"] < scenario["before_s"] / 2
    assert state_of(game) == before
    os.sync()
    Path("/proc/sys/vm/drop_caches").write_text("3")
    assert state_of(game) == before
    places, fragments = first_places(tool, game)
    assert places == sorted(places) and fragments <= 3
    assert place()["moved_files"] == 0  # nothing is left to win


def test_a_dry_run_moves_nothing(tool, game, place, tmp_path):
    before = first_places(tool, game)
    answer = place("--dry-run")
    assert answer["dry_run"] and answer["moved_files"] == FILES
    assert answer["scenarios"][0]["after_s"] < answer["scenarios"][0]["before_s"] / 2
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


def test_killed_at_random_moments_no_byte_changes(tool, game, trace, tmp_path):
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
    image = next(path for path in tmp_path.iterdir() if path.name == "image")
    os.sync()
    checked = subprocess.run(["/usr/sbin/e2fsck", "-fn", image], capture_output=True, text=True)
    assert "Inode" not in checked.stdout or checked.returncode in (0, 4), checked.stdout
    assert sorted(os.listdir(game)) == sorted(before)


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


def test_what_has_no_room_stays_where_it_is(tool, disk, game, trace, tmp_path):
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    with open(disk / "full", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, free - 4 * MIB)
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


def test_elsewhere_files_are_copied_and_renamed(tool, tmp_path):
    """XFS, F2FS and others; here a disk that has no extents to exchange: ext4 with blocks of 1 KiB."""
    image, folder = tmp_path / "image", tmp_path / "disk"
    folder.mkdir()
    with open(image, "wb") as file:
        file.truncate(128 * MIB)
    subprocess.run(["/usr/sbin/mkfs.ext4", "-q", "-b", "1024", image], check=True)
    subprocess.run(["mount", "-o", "loop", image, folder], check=True)
    try:
        lines = []
        for number in (2, 0, 1):
            (folder / f"f{number}").write_bytes(noise(number, 500_000))
            (folder / f"b{number}").write_bytes(bytes(9 * MIB))
            os.utime(folder / f"f{number}", ns=(5, 1_000_000_007))
            os.setxattr(folder / f"f{number}", "user.kept", b"yes")
        subprocess.run(["sync", "-f", folder], check=True)
        for number in range(3):
            file = folder / f"f{number}"
            lines += [f'7 {number}.1 openat(AT_FDCWD</tmp>, "{file}", O_RDONLY) = 3<{file}> <0.0001>',
                      f'7 {number}.2 read(3<{file}>, ""..., 500000) = 500000 <0.0001>',
                      f"7 {number}.3 close(3<{file}>) = 0 <0.0001>"]
        (tmp_path / "a.strace").write_text("\n".join(lines) + "\n")
        before = tree(folder / ".")
        answer = tool.json("place", folder, tmp_path / "a.strace", "--state", tmp_path / "state")
        assert "copied and renamed" in answer["way"] and answer["moved_files"] == 3
        assert tree(folder) == before
        for number in range(3):
            assert (folder / f"f{number}").stat().st_mtime_ns == 1_000_000_007
            assert os.getxattr(folder / f"f{number}", "user.kept") == b"yes"
    finally:
        subprocess.run(["umount", folder], check=True)
