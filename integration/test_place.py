"""`seekless place`: files that load together are moved next to each other, on the tests' own file systems. Bytes,
names, sizes and times stay the same at every moment, even if the command is killed. `--undo` restores the files'
order."""
import fcntl
import json
import mmap
import os
import random
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest

import own_disks
import page_cache
import place_kills
from game import noise
from own_disks import MIB
from strace_lines import load_of
from tool import USAGE, tree

pytestmark = pytest.mark.skipif(own_disks.why_not() is not None, reason=own_disks.why_not() or "")
FILES = 24
ANYBODY = 12345
SHARING = "moved within the file system, by sharing a copy"
COPYING = "copied and renamed, as this file system can't move files"
WAYS = {"ext4": "moved within ext4", "xfs": "moved within XFS", "xfs-rmap": "moved within XFS", "btrfs": SHARING}


@pytest.fixture(params=WAYS)
def kind(request):
    return request.param


@pytest.fixture
def own_disk(tmp_path, kind):
    with own_disks.mounted(tmp_path, kind, 512) as disk:
        yield disk


@pytest.fixture
def disk(own_disk):
    return own_disk.folder


@pytest.fixture
def game(disk):
    """Makes files that lie far apart in a random order; the files in between are removed again."""
    folder = disk / "game"
    folder.mkdir()
    numbers = list(range(FILES))
    random.Random(1).shuffle(numbers)
    for number in numbers:
        (folder / f"f{number:02}").write_bytes(noise(number, 300_000 + 4_321 * number))
        (disk / f"between{number}").write_bytes(bytes(6 * MIB))
        page_cache.write_back(disk)
    for file in disk.glob("between*"):
        if int(file.name[7:]) % 2:
            file.unlink()
    page_cache.write_back(disk)
    return folder


@pytest.fixture
def trace(game, tmp_path):
    return load_of(sorted(game.iterdir()), tmp_path / "map.1.strace")


@pytest.fixture
def parts(game):
    """Puts the game's files into two folders with the same file names, and some beside the folders."""
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
    """Returns True if the load's time is halved. Ignores the time to find the files, which doesn't change: on ext4 a
    folder's list and its inodes."""
    finding_s = 0.025 if kind == "ext4" else 0
    return scenario["after_s"] - finding_s < (scenario["before_s"] - finding_s) / 2


def test_files_come_to_lie_in_load_order_with_the_same_bytes(tool, game, place, kind):
    before = state_of(game)
    assert first_places(tool, game)[0] != sorted(first_places(tool, game)[0])
    answer = place()
    assert answer["way"] == WAYS[kind] and answer["moved_files"] == FILES
    (scenario,) = answer["scenarios"]
    assert is_halved(scenario, kind)
    assert state_of(game) == before
    page_cache.forget(game)
    assert state_of(game) == before
    places, fragments = first_places(tool, game)
    assert places == sorted(places) and fragments <= 3
    assert place()["moved_files"] == 0  # nothing is left to gain


def test_a_dry_run_moves_nothing(tool, game, place, kind, tmp_path):
    before = first_places(tool, game)
    answer = place("--dry-run")
    assert answer["dry_run"] and answer["moved_files"] == FILES
    assert is_halved(answer["scenarios"][0], kind)
    assert first_places(tool, game) == before
    assert not (tmp_path / "state").exists()


def names_by_place(tool, game):
    return [name for _, name in sorted(zip(first_places(tool, game)[0], sorted(os.listdir(game))))]


def test_undo_brings_the_earlier_order_back(tool, game, place, tmp_path, kind):
    bytes_before = tree(game)
    order = names_by_place(tool, game)
    place()
    answer = tool.json("place", game, "--undo", "--state", tmp_path / "state")
    assert answer["put_back"] == FILES
    now = [order.index(name) for name in names_by_place(tool, game)]
    # On Btrfs, `place` can only ask for room behind the previous file.
    assert sum(a > b for a, b in zip(now, now[1:])) <= (2 if kind == "btrfs" else 0), now
    assert tree(game) == bytes_before
    tool.run("place", game, "--undo", "--state", tmp_path / "state").says("placed before", "none")


SPOILED = {
    "the folder": lambda kept: kept.parent.chmod(0o777),
    "the list": lambda kept: kept.chmod(0o666),
    "another's folder": lambda kept: os.chown(kept.parent, ANYBODY, ANYBODY),
    "another's list": lambda kept: os.chown(kept, ANYBODY, ANYBODY),
    "a link": lambda kept: (kept.rename(kept.with_name("else")), kept.symlink_to("else")),
}


@pytest.mark.parametrize("kind", ["ext4"], indirect=True)
def test_what_others_may_have_written_is_not_used(tool, game, trace, place, tmp_path):
    place()
    kept = next((tmp_path / "state").glob("*.json"))
    text, before = kept.read_bytes(), state_of(game)
    for way, spoil in SPOILED.items():
        spoil(kept)
        for words in (["--undo"], [trace]):
            tool.run("place", game, *words, "--state", tmp_path / "state").says("yours", "--state")
        shutil.rmtree(kept.parent)
        kept.parent.mkdir(mode=0o700)
        kept.write_bytes(text)
    assert state_of(game) == before
    assert tool.json("place", game, "--undo", "--state", tmp_path / "state")["put_back"] == FILES


@pytest.mark.parametrize("kind", ["ext4"], indirect=True)
def test_an_undo_list_leads_nowhere_else_but_where_links_lead(tool, disk, game, tmp_path):
    linked, elsewhere = disk / "linked" / "data", disk / "elsewhere" / "data"
    for file in (linked, elsewhere):
        file.parent.mkdir()
        file.write_bytes(noise(3, 400_000))
    (game / "alias").symlink_to(linked)
    state = ["--state", tmp_path / "state"]
    tool.ok("place", game, load_of([*sorted(game.glob("f*")), game / "alias"], tmp_path / "map.1.strace"), *state)
    kept = next((tmp_path / "state").glob("*.json"))
    listed = json.loads(kept.read_text())
    assert str(linked) in [file["path"] for file in listed["files"]]
    listed["files"] += [{"path": str(path), "place": 4096} for path in (elsewhere, game / ".." / "elsewhere" / "data")]
    kept.write_text(json.dumps(listed))
    left = elsewhere.with_name(".seekless-0123456789abcdef.tmp")
    left.write_bytes(b"x")
    before = first_places(tool, elsewhere.parent)
    answer = tool.ok("place", game, "--undo", *state, "--json", tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["put_back"] == FILES + 1
    assert answer.err.count("left alone") == 2 and str(elsewhere) in answer.err
    assert left.exists() and first_places(tool, elsewhere.parent) == before


def test_several_files_and_folders_are_placed_as_one(tool, game, parts, tmp_path):
    files = sorted(file for file in game.rglob("*") if file.is_file())
    trace, state = load_of(files, tmp_path / "map.1.strace"), ["--state", tmp_path / "state"]
    before = tree(game)
    answer = tool.json("place", *parts, trace, *state)
    assert answer["moved_files"] == FILES and answer["paths"] == [str(path) for path in parts]
    found = tool.json("where", *files)
    places = [file["first_place"] for file in found["files"]]
    assert places == sorted(places) and found["fragments"] <= 3
    assert tree(game) == before
    # If only one path is named, only that one is put back; the others stay in the list.
    assert tool.json("place", parts[0], "--undo", *state)["put_back"] == 1
    assert tool.json("place", *parts[1:], "--undo", *state)["put_back"] == FILES - 1
    tool.run("place", *parts, "--undo", *state).says("placed before", "none")
    assert tree(game) == before


def test_recordings_are_told_from_files_by_what_is_in_them(tool, game, trace, tmp_path):
    """The arguments include a text that looks like a list of paths, a recording named like a file of the game, and a
    real list."""
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


def test_several_images_need_no_recording(tool, disk, tmp_path):
    """The last image isn't treated as a recording, because it has the same extension as the one before. This rule
    applies to images only: an unreadable recording doesn't become content beside another one."""
    discs = [disk / "disc1.iso", disk / "disc2.ISO"]
    for number, disc in enumerate(discs):
        disc.write_bytes(noise(number, 500_000))
    page_cache.write_back(disk)
    state = ["--dry-run", "--state", tmp_path / "state"]
    assert tool.json("place", *discs, *state)["paths"] == [str(disc) for disc in discs]
    odd = disk / "disc2.trace"
    discs[1].rename(odd)
    tool.run("place", discs[0], odd, *state).says("disc2.trace", "a trace")
    sheets = [disk / "one.m3u", disk / "two.m3u"]
    for sheet in sheets:
        sheet.write_text("disc1.iso\ndisc2.trace\n")
    assert set(tool.json("place", *sheets, *state)["paths"]) == {str(path) for path in [*sheets, discs[0], odd]}
    other = disk / "disc1.trace"
    other.write_bytes(noise(3, 5000))
    tool.run("place", other, odd, *state).says("disc2.trace", "a trace")


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


@pytest.mark.parametrize("name", [*WAYS, "ext4 with blocks of 1 KiB"])
def test_killed_at_random_moments_nothing_of_any_file_changes(tool, tmp_path, name):
    figures = place_kills.campaign(tool, tmp_path, name, int(os.environ.get("SEEKLESS_PLACE_KILLS", 12)), seed=2)
    assert not figures.wrong and figures.kills > 0, "\n".join([str(figures), *figures.wrong])


@pytest.fixture
def open_folder(tool):
    """A folder that every user may enter, as the tool's must be."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        try:
            subprocess.run([tool.binary, "--version"], user=ANYBODY, group=ANYBODY, cwd=folder, check=True, capture_output=True)
        except PermissionError:
            pytest.skip(f"other users may not look into {folder}, or call {tool.binary}")
        yield Path(folder)


def test_killed_by_an_ordinary_user_nothing_changes_and_what_is_of_others_stays(tool, open_folder):
    figures = place_kills.campaign(tool, open_folder, "btrfs", 6, seed=3, user=ANYBODY)
    assert not figures.wrong, "\n".join([str(figures), *figures.wrong])


class Writer(threading.Thread):
    """Keeps writing to a file, in its own way, and knows what it wrote."""

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
        page_cache.forget(game)


@pytest.mark.parametrize("kind", ["xfs"], indirect=True)
def test_what_could_not_be_put_back_is_put_back_by_the_next_undo(tool, game, place, tmp_path):
    place()
    undo = ["place", game, "--undo", "--state", tmp_path / "state"]
    with open(game / "f07", "r+b"):
        first = tool.ok(*undo, "--json", tmp_path / "r.json")
    assert "f07: is being written; it stays" in first.err and "run this again" in first.err
    assert json.loads((tmp_path / "r.json").read_text())["put_back"] == FILES - 1
    assert tool.json(*undo)["put_back"] == FILES
    tool.run(*undo).says("placed before", "none")


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


def test_a_file_with_two_names_is_moved_once(tool, game, tmp_path):
    os.link(game / "f05", game / "twin")
    before = tree(game)
    answer = tool.ok("place", game, load_of(sorted(game.iterdir()), tmp_path / "map.1.strace"),
                     "--state", tmp_path / "state", "--json", tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["moved_files"] == FILES
    assert "stays" not in answer.err
    assert tree(game) == before
    assert (game / "f05").stat().st_ino == (game / "twin").stat().st_ino


def fill(disk, left):
    """Fills the disk. Tries more than once, because XFS reports some room only a while after a file was removed."""
    with open(disk / "full", "wb") as file:
        for _ in range(20):
            page_cache.write_back(disk)
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
        # The load reads this file first, but the other files determine the file system.
        trace = load_of([other / "movie", *sorted(game.glob("f*"))], tmp_path / "map.1.strace")
        answer = tool.ok("place", game, trace, "--state", tmp_path / "state")
    finally:
        subprocess.run(["umount", other], check=True)
    assert "other/movie: lies on another file system, left out" in answer.err
    assert f"{FILES} files" in answer.text, answer.text


ELSEWHERE = {"ext4 with blocks of 1 KiB": COPYING, "XFS without clones": "moved within XFS"}


@pytest.fixture(params=ELSEWHERE)
def copying(request, tmp_path):
    """A file system where copies take files' names. On XFS without clones, `place` finds that out file by file."""
    with own_disks.mounted(tmp_path, request.param, 400) as disk:
        yield request.param, three_files(disk.folder)


def three_files(folder):
    for number in (2, 0, 1):
        (folder / f"f{number}").write_bytes(noise(number, 500_000))
        (folder / f"b{number}").write_bytes(noise(number + 9, 9 * MIB))
        page_cache.write_back(folder)
    return [folder / f"f{number}" for number in range(3)]


@pytest.fixture
def place_three(tool, tmp_path):
    def place(files):
        trace = load_of(files, tmp_path / "a.strace")
        return tool.ok("place", files[0].parent, trace, "--state", tmp_path / "state", "--json", tmp_path / "r.json")
    return place


def test_elsewhere_files_are_copied_and_renamed(place_three, copying, tmp_path):
    name, files = copying
    for file in files:
        os.setxattr(file, "user.kept", b"yes")
        file.chmod(0o4750)
        os.utime(file, ns=(5, 1_000_000_007))
    before, numbers = [place_kills.all_of(file, False) for file in files], [file.stat().st_ino for file in files]
    place_three(files)
    answer = json.loads((tmp_path / "r.json").read_text())
    assert answer["moved_files"] == 3 and answer["way"] == ELSEWHERE[name]
    assert [place_kills.all_of(file, False) for file in files] == before
    assert all(file.stat().st_ino != number for file, number in zip(files, numbers))


class Program:
    """Has one file open to append to, and another one mapped, whose descriptor it has closed."""

    def __init__(self, appended, mapped):
        self.appended = open(appended, "ab", buffering=0)
        with open(mapped, "r+b") as file:
            self.mapped = mmap.mmap(file.fileno(), 0)

    def write(self):
        self.appended.write(b"SAVED")
        self.mapped[:6] = b"MAPPED"
        self.appended.close()
        self.mapped.close()


def test_elsewhere_what_a_program_has_open_stays_and_gets_what_it_writes(place_three, copying, tmp_path):
    _, files = copying
    program = Program(files[0], files[1])
    with open(files[2], "rb"):
        answer = place_three(files)
    assert [file.name for file in files if f"{file}: is " in answer.err] == ["f0", "f1", "f2"], answer.err
    program.write()
    assert files[0].read_bytes().endswith(b"SAVED") and files[1].read_bytes().startswith(b"MAPPED")
    assert json.loads((tmp_path / "r.json").read_text())["moved_files"] == 0


def test_elsewhere_what_a_copy_cannot_be_stays_and_says_why(place_three, copying):
    _, files = copying
    os.link(files[0], files[0].with_name("twin"))
    subprocess.run(["chattr", "+i", files[1]], check=True)
    numbers = [file.stat().st_ino for file in files]
    try:
        said = place_three(files).err
    finally:
        subprocess.run(["chattr", "-i", files[1]], check=True)
    assert f"{files[0]}: has 2 names" in said and str(files[1]) in said, said
    assert [file.stat().st_ino == number for file, number in zip(files, numbers)] == [True, True, False]


def test_what_a_killed_run_left_is_cleared_and_no_others(tool, place_three, copying, tmp_path):
    """It also works for files that only their owner may write."""
    _, files = copying
    place_three(files)
    left = files[0].with_name(".seekless-0123456789abcdef.tmp")
    left.write_bytes(b"x")
    left.chmod(0o400)
    running = files[0].with_name(".seekless-fedcba9876543210.tmp")
    mine = files[0].with_name(".seekless-notes.tmp")
    mine.touch()
    with open(running, "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        place_three(files)
        assert not left.exists() and running.exists() and mine.exists()
    tool.ok("place", files[0].parent, "--undo", "--state", tmp_path / "state")
    assert not running.exists() and mine.exists()


@pytest.fixture
def btrfs(tmp_path):
    with own_disks.mounted(tmp_path, "btrfs", 400) as disk:
        yield three_files(disk.folder)


def test_on_btrfs_files_that_are_open_mapped_or_have_several_names_are_moved_as_they_are(place_three, btrfs, tmp_path):
    files = btrfs
    os.link(files[2], files[2].with_name("twin"))
    files[2].chmod(0o4755)
    before = [place_kills.all_of(file, True) for file in files]
    program = Program(files[0], files[1])
    place_three(files)
    assert json.loads((tmp_path / "r.json").read_text())["moved_files"] == 3
    assert [place_kills.all_of(file, True) for file in files] == before
    program.write()
    assert files[0].read_bytes().endswith(b"SAVED") and files[1].read_bytes().startswith(b"MAPPED")


def test_on_btrfs_files_without_checksums_are_moved_and_stay_so(place_three, btrfs, tmp_path):
    plain = btrfs[0].with_name("plain")
    plain.touch()
    subprocess.run(["chattr", "+C", plain], check=True)
    plain.write_bytes(noise(9, 300_000))
    files = [btrfs[0], plain, btrfs[2]]
    before = [place_kills.all_of(file, True) for file in files]
    place_three(files)
    assert json.loads((tmp_path / "r.json").read_text())["moved_files"] == 3
    assert [place_kills.all_of(file, True) for file in files] == before


def test_on_btrfs_compressed_files_stay_compressed(tool, place_three, btrfs, tmp_path):
    for file in btrfs:
        file.write_bytes(noise(7, 60_000) + bytes(3_000_000) + noise(8, 60_000))
        subprocess.run(["btrfs", "filesystem", "defragment", "-czstd", file], check=True, stdout=subprocess.DEVNULL)
    page_cache.write_back(btrfs[0])
    used = shutil.disk_usage(btrfs[0]).used
    before = [place_kills.all_of(file, True) for file in btrfs]
    place_three(btrfs)
    page_cache.write_back(btrfs[0])
    assert [place_kills.all_of(file, True) for file in btrfs] == before
    assert shutil.disk_usage(btrfs[0]).used < used + 4 * MIB


def test_on_btrfs_what_a_snapshot_holds_stays_there(place_three, btrfs, tmp_path):
    folder = btrfs[0].parent
    subprocess.run(["btrfs", "subvolume", "snapshot", "-r", folder, folder / "snapshot"], check=True,
                   stdout=subprocess.DEVNULL)
    place_three(btrfs)
    assert json.loads((tmp_path / "r.json").read_text())["moved_files"] == 3
    for file in btrfs:
        assert (folder / "snapshot" / file.name).read_bytes() == file.read_bytes()


def test_on_an_overlay_files_are_not_moved_as_it_tells_of_no_mappings(tool, tmp_path):
    with own_disks.mounted(tmp_path, "ext4", 64) as disk:
        lower, upper, work, merged = (disk.folder / name for name in ("lower", "upper", "work", "merged"))
        for folder in (lower, upper, work, merged):
            folder.mkdir()
        (lower / "file").write_bytes(noise(1, 100_000))
        subprocess.run(["mount", "-t", "overlay", "none", "-o",
                        f"lowerdir={lower},upperdir={upper},workdir={work}", merged], check=True)
        try:
            trace = load_of([merged / "file"], tmp_path / "a.strace")
            for option in ["--dry-run"], []:
                tool.run("place", merged, trace, *option, "--state", tmp_path / "state").says("overlay", "Btrfs")
        finally:
            subprocess.run(["umount", merged], check=True)
        assert not list(upper.iterdir())
