"""The kind of device that the reader assumes: at first what the system reports, then what the times of jumps show."""
import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import page_cache

sys.path.insert(0, str(Path(__file__).resolve().parent / "runtime"))
from test_runtime_bench import BIN, on_disk
import disk_loads

MIB = 1 << 20
FILE_MIB = 640
JUMPS = 120
LENGTH = 64 * 1024
FAST_US, SLOW_US = 2000, 4000
LOAD = os.environ.get("SEEKLESS_LOAD", BIN / "load")
pytestmark = [pytest.mark.alone,
              pytest.mark.skipif(not Path(LOAD).exists(), reason="the release build has no benchmarks")]


def far_places(seed):
    """Returns places that are at least 16 MiB from the one before, in the order of the disk and back to its
    beginning."""
    of = random.Random(seed)
    step = 20 * MIB
    rounds = range(JUMPS * step // (FILE_MIB * MIB) + 1)
    return [(at + of.randrange(MIB // LENGTH) * LENGTH) for _ in rounds
            for at in range(0, FILE_MIB * MIB - step, step)][:JUMPS]


def write_file(folder):
    folder.mkdir(exist_ok=True)
    noise = os.urandom(MIB)
    with open(folder / "big", "wb") as file:
        for _ in range(FILE_MIB):
            file.write(noise)
        file.flush()
        os.fsync(file.fileno())
    return folder / "big"


def write_requests(path, seed):
    path.write_text("".join(f"{at} {LENGTH} big\n" for at in far_places(seed)))
    return path


def load(folder, requests, ahead=1):
    done = subprocess.run([LOAD, folder, "--requests", requests, "--ahead", str(ahead)], check=True,
                          stdout=subprocess.PIPE, text=True)
    said = json.loads(done.stdout)
    assert said["requests"]["failures"] == [] and said["requests"]["done"] == JUMPS
    return said["stats"]


def timed_us(path, places):
    """Returns an independent reader's times: each place is read once, cold."""
    found = []
    with open(path, "rb", buffering=0) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        for at in places:
            begin = time.perf_counter()
            os.pread(file.fileno(), LENGTH, at)
            found.append((time.perf_counter() - begin) * 1e6)
    return found


def fast_and_slow(path, seed):
    """Returns the shares of jumps that are as fast as a solid drive's, and as slow as a hard disk's."""
    page_cache.forget(path)
    measured = timed_us(path, far_places(seed))
    return sum(us < FAST_US for us in measured) / JUMPS, sum(us >= SLOW_US for us in measured) / JUMPS


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A large file on the disk of the tests."""
    folder = tmp_path_factory.mktemp("media")
    if shutil.disk_usage(folder).free < 4 * FILE_MIB * MIB:
        pytest.skip("too little room for a large file")
    yield folder, write_file(folder / "content")
    shutil.rmtree(folder)


def test_the_disk_of_this_machine_is_taken_for_what_its_jumps_take(here):
    folder, big = here
    before = fast_and_slow(big, 1)
    for _ in range(3):  # sometimes most of the dropped pages are still in memory
        page_cache.forget(big)
        stats = load(big.parent, write_requests(folder / "requests", 2))
        if stats["jumps_timed"] >= 32:
            break
    after = fast_and_slow(big, 3)
    fast, slow = map(min, before, after)  # other programs may keep the disk busy for a while
    print(f"{fast:.2f} fast, {slow:.2f} slow by pread:", stats)
    if stats["jumps_timed"] == 0:
        pytest.skip("the system doesn't say which reads went to a device (tmpfs, or a network)")
    assert stats["jumps_timed"] >= 32
    if fast > 0.95:
        assert stats["media"] == "solid"
        if stats["system_media"] != "solid":
            assert stats["media_source"] == "measured" and stats["media_changes"] == 1
            assert stats["median_jump_us"] < FAST_US
    if slow > 0.6:
        assert stats["media"] == "rotational"


def test_what_comes_from_the_cache_decides_nothing(here):
    folder, big = here
    big.read_bytes()
    for ahead in (1, 32):
        stats = load(big.parent, write_requests(folder / "requests", 3), ahead)
        assert stats["jumps_timed"] <= 2, "a page may have been dropped meanwhile"
        assert stats["media_changes"] == 0
        assert stats["media_source"] in ("system", "unknown")


def test_memory_is_solid(tmp_path):
    shm = Path("/dev/shm")
    if not os.access(shm, os.W_OK) or shutil.disk_usage(shm).free < 2 * MIB:
        pytest.skip("there is no /dev/shm to write to")
    folder = shm / f"seekless-media-{os.getpid()}"
    folder.mkdir()
    try:
        (folder / "a").write_bytes(b"a" * MIB)
        (tmp_path / "requests").write_text("0 4096 a\n" * JUMPS)
        stats = load(folder, tmp_path / "requests")
    finally:
        shutil.rmtree(folder)
    assert (stats["media"], stats["media_source"], stats["system_media"]) == ("solid", "system", "solid")


@on_disk
def test_a_hard_disk_is_one_whatever_the_system_says(tmp_path):
    """Tests the right flag and an SSD's flag; and cold reads again after warm ones."""
    work = tmp_path / "hdd"
    work.mkdir()
    with disk_loads.disk_of(work) as disk:
        big = write_file(work / "content")
        disk.put("100G", big)
        on_the_disk = disk.folder / "big"
        requests = write_requests(tmp_path / "requests", 4)
        device = os.stat(disk.folder).st_dev
        flag = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/queue/rotational")
        assert flag.read_text().strip() == "1"
        for _ in range(3):  # any program on the machine may drop cached pages
            on_the_disk.read_bytes()
            warm = load(disk.folder, requests)
            if warm["jumps_timed"] == 0:
                break
        assert (warm["media"], warm["media_source"], warm["jumps_timed"]) == ("rotational", "system", 0)
        for is_told, source in (("1", "system"), ("0", "measured")):
            flag.write_text(is_told)
            said, _ = disk_loads.load(disk, disk.folder, "--requests", requests, "--ahead", "1")
            stats = said["stats"]
            print(stats)
            assert (stats["media"], stats["media_source"]) == ("rotational", source), stats
            assert stats["jumps_timed"] >= 32 and stats["slow_jumps"] >= 12
            assert stats["median_jump_us"] > SLOW_US
