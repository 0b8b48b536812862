"""seekless prove on an emulated disk: its measurements, and the files that remain after failures. No test compares wall
time; the disk's own busy seconds don't depend on the host."""
import contextlib
import ctypes
import hashlib
import json
import mmap
import os
import pty
import re
import select
import signal
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import pytest

import page_cache
from own_disks import NEEDS_EMULATED_DISK, mounted
from tool import DONE, FAILED, OWN_MOUNTS, TOP, USAGE, check_schema

sys.path.insert(0, str(TOP / "integration" / "hdd"))
import bench

DRIVE = "wd-black-1tb"
FILES, FILE_BYTES = 60, 200_000
WAIT_S = 60

pytestmark = NEEDS_EMULATED_DISK


class SmallGame:
    """Loose files, and recordings of two loads that read half of each file in a random order."""

    def __init__(self, folder):
        self.folder = folder / "secret-game"
        self.folder.mkdir()
        for number in range(FILES):
            seed = hashlib.sha256(str(number).encode()).digest()
            self.file(number).write_bytes((seed * (FILE_BYTES // len(seed) + 1))[:FILE_BYTES])
        self.traces = [self.record(folder / f"secret-load{load}.trace", step) for load, step in enumerate((7, 23))]

    def file(self, number):
        return self.folder / f"secret-file{number:02}.dat"

    def record(self, trace, step):
        lines = [{"seekless": "trace", "version": 1, "scenario": trace.stem}]
        for number in range(FILES // 2):
            lines += [{"path": str(self.file(number * step % FILES))}, {"gap": 1, "open": True},
                      {"gap": 1, "file": number, "at": 0, "read": FILE_BYTES}]
        trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return trace

    def hashes(self):
        return [hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(self.folder.iterdir())]


class SmallArchive(SmallGame):
    """The same files as SmallGame's, stored in one archive."""

    def __init__(self, folder):
        super().__init__(folder)
        archive = self.folder / "secret-archive.zip"
        with zipfile.ZipFile(archive, "w") as out:
            for number in range(FILES):
                out.write(self.file(number), self.file(number).name)
                self.file(number).unlink()
        with zipfile.ZipFile(archive) as made:
            self.begins = [info.header_offset for info in made.infolist()]
        self.traces = [self.record_archive(archive, folder / f"secret-load{load}.trace", step)
                       for load, step in enumerate((7, 23))]

    def record_archive(self, archive, trace, step):
        size = archive.stat().st_size
        lines = [{"seekless": "trace", "version": 1, "scenario": trace.stem},
                 {"path": str(archive)}, {"gap": 1, "open": True},
                 {"gap": 1, "file": 0, "at": size - 4096, "read": 4096}]
        for number in range(FILES // 2):
            begin = self.begins[number * step % FILES]
            lines.append({"gap": 1, "file": 0, "at": begin, "read": min(FILE_BYTES + 60, size - begin)})
        trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return trace


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    with bench.Disk(tmp_path_factory.mktemp("prove") / "disk", "--drive", DRIVE, "--size", "8G") as disk:
        yield disk


@pytest.fixture(scope="module")
def game(disk):
    game = SmallGame(Path(disk.folder))
    page_cache.write_back(disk.folder)
    return game


@pytest.fixture(scope="module")
def archive(disk):
    folder = Path(disk.folder) / "archived"
    folder.mkdir()
    archive = SmallArchive(folder)
    page_cache.write_back(disk.folder)
    return archive


@pytest.fixture(scope="module")
def packs(game, disk, tool, tmp_path_factory):
    layout = tmp_path_factory.mktemp("plan") / "layout.json"
    tool.ok("plan", *game.traces, "--content", game.folder, "-o", layout)
    tool.ok("pack", layout, "-o", Path(disk.folder) / "packs")
    page_cache.write_back(disk.folder)
    return Path(disk.folder) / "packs"


def words(game, rounds=1):
    return ["prove", *game.traces, "--content", game.folder, "--drive", DRIVE, "--rounds", rounds]


def predicted_of_drive(answer):
    return sum(load[side]["predicted_drive_s"] for load in answer["loads"] for side in ("before", "after"))


def left_in(folder):
    return sorted(path.name for path in Path(folder).iterdir() if path.name.startswith(".seekless"))


def test_the_disk_is_busy_as_long_as_predicted(tool, disk, game, packs):
    rounds = 2
    disk.hdd("cold")
    disk.hdd("reset")
    answer = tool.ok(*words(game, rounds), "--packs", packs, "--json", "-").json
    busy_s = disk.stats()["busy_s"]
    check_schema(answer, "results/prove")
    assert len(answer["loads"]) == 2 and answer["rounds"] == rounds
    assert answer["real_places"] and answer["knows_cold"] and answer["most_left_bytes"] == 0 and not answer["unbuffered"]
    parked_s = 0.013 * 2 * len(answer["loads"])  # an access before each load
    assert busy_s == pytest.approx(rounds * (predicted_of_drive(answer) + parked_s), rel=0.15)
    assert answer["loads"][0]["after"]["predicted_drive_s"] < answer["loads"][0]["before"]["predicted_drive_s"] / 2


@pytest.mark.parametrize("way", ["repack", "place"])
def test_archives_and_placed_files_are_proven_too(tool, disk, game, archive, way):
    proven = archive if way == "repack" else game
    before = proven.hashes()
    disk.hdd("cold")
    disk.hdd("reset")
    answer = tool.ok(*words(proven), "--way", way, "--work", disk.folder, "--json", "-").json
    check_schema(answer, "results/prove")
    assert answer["way"] == way and answer["made_bytes"] > 0 and answer["most_left_bytes"] == 0
    before_s, after_s = (sum(load[side]["predicted_drive_s"] for load in answer["loads"]) for side in ("before", "after"))
    assert after_s < before_s * 0.8
    # Reads that don't belong to loads: finding where files lie, and making the measured files.
    parked_s = 0.013 * 2 * len(answer["loads"])
    assert predicted_of_drive(answer) * 0.85 < disk.stats()["busy_s"]
    worked_s = sum(sum(load[side]["worked_s"]) for load in answer["loads"] for side in ("before", "after"))
    assert worked_s > predicted_of_drive(answer) * 0.8 - parked_s
    assert proven.hashes() == before and left_in(disk.folder) == []


def test_the_disks_work_is_told_from_the_computers(tool, game, packs):
    answer = tool.ok(*words(game), "--packs", packs, "--json", "-").json
    for load in answer["loads"]:
        for side in (load["before"], load["after"]):
            assert 0 < side["worked_s"][0] <= side["measured_s"][0]
            assert side["own_s"] == pytest.approx(side["measured_s"][0] - side["worked_s"][0])
            assert side["predicted_s"] == pytest.approx(side["predicted_drive_s"] + side["own_s"])


def test_nothing_of_the_user_is_changed_or_told(tool, game, disk, tmp_path):
    before = game.hashes()
    page, figures = tmp_path / "page.html", tmp_path / "figures.json"
    answer = tool.ok(*words(game), "--work", disk.folder, "--html", page, "--upload-file", figures, "--json", "-").json
    check_schema(answer, "results/prove")
    assert answer["made_bytes"] > FILES // 2 * FILE_BYTES / 2 and "drive_model" not in answer
    assert [load["name"] for load in answer["loads"]] == ["secret-load0", "secret-load1"]
    check_schema(json.loads(figures.read_text()), "proof")
    for text in (page.read_text(), figures.read_text()):
        for secret in ("secret", str(disk.folder), str(tmp_path), os.uname().nodename):
            assert secret not in text
    assert "load 1" in page.read_text() and "What this page tells" in page.read_text()
    assert "Loads on one disk, before and after seekless" in page.read_text() and "real disk" not in page.read_text()
    assert "Seconds of each load" in page.read_text() and "the drive is busy" not in page.read_text()
    tool.ok(*words(game), "--work", disk.folder, "--html", page, "--tell-names")
    assert "secret-load0" in page.read_text()
    assert game.hashes() == before and left_in(disk.folder) == []


def test_the_answer_begins_with_the_verdict(tool, game, disk, packs):
    lines = tool.ok(*words(game), "--packs", packs).text.splitlines()
    assert "times as fast" in lines[0] or "Nothing to gain" in lines[0]
    assert any(line.split()[:1] == ["all"] for line in lines)
    assert all(len(line) <= 80 for line in lines if ": seekless " not in line)


def test_on_solid_state_there_is_nothing_to_prove(tool, game, packs):
    solid = ["prove", *game.traces, "--content", game.folder, "--packs", packs, "--rounds", 1, "--drive", "sata-ssd"]
    answer = tool.run(*solid, "--json", "-")
    assert answer.code == DONE
    check_schema(answer.json, "results/prove")
    assert answer.json["verdict"].startswith("Nothing to prove")
    assert len(tool.ok(*solid, "--force", "--json", "-").json["loads"]) == 2


def loop_of(disk):
    found = subprocess.run(["findmnt", "-no", "SOURCE", disk.folder], check=True, capture_output=True, text=True)
    return Path(found.stdout.strip()).name


MADE = {"packs": "packs/catalog.skl", "repack": "archives/*.zip", "place": "files/*"}


def begun(tool, game, disk, way="packs"):
    """Starts a proof of many rounds, and returns it once its temporary folder has a first file."""
    running = subprocess.Popen(tool.command(*words(game, 100), "--way", way, "--work", disk.folder),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_packs(disk, running, way)
    return running


def wait_for_packs(disk, running, way="packs"):
    end = time.monotonic() + WAIT_S
    while not list(Path(disk.folder).glob(f".seekless-prove-*/{MADE[way]}")):
        assert running.poll() is None and time.monotonic() < end, running.communicate()
        time.sleep(0.02)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_nothing(tool, game, disk, how):
    running = begun(tool, game, disk)
    running.send_signal(how)
    errors = running.communicate(timeout=WAIT_S)[1]
    assert running.returncode == FAILED and b"interrupted" in errors
    assert left_in(disk.folder) == []


@pytest.mark.parametrize("way", ["repack", "place"])
def test_a_signal_and_a_kill_leave_nothing_of_the_other_ways(tool, game, archive, disk, way):
    proven = archive if way == "repack" else game
    before = proven.hashes()
    running = begun(tool, proven, disk, way)
    running.terminate()
    out, errors = running.communicate(timeout=WAIT_S)
    assert b"interrupted" in errors, (running.returncode, out[-300:], errors)
    assert running.returncode == FAILED and left_in(disk.folder) == []
    killed = begun(tool, proven, disk, way)
    killed.kill()
    killed.communicate()
    assert left_in(disk.folder) != []
    assert "killed; removed" in tool.ok(*words(proven), "--way", way, "--work", disk.folder).err
    assert left_in(disk.folder) == [] and proven.hashes() == before


def test_what_a_killed_run_left_is_named_and_removed(tool, game, disk):
    killed = begun(tool, game, disk)
    killed.kill()
    killed.communicate()
    left = [name for name in left_in(disk.folder) if not name.endswith(".lock")]
    assert len(left) == 1
    running = begun_beside(tool, game, disk)
    try:
        answer = tool.run(*words(game), "--work", disk.folder)
        # The other run may have read the files just before this one did.
        assert answer.code == DONE or "Can't tell" in answer.text
        assert left[0] not in answer.err  # the previous run has removed that
        assert len([name for name in left_in(disk.folder) if not name.endswith(".lock")]) == 1  # the running proof's
    finally:
        running.terminate()
        errors = running.communicate(timeout=WAIT_S)[1]
    assert left[0].encode() in errors and left_in(disk.folder) == []


def begun_beside(tool, game, disk):
    """Does the same while packs of another run remain."""
    old = set(Path(disk.folder).glob(".seekless-prove-*/packs/catalog.skl"))
    running = subprocess.Popen(tool.command(*words(game, 100), "--work", disk.folder),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + WAIT_S
    while not set(Path(disk.folder).glob(".seekless-prove-*/packs/catalog.skl")) - old:
        assert running.poll() is None and time.monotonic() < end
        time.sleep(0.02)
    return running


def test_another_reader_is_noticed(tool, game, disk, packs):
    over = threading.Event()
    device = os.open(f"/dev/{loop_of(disk)}", os.O_RDONLY | os.O_DIRECT)
    place = 0

    def read_on():
        nonlocal place
        buffer = mmap.mmap(-1, 4096)
        while not over.is_set():
            place = (place + 997 * 4096 * 1000) % (7 << 30) // 4096 * 4096
            os.preadv(device, [buffer], place)

    other = threading.Thread(target=read_on)
    other.start()
    try:
        answer = tool.ok(*words(game), "--packs", packs, "--json", "-").json
    finally:
        over.set()
        other.join()
        os.close(device)
    assert answer["others"]["known"] and answer["others"]["disturbed"] and answer["others"]["requests"] > 0
    assert any("disturbed" in note for note in answer["notes"])


@contextlib.contextmanager
def held_in_memory(paths):
    """Maps files and locks them in memory, as a running game may."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.mlock.argtypes = libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    held = []
    try:
        for path in paths:
            with open(path, "rb") as file:
                size = path.stat().st_size
                at = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED | mmap.MAP_POPULATE, file.fileno(), 0)
            held.append((at, size))
            assert libc.mlock(at, size) == 0, os.strerror(ctypes.get_errno())
        yield
    finally:
        for at, size in held:
            libc.munmap(at, size)


def test_what_another_program_holds_in_memory_is_no_gain(tool, game, disk, packs, tmp_path):
    page, figures, out = tmp_path / "page.html", tmp_path / "figures.json", tmp_path / "out.json"
    with held_in_memory(sorted(game.folder.iterdir())):
        answer = tool.run(*words(game), "--packs", packs, "--html", page, "--upload-file", figures, "--json", out)
    assert answer.says("in memory", "--upload-file").code == FAILED
    assert answer.text.startswith("Can't tell: what 2 loads read stayed in memory")
    assert "Nothing to gain" not in answer.text and "drive model" not in answer.text
    told = json.loads(out.read_text())
    check_schema(told, "results/prove")
    assert not told["conclusive"] and all(load["before"]["left_bytes"] > 0 for load in told["loads"])
    assert not figures.exists() and "read stayed in memory" in page.read_text()


def test_little_memory_is_enough(tool, game, packs):
    tool.ok(*words(game), "--packs", packs, prefix=("prlimit", f"--as={10**9}"))


def test_without_rights_to_the_device_its_files_are_measured(tool, game, disk, packs):
    """The precision depends on the host's speed, so only the method is checked; tests/calibrate checks the figures."""
    hidden = f"mount --bind /dev/null /dev/{loop_of(disk)} && exec \"$@\""
    answer = tool.ok("prove", *game.traces, "--content", game.folder, "--packs", packs, "--rounds", 1,
                     "--calibrate-seconds", 10, "--json", "-", prefix=(*OWN_MOUNTS, "sh", "-c", hidden, "sh"))
    assert answer.json["drive_source"] == "files"
    check_schema(answer.json, "results/prove")


@pytest.mark.parametrize("way", ["packs", "repack", "place"])
def test_room_is_asked_for_first(tool, tmp_path, way):
    with mounted(tmp_path, "ext4", 64) as own:
        game = (SmallArchive if way == "repack" else SmallGame)(own.folder)
        with open(own.folder / "filler", "wb") as filler, contextlib.suppress(OSError):
            while True:
                filler.write(bytes(1 << 20))
                filler.flush()
        answer = tool.run(*words(game), "--way", way, "--work", own.folder, "--force")
        assert answer.says("room for", "free").code == FAILED
        assert left_in(own.folder) == []


def test_a_folder_that_cannot_be_written_to_is_refused(tool, tmp_path):
    with mounted(tmp_path, "ext4", 256) as own:
        game = SmallGame(own.folder)
        subprocess.run(["mount", "-o", "remount,ro", own.folder], check=True)
        try:
            assert tool.run(*words(game), "--force").says("--work").code == USAGE
            assert tool.run(*words(game), "--force", "--work", own.folder).says("Read-only").code == FAILED
        finally:
            subprocess.run(["mount", "-o", "remount,rw", own.folder], check=True)


def test_a_drive_that_fits_no_profile_is_measured_by_its_files(tool, game, disk, packs, tmp_path):
    """A device can't be calibrated if only its beginning can be read."""
    device, smaller = f"/dev/{loop_of(disk)}", tmp_path / "smaller"
    with open(smaller, "wb") as file:
        file.truncate(1 << 20)
    hidden = f"mount --bind {smaller} {device} && exec \"$@\""
    answer = tool.ok("prove", *game.traces, "--content", game.folder, "--packs", packs, "--rounds", 1,
                     "--calibrate-seconds", 20, "--json", "-", prefix=(*OWN_MOUNTS, "sh", "-c", hidden, "sh"))
    assert answer.json["drive_source"] == "files"
    assert any("No profile fits" in note for note in answer.json["notes"]), answer.json["notes"]
    assert "the drive fits no profile (" in answer.err and "), so its files are measured" in answer.err


def test_the_limit_of_time_covers_measuring_the_disk(tool, game, packs):
    refused = tool.run("prove", *game.traces, "--content", game.folder, "--packs", packs, "--minutes", 1,
                       "--calibrate-seconds", 75)
    assert refused.says("--calibrate-seconds", "--minutes 1", "half").code == USAGE


def test_what_cannot_be_made_within_the_limit_is_refused(tool, disk, tmp_path):
    """On the slowest disk that a profile may describe."""
    slow, trace, content = tmp_path / "slow.json", tmp_path / "long.trace", Path(disk.folder) / "large"
    profile = tool.ok("drive", "show", DRIVE, "--json", "-").json
    slow.write_text(json.dumps(profile | {"outer_bytes_per_s": 1e6, "inner_bytes_per_s": 1e6}))
    content.mkdir()
    size = 80_000_000
    with open(content / "a.dat", "wb") as file:
        file.truncate(size)
    trace.write_text("".join(json.dumps(line) + "\n" for line in [
        {"seekless": "trace", "version": 1, "scenario": "long"}, {"path": str(content / "a.dat")},
        {"gap": 1, "open": True}, {"gap": 1, "file": 0, "at": 0, "read": size}]))
    answer = tool.run("prove", trace, "--content", content, "--drive", slow, "--minutes", 1, "--work", disk.folder)
    assert answer.says("--minutes", "time to write 80.0 MB, about 160 s", "s left").code == FAILED
    assert left_in(disk.folder) == []


def test_copies_that_are_placed_are_written_twice(tool, disk, tmp_path, monkeypatch):
    """The disk's seeks are slow enough that adjacent files gain, and its rate is low enough that copying takes long."""
    monkeypatch.setattr(sys.modules[__name__], "FILE_BYTES", 1 << 20)
    slow, folder = tmp_path / "slow.json", Path(disk.folder) / "larger"
    profile = tool.ok("drive", "show", DRIVE, "--json", "-").json
    slow.write_text(json.dumps(profile | {"outer_bytes_per_s": 1e6, "inner_bytes_per_s": 1e6, "rpm": 1000, "seek_t0_ms": 100,
                                          "seek_b_ms": 1000, "seek_c_ms": 600, "seek_e_ms": 0}))
    folder.mkdir()
    larger = SmallGame(folder)
    page_cache.write_back(disk.folder)
    placed = {number * step % FILES for number in range(FILES // 2) for step in (7, 23)}
    answer = tool.run("prove", *larger.traces, "--content", larger.folder, "--drive", slow, "--minutes", 1, "--way", "place",
                      "--work", disk.folder)
    assert answer.says(f"time to write {2 * len(placed) * FILE_BYTES / 1e6:.1f} MB").code == FAILED
    assert left_in(disk.folder) == []


def test_outputs_are_tried_before_anything_is_measured(tool, game, disk, tmp_path):
    out = tmp_path / "out.json"
    answer = tool.run(*words(game), "--work", disk.folder, "--html", tmp_path / "missing" / "x.html", "--json", out)
    assert answer.says("x.html").code == FAILED
    assert "faster" not in answer.text and left_in(disk.folder) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == []


def test_outputs_are_written_though_another_fails(tool, game, disk, tmp_path):
    """The page's folder disappears while the loads are measured."""
    out, figures, folder = tmp_path / "out.json", tmp_path / "figures.json", tmp_path / "gone"
    folder.mkdir()
    running = subprocess.Popen(tool.command(*words(game), "--work", disk.folder, "--html", folder / "x.html",
                                            "--upload-file", figures, "--json", out),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for_packs(disk, running)
    folder.rmdir()
    errors = running.communicate(timeout=WAIT_S)[1]
    assert running.returncode == FAILED and b"x.html" in errors
    assert json.loads(out.read_text())["loads"] and json.loads(figures.read_text())["loads"]


def read_until(screen, pattern=None):
    """Returns what a terminal shows until `pattern` appears, or until its program has ended."""
    shown, end = b"", time.monotonic() + WAIT_S
    while not (pattern and re.search(pattern, shown)):
        assert select.select([screen], [], [], max(0, end - time.monotonic()))[0], shown
        try:
            shown += screen.read(4096)
        except OSError:  # Linux reports this error when the other end is closed
            assert pattern is None, shown
            break
    return shown


def test_a_file_that_goes_missing_ends_the_rounds(tool, game, disk, tmp_path):
    """Whole rounds count; the error names the file."""
    out, page, missing = tmp_path / "out.json", tmp_path / "page.html", game.file(0)
    content = missing.read_bytes()
    terminal, its_end = pty.openpty()  # progress is only shown on a terminal
    with open(terminal, "rb", buffering=0) as screen:
        running = subprocess.Popen(tool.command(*words(game, 100), "--work", disk.folder, "--json", out,
                                                "--html", page), stdout=subprocess.DEVNULL, stderr=its_end)
        os.close(its_end)
        try:
            errors = read_until(screen, rb"round ([2-9]|\d\d)")
            missing.unlink()
            errors = read_until(screen)
            running.wait(timeout=WAIT_S)
        finally:
            missing.write_bytes(content)
            page_cache.write_back(disk.folder)
    assert running.returncode == FAILED and missing.name.encode() in errors, errors
    assert left_in(disk.folder) == []
    told = json.loads(out.read_text())
    assert told["rounds"] >= 1
    assert all(len(load[side]["measured_s"]) == told["rounds"] for load in told["loads"] for side in ("before", "after"))
    assert any("failed in round" in note for note in told["notes"]) and "secret" not in page.read_text()


def test_what_a_killed_run_left_in_another_folder_is_removed_too(tool, game, disk):
    """With --packs the next run makes no folder; with --work it makes its folder elsewhere."""
    killed = begun(tool, game, disk)
    killed.kill()
    killed.communicate()
    left = [name for name in left_in(disk.folder) if not name.endswith(".lock")]
    users = Path(disk.folder) / ".seekless-prove-0123456789abcdef"
    users.mkdir()
    (users / "novel.txt").write_text("mine")
    Path(f"{users}.lock").touch()
    other = Path(disk.folder) / "other-work"
    other.mkdir()
    answer = tool.ok(*words(game), "--work", other)
    assert f"{left[0]}: left by a run that was killed; removed" in answer.err
    assert users.name in answer.err and "not removed" in answer.err
    assert (users / "novel.txt").read_text() == "mine"
    assert left_in(disk.folder) == [users.name, f"{users.name}.lock"] and list(other.iterdir()) == []
    (users / "novel.txt").unlink()
    users.rmdir()
    Path(f"{users}.lock").unlink()


def test_in_memory_there_is_nothing_to_prove(tool, tmp_path):
    folder = tmp_path / "memory"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=True)
    try:
        game = SmallGame(folder)
        answer = tool.ok(*words(game), "--json", "-").json
    finally:
        subprocess.run(["umount", folder], check=True)
    check_schema(answer, "results/prove")
    assert answer["verdict"].startswith("Nothing to prove") and "memory" in answer["verdict"]


def test_wrong_inputs_are_refused(tool, game, disk, packs, tmp_path):
    assert tool.run(*words(game), "--way", "repack", "--work", disk.folder).says("archives", "--way packs").code == FAILED
    assert tool.run(*words(game), "--way", "place", "--packs", packs).code == USAGE
    assert left_in(disk.folder) == []
    tool.run(*words(game), "--work", "/proc").says("--work")
    tool.run(*words(game), "--packs", tmp_path).says("--packs")
    for first, second in (("--html", "--upload-file"), ("--upload-file", "--json")):
        same = tool.run(*words(game), "--packs", packs, first, tmp_path / "one", second, tmp_path / "." / "one")
        assert same.says(second, first, "a file of its own").code == USAGE and not (tmp_path / "one").exists()
    empty = tmp_path / "empty.trace"
    empty.write_text(json.dumps({"seekless": "trace", "version": 1}) + "\n")
    tool.run("prove", empty, "--content", game.folder, "--drive", DRIVE).says("reads of the content")
