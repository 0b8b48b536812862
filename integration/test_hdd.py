"""The emulated disk with real programs on it: its timing, its cache, its faults, its end."""
import errno
import hashlib
import json
import mmap
import os
import random
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import page_cache
from game import noise
from tool import TOP

HDD = TOP / "integration" / "hdd" / "hdd"
MB = 1_000_000
KI = 1024
FAST = 0.05  # wall seconds for each second of the model
# wd-black-1tb, as the model has it
OUTER_MB_S = 126
RANDOM_4K_PER_S = 78.8
IN_TURN_MB_S = 9.18  # two files 400 GB apart, 16 KiB of each at a time, 128 KiB of read-ahead


def why_not():
    if os.geteuid() != 0:
        return "mounting needs root"
    for needed in ("/dev/fuse", "/dev/loop-control"):
        if not Path(needed).exists():
            return f"there is no {needed}"
    if shutil.which("mkfs.ext4", path="/usr/sbin:/sbin:/usr/bin") is None:
        return "there is no mkfs.ext4"
    return None


pytestmark = pytest.mark.skipif(why_not() is not None, reason=why_not() or "")


class Hdd:
    def __init__(self, folder):
        self.folder = folder
        self.beside = folder.with_name(folder.name + ".hdd")
        self.served_on = "none"  # the device number of the file system with the disk's file

    def run(self, command, *arguments, **how):
        done = subprocess.run([HDD, command, self.folder, *map(str, arguments)], capture_output=True, text=True,
                              timeout=60, **how)
        served = self.beside / "fuse/disk"
        if command == "up" and served.exists():
            device = served.stat().st_dev
            self.served_on = f"{os.major(device)}:{os.minor(device)}"
        return done

    def ok(self, command, *arguments, **how):
        done = self.run(command, *arguments, **how)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    def fails(self, command, *arguments, code=1, says="", **how):
        done = self.run(command, *arguments, **how)
        assert done.returncode == code, f"{command}: {done.returncode}: {done.stderr}"
        assert says in done.stderr and "Traceback" not in done.stderr, done.stderr

    def stats(self):
        return json.loads(self.ok("stats", "--json"))

    def measure(self, act):
        """Returns the disk's figures while `act` reads from cold."""
        self.ok("cold")
        self.ok("reset")
        act()
        return self.stats()

    def program(self):
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = entry.read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"seekless-hdd") and words[1] == os.fsencode(self.beside / "fuse"):
                return int(entry.parent.name)
        return None

    def loops(self):
        """Returns this disk's loop devices, recognised by the backing file's device number. A file whose mount is gone
        has no path, and other disks of the machine may be in that state."""
        said = subprocess.run(["losetup", "--json", "--output", "NAME,BACK-MAJ:MIN"], capture_output=True, text=True,
                              check=True).stdout
        found = json.loads(said)["loopdevices"] if said else []
        return [loop["name"] for loop in found if loop["back-maj:min"].strip() == self.served_on]

    def is_gone(self):
        mounted = str(self.folder) in Path("/proc/self/mountinfo").read_text()
        return not (mounted or self.loops() or self.program() or self.beside.exists() or self.folder.exists())


@pytest.fixture(scope="module", autouse=True)
def binary(build_folder):
    path = Path(os.environ.setdefault("SEEKLESS_HDD_BIN", str(build_folder / "bin" / "seekless-hdd")))
    if not path.exists():
        pytest.skip(f"{path}: not built; it takes libfuse3-dev")


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """A file of 24 MB with random bytes."""
    path = tmp_path_factory.mktemp("files") / "archive.wz"
    path.write_bytes(noise(1, 24 * MB))
    return path


@pytest.fixture(scope="module")
def disk(tmp_path_factory, archive):
    """A fast disk with an archive at its front and one 400 GB further on, for tests that only read."""
    made = Hdd(tmp_path_factory.mktemp("hdd") / "disk")
    made.ok("up", "--scale", FAST)
    made.ok("put", archive, "--at", "1G")
    made.ok("put", archive, "--at", "401G", "--into", "far")
    yield made
    made.ok("fault", "none")
    made.ok("down")
    assert made.is_gone()


@pytest.fixture
def own(tmp_path):
    """A disk for tests that change it; it is removed at the end in any state."""
    made = Hdd(tmp_path / "own disk")
    yield made
    made.run("down")
    assert made.is_gone()


def read_all(path, piece_bytes=128 * KI):
    digest = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        while piece := file.read(piece_bytes):
            digest.update(piece)
    return digest.hexdigest()


def read_directly(hdd, places, length):
    """Reads from the block device, past all of the system's caches."""
    buffer = mmap.mmap(-1, length)
    device = os.open(hdd.loops()[0], os.O_RDONLY | os.O_DIRECT)
    try:
        for place in places:
            assert os.preadv(device, [buffer], place) == length
    finally:
        os.close(device)


def random_places(count, size):
    chance = random.Random(5)
    return [chance.randrange(size // 4096) * 4096 for _ in range(count)]


def test_random_reads_take_as_long_as_the_model_says(disk):
    count = 400
    stats = disk.measure(lambda: read_directly(disk, random_places(count, disk.stats()["size_bytes"]), 4096))
    assert stats["reads"] == count and stats["bytes"] == count * 4096
    assert count / stats["busy_s"] == pytest.approx(RANDOM_4K_PER_S, rel=0.05)


def test_a_long_read_goes_at_the_mediums_rate(disk):
    stats = disk.measure(lambda: read_directly(disk, range(0, 200 << 20, 1 << 20), 1 << 20))
    assert stats["bytes"] == 200 << 20
    assert stats["bytes"] / stats["busy_s"] / MB == pytest.approx(OUTER_MB_S, rel=0.02)
    # Requests that the kernel splits are contiguous.
    assert stats["seeks"] <= 1


@pytest.mark.parametrize("length, count, rate_mb_s", [(16 * KI, 600, 1.23), (2048 * KI, 40, 66.9)])
def test_two_places_in_turn_go_as_the_model_says(disk, length, count, rate_mb_s):
    places = [side + number * length for number in range(count) for side in (0, 400 * 10**9)]
    stats = disk.measure(lambda: read_directly(disk, places, length))
    assert stats["bytes"] / stats["busy_s"] / MB == pytest.approx(rate_mb_s, rel=0.05)


def test_busy_seconds_are_the_same_at_any_scale(tmp_path):
    figures = []
    for scale in (1, FAST):
        hdd = Hdd(tmp_path / f"scale{scale}")
        hdd.ok("up", "--scale", scale)
        try:
            places = random_places(30, hdd.stats()["size_bytes"])
            hdd.ok("reset")
            begin = time.monotonic()
            read_directly(hdd, places, 65536)
            took_s = time.monotonic() - begin
            figures.append(hdd.stats())
            # A slow host takes longer, never less.
            assert took_s >= figures[-1]["busy_s"] * scale
        finally:
            hdd.ok("down")
    like_life, fast = figures
    assert like_life["busy_s"] == fast["busy_s"] > 0.3
    assert like_life["seeks"] == fast["seeks"]


def test_two_files_in_turn_seek_once_for_each_read_ahead(disk, archive):
    def in_turn():
        with open(disk.folder / archive.name, "rb", buffering=0) as near, \
                open(disk.folder / "far" / archive.name, "rb", buffering=0) as far:
            for _ in range(10 * MB // (16 * KI)):
                near.read(16 * KI)
                far.read(16 * KI)

    stats = disk.measure(in_turn)
    assert 20 * MB <= stats["bytes"] < 21 * MB
    assert 20 * MB / (128 * KI) * 0.9 < stats["seeks"] < 20 * MB / (128 * KI) * 1.1
    assert stats["bytes"] / stats["busy_s"] / MB == pytest.approx(IN_TURN_MB_S, rel=0.1)


def test_a_deep_queue_lets_the_drive_choose(own):
    rates = []
    for depth in (1, 32):
        own.ok("up", "--scale", FAST, "--queue-depth", depth)
        places = random_places(400, own.stats()["size_bytes"])
        with ThreadPoolExecutor(16) as threads:
            list(threads.map(lambda part: read_directly(own, places[part::16], 4096), range(16)))
        stats = own.stats()
        assert stats["most_waiting"] >= 8
        rates.append(stats["reads"] / stats["busy_s"])
        own.ok("down")
    assert rates[0] == pytest.approx(RANDOM_4K_PER_S, rel=0.05)
    assert rates[1] > 1.3 * rates[0]


def test_a_buffered_read_costs_its_bytes_by_read_ahead(disk, archive):
    stats = disk.measure(lambda: read_all(disk.folder / archive.name, 16 * KI))
    size = archive.stat().st_size
    # Besides the file, this reads its folder, its inode, and maybe the place of its pieces.
    assert size <= stats["bytes"] < size + 64 * KI
    assert size / (128 * KI) * 0.9 < stats["reads"] < size / (128 * KI) * 1.2
    assert stats["seeks"] < 6


def test_cold_forgets_all_of_this_disk_and_nothing_of_another(disk, archive, own):
    own.ok("up", "--scale", 0)
    shutil.copy(archive, own.folder)
    page_cache.write_back(disk.folder)  # writing later would read where there is room
    first = disk.measure(lambda: read_all(disk.folder / archive.name))
    read_all(disk.folder / archive.name)
    assert disk.stats()["bytes"] == first["bytes"]

    read_all(own.folder / archive.name)
    own.ok("reset")
    again = disk.measure(lambda: read_all(disk.folder / archive.name))
    assert again["bytes"] == first["bytes"]
    assert again["busy_s"] == pytest.approx(first["busy_s"], rel=0.02)
    read_all(own.folder / archive.name)
    assert own.stats()["bytes"] == 0


def test_cold_names_who_keeps_the_disk_busy(disk, archive):
    with open(disk.folder / archive.name, "rb"):
        disk.fails("cold", says=f"(process {os.getpid()})")
        disk.fails("down", says=f"(process {os.getpid()})")
    disk.ok("cold")


def test_files_lie_where_they_were_put(disk, archive, own, tmp_path):
    at = -(-10**9 // 4096) * 4096
    assert disk.ok("where", archive.name) == f"{archive.name}: {-(-24 * MB // 4096) * 4096} bytes at {at}\n"
    own.ok("up", "--scale", 0)
    big = tmp_path / "big.wz"
    with open(big, "wb") as file:
        file.truncate(400 * MB)  # over several of ext4's groups
        file.write(b"front")
    small = tmp_path / "small.wz"
    small.write_bytes(b"small")
    begin = time.monotonic()
    said = own.ok("put", big, small, "--at", "900G")
    assert time.monotonic() - begin < 20
    assert said.splitlines()[0] == f"big.wz: 400003072 bytes at {-(-900 * 10**9 // 4096) * 4096}"
    place = int(said.splitlines()[1].split()[-1])
    assert place >= 900 * 10**9 + 400 * MB and said.splitlines()[1].startswith("small.wz: 4096 bytes")
    assert (own.folder / "small.wz").read_bytes() == b"small"
    own.fails("put", small, "--at", "900G", says="is there already")
    small.rename(tmp_path / "other.wz")
    own.fails("put", tmp_path / "other.wz", "--at", "2T", says="no place")
    own.fails("put", tmp_path / "missing", "--at", "1G", says="missing")
    own.fails("put", tmp_path / "other.wz", "--at", "1G", "--into", "../..", code=2, says="--into")
    own.fails("put", tmp_path / "other.wz", "--at", "many", code=2, says="many")
    assert sorted(os.listdir(own.folder)) == ["big.wz", "lost+found", "small.wz"]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_putting_that_is_stopped_leaves_the_disk_free(own, archive, how):
    own.ok("up", "--scale", 0)
    free = shutil.disk_usage(own.folder).free
    for delay_s in (0.1, 0.2, 0.4):
        started = subprocess.Popen([HDD, "put", own.folder, archive, "--at", "1G"], stdout=subprocess.DEVNULL)
        time.sleep(delay_s)
        started.send_signal(how)
        code = started.wait(timeout=60)
        left = [path.name for path in own.folder.iterdir() if path.name != "lost+found"]
        assert left in ([], [archive.name]) and (left == [] or how == signal.SIGKILL or code == 0)
        assert shutil.disk_usage(own.folder).free > free - 2 * archive.stat().st_size
        (own.folder / archive.name).unlink(missing_ok=True)


def test_files_of_one_name_are_refused(own, archive, tmp_path):
    own.ok("up", "--scale", 0)
    own.fails("put", archive, archive, "--at", 0, code=2, says="different names")
    assert not (own.folder / archive.name).exists()


def test_an_image_keeps_what_was_written(own, archive, tmp_path):
    image = tmp_path / "kept.img"
    own.ok("up", "--image", image, "--scale", 0, "--size", "20G")
    shutil.copy(archive, own.folder)
    own.ok("down")
    assert own.is_gone() and image.stat().st_size == 20 * 10**9 // 4096 * 4096
    own.ok("up", "--image", image, "--scale", 0)
    assert read_all(own.folder / archive.name) == hashlib.sha256(archive.read_bytes()).hexdigest()
    own.ok("cold")
    assert read_all(own.folder / archive.name) == hashlib.sha256(archive.read_bytes()).hexdigest()
    assert own.stats()["bytes"] > archive.stat().st_size
    own.ok("down")
    own.fails("up", "--image", image, "--size", "30G", says="as asked for")


def test_an_image_is_of_one_disk_at_a_time(own, tmp_path):
    image = tmp_path / "one.img"
    own.ok("up", "--image", image, "--scale", 0, "--size", "1G")
    second = Hdd(tmp_path / "second")
    second.fails("up", "--image", image, says="no disk is using")
    assert second.is_gone() and image.exists()
    own.ok("down")


def test_what_is_no_image_is_not_touched(own, tmp_path):
    file = tmp_path / "letter"
    file.write_text("dear reader")
    own.fails("up", "--image", file, says="found a file without ext4")
    assert own.is_gone() and file.read_text() == "dear reader"


def failing_pages(path, begin, end):
    """Returns places in the file that direct I/O can't read. The page cache would fail in larger pieces."""
    failing = []
    buffer = mmap.mmap(-1, 4096)
    file = os.open(path, os.O_RDONLY | os.O_DIRECT)
    for place in range(begin, end, 4096):
        try:
            os.preadv(file, [buffer], place)
        except OSError as error:
            assert error.errno == errno.EIO
            failing.append(place)
    os.close(file)
    return failing


@pytest.fixture
def faulty(disk):
    disk.ok("fault", "none")
    disk.ok("cold")
    disk.ok("reset")
    yield disk
    disk.ok("fault", "none")
    disk.ok("cold")


def test_bytes_of_a_file_fail_for_ever(faulty, archive):
    path = faulty.folder / archive.name
    faulty.ok("fault", "eio", "--file", f"{archive.name}:5000000", "--bytes", 8192)
    faulty.ok("cold")
    expected = [place for place in range(0, 6 * MB, 4096) if place + 4096 > 5000000 and place < 5008192]
    for _ in range(2):
        assert failing_pages(path, 1220 * 4096 - 81920, 1220 * 4096 + 81920) == expected
    assert faulty.stats()["failed_reads"] == 2 * len(expected)
    with pytest.raises(OSError) as raised:
        read_all(path)
    assert raised.value.errno == errno.EIO
    faulty.ok("fault", "none")
    assert read_all(path) == hashlib.sha256(archive.read_bytes()).hexdigest()


def test_a_fault_passes_after_so_many_times(faulty):
    place = 700 * 10**9 // 4096 * 4096
    faulty.ok("fault", "eio", "--at", place, "--bytes", 512, "--times", 2, "--after-reads", 1)
    outcomes = []
    for _ in range(4):
        try:
            read_directly(faulty, [place], 4096)
            outcomes.append("read")
        except OSError as error:
            outcomes.append(error.errno)
    assert outcomes == ["read", 5, 5, "read"]


def test_slow_sectors_take_busy_time(faulty):
    faulty.ok("fault", "slow", "--at", 0, "--bytes", "1Mi", "--ms", 2000, "--times", 1)
    begin = time.monotonic()
    read_directly(faulty, [4096], 4096)
    assert time.monotonic() - begin >= 2 * FAST
    assert 2 < faulty.stats()["busy_s"] < 2.1 and faulty.stats()["slow_reads"] == 1


def test_a_stuck_disk_waits_but_can_be_taken_down(faulty, own):
    faulty.ok("fault", "stuck", "--seconds", 0.4)
    begin = time.monotonic()
    read_directly(faulty, [0], 4096)
    assert 0.2 < time.monotonic() - begin < 5
    assert faulty.stats()["busy_s"] < 0.1
    own.ok("up", "--scale", 0)
    own.ok("fault", "stuck", "--seconds", 3600)
    begin = time.monotonic()
    own.ok("down")
    assert time.monotonic() - begin < 10


def test_faults_asked_for_wrongly_are_refused(faulty, archive):
    for arguments in (["eio", "--ms", 1], ["slow"], ["slow", "--ms", 0], ["slow", "--ms", "nan"],
                      ["stuck"], ["none", "--at", 1], ["stuck", "--seconds", 1, "--bytes", 1], ["eio", "--bytes", 1], ["eio", "--at", -1],
                      ["eio", "--at", 0, "--bytes", 0], ["eio", "--file", "archive.wz"], ["melt"],
                      ["eio", "--at", 0, "--times", 0]):
        faulty.fails("fault", *arguments, code=2)
    faulty.fails("fault", "eio", "--at", "2T", says="beyond the disk's end")
    faulty.fails("fault", "eio", "--file", "missing:0", says="missing")
    faulty.fails("fault", "eio", "--file", f"{archive.name}:99999999", says="don't lie in one piece")


def test_up_refuses_what_it_cannot_do_and_leaves_nothing(own, tmp_path):
    own.fails("up", "--drive", "ferrite", code=2, says="wd-black-1tb")
    own.fails("up", "--drive", tmp_path / "no.json", says="no.json")
    (tmp_path / "bad.json").write_text('{"version": 1, "name": "x", "kind": "disk", "rpm": 0}')
    own.fails("up", "--drive", tmp_path / "bad.json", says="rpm")
    own.fails("up", "--size", "2T", says="wd-black-1tb")
    own.fails("up", "--size", "10Ki", says="10")
    own.fails("up", "--size", "70M", says="at least 256000000 bytes")
    own.fails("up", "--scale", -1, code=2)
    own.fails("up", "--queue-depth", 33, code=2)
    own.fails("up", "--image", tmp_path / "no folder" / "image", says="no folder")
    own.fails("up", says="no such program", env={**os.environ, "SEEKLESS_HDD_BIN": str(tmp_path / "none")})
    assert own.is_gone()
    own.folder.mkdir()
    (own.folder / "mine").write_text("mine")
    own.fails("up", says="expected an empty folder")
    own.fails("down", says="found none")
    assert (own.folder / "mine").read_text() == "mine" and not own.beside.exists()
    shutil.rmtree(own.folder)
    for command in ("cold", "reset", "stats", "down"):
        own.fails(command, says="found none")


def test_up_says_that_the_folder_is_in_use(disk):
    disk.fails("up", says="a disk is there")


def test_up_needs_root(tmp_path):
    done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", HDD, "up",
                           tmp_path / "disk"], capture_output=True, text=True)
    if "can't open file" in done.stderr or "Permission denied" in done.stderr:
        pytest.skip("nobody can't read the sources")
    assert done.returncode == 1 and "needs root" in done.stderr


def test_up_on_a_full_disk_leaves_nothing(tmp_path, small_disk):
    hdd = Hdd(small_disk(64 * KI) / "disk")
    hdd.fails("up")
    assert hdd.is_gone()


def test_down_clears_away_after_the_program_was_killed(own, archive, tmp_path):
    other = tmp_path / "other.img"
    with open(other, "wb") as file:
        file.truncate(MB)
    loop = subprocess.run(["losetup", "-f", "--show", other], capture_output=True, text=True, check=True).stdout.strip()
    try:
        own.ok("up", "--scale", 0)
        shutil.copy(archive, own.folder)
        own.ok("cold")
        (own.folder / "new").write_bytes(b"not written out yet")
        own.ok("fault", "stuck", "--seconds", 3600)
        reading = subprocess.Popen(["cat", own.folder / archive.name], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(0.1)
        assert reading.poll() is None
        os.kill(own.program(), signal.SIGKILL)
        assert reading.wait(timeout=10) == 1
        own.fails("stats", says="has ended")
        own.ok("down")
        assert own.is_gone()
        assert str(other) in subprocess.run(["losetup", loop], capture_output=True, text=True).stdout
    finally:
        subprocess.run(["losetup", "-d", loop], check=True)


def test_down_clears_away_though_the_served_file_was_unmounted_by_hand(own):
    own.ok("up", "--scale", 0)
    os.kill(own.program(), signal.SIGKILL)
    subprocess.run(["umount", "--lazy", own.beside / "fuse"], check=True)
    own.ok("down")
    assert own.is_gone()


def test_down_clears_away_though_its_notes_are_damaged(own):
    own.ok("up", "--scale", 0)
    (own.beside / "state.json").write_text("{")
    own.ok("down")
    own.folder.rmdir()  # `down` can't know that `up` made it
    assert own.is_gone()


def test_down_clears_away_a_program_that_is_stopped(own):
    own.ok("up", "--scale", 0)
    os.kill(own.program(), signal.SIGSTOP)
    own.ok("down")
    assert own.is_gone()


def test_down_clears_away_what_up_began(own):
    for delay_s in (0.05, 0.1, 0.15, 0.2):
        started = subprocess.Popen([HDD, "up", own.folder, "--scale", "0"], stderr=subprocess.DEVNULL)
        time.sleep(delay_s)
        started.kill()
        started.wait()
        time.sleep(0.1)
        own.run("down")
        if own.folder.exists():
            own.folder.rmdir()
        assert own.is_gone(), f"stopped after {delay_s} s"


def test_down_lets_somebody_elses_mount_be(own):
    own.ok("up", "--scale", 0)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", own.folder], check=True)
    try:
        (own.folder / "mine").write_text("mine")
        own.fails("down", says="something else was mounted over it")
        own.fails("cold", says="something else was mounted over it")
        assert (own.folder / "mine").read_text() == "mine"
    finally:
        subprocess.run(["umount", own.folder], check=True)
    own.ok("down")
    assert own.is_gone()


def test_the_program_ends_when_it_is_unmounted_by_hand(own):
    own.ok("up", "--scale", 0)
    loop = own.loops()[0]
    subprocess.run(["umount", own.folder], check=True)
    subprocess.run(["losetup", "-d", loop], check=True)
    subprocess.run(["umount", own.beside / "fuse"], check=True)
    until = time.monotonic() + 5
    while own.program() and time.monotonic() < until:
        time.sleep(0.05)
    assert own.program() is None
    own.ok("down")


def test_a_solid_state_drive_has_no_seeks(own):
    own.ok("up", "--drive", "sata-ssd", "--scale", 0)
    read_directly(own, random_places(50, own.stats()["size_bytes"]), 4096)
    stats = own.stats()
    assert stats["device"] == own.loops()[0]
    assert stats["seeks"] == 0 and stats["kind"] == "ssd" and 0 < stats["busy_s"] < 0.05
