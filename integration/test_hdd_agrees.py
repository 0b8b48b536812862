"""Model, simulator and emulated disk agree: patterns of reads that a real program makes, on a real
file system, take the disk as long as `seekless simulate` says without any disk. Skipped without root
or FUSE."""
import json
import mmap
import os
import random
import sys
from pathlib import Path

import pytest

import page_cache
from own_disks import NEEDS_EMULATED_DISK

sys.path.insert(0, str(Path(__file__).resolve().parent / "hdd"))
import bench
import block_log

DRIVE = "wd-black-1tb"

pytestmark = NEEDS_EMULATED_DISK


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Maps each pattern to (the disk's figures, the model's figures)."""
    work = tmp_path_factory.mktemp("agrees")
    # Fifty times as fast as real time; busy seconds are the disk's own at any scale.
    with bench.Disk(work / "disk", "--drive", DRIVE, "--scale", "0.02") as disk:
        found = {name: (done, said) for name, done, said in bench.measure_patterns(disk, DRIVE, work)}
    for name, (done, said) in found.items():
        print(f"{name}: {done['busy_s']:.3f} s, the model {said['seconds']:.3f} s; "
              f"{rate_of(done):.2f} and {rate_of(said, 'seconds'):.2f} MB/s")
    return found


def rate_of(figures, seconds="busy_s"):
    return figures["bytes"] / figures[seconds] / 1e6


def test_busy_seconds_are_within_a_tenth_of_the_models(measured):
    assert len(measured) >= 5
    for name, (done, said) in measured.items():
        assert done["busy_s"] == pytest.approx(said["seconds"], rel=0.10), name


@pytest.mark.parametrize("pattern, expected", [
    ("two files in turn by 16 KiB, no read-ahead", 1.23),
    ("two files in turn by 16 KiB, read-ahead 128 KiB", 9.18),
    ("two files in turn by 2 MiB, read-ahead 2 MiB", 66.9)])
def test_two_files_in_turn_go_at_the_rates_that_the_drives_equations_give(measured, pattern, expected):
    done, said = measured[pattern]
    assert rate_of(done) == pytest.approx(expected, rel=0.10)
    assert rate_of(said, "seconds") == pytest.approx(expected, rel=0.10)


def test_seeks_and_bytes_agree(measured):
    """Only the disk also serves ext4's reads of its own tables."""
    for name, (done, said) in measured.items():
        assert done["bytes"] == pytest.approx(said["bytes"], rel=0.10), name
        assert done["seeks"] == pytest.approx(said["seeks"], rel=0.10, abs=4), name


FOLDERS, FILES = 60, 8  # a game of loose files, each folder with files of 16 to 96 KiB


@pytest.fixture(scope="module")
def loose_files(tmp_path_factory):
    """Makes a disk with the folders, and a recording that reads half of each folder's files, folder after folder and
    back again."""
    work = tmp_path_factory.mktemp("loose")
    random_ = random.Random(1)
    with bench.Disk(work / "disk", "--drive", DRIVE, "--scale", "0.02", "--tables", "usual") as disk:
        game = disk.folder / "game"
        for folder in range(FOLDERS):
            (game / f"{folder:02}").mkdir(parents=True)
            for file in range(FILES):
                (game / f"{folder:02}/{file}").write_bytes(bytes(random_.randrange(4, 25) * 4096))
        page_cache.write_back(game)
        paths = [game / f"{folder:02}/{file}" for file in range(0, FILES, 2)
                 for folder in random_.sample(range(FOLDERS), FOLDERS)]
        trace = work / "loose.jsonl"
        lines = [{"seekless": "trace", "version": 1, "scenario": "load"}]
        for number, path in enumerate(paths):
            lines += [{"path": str(path)}, {"gap": 1, "open": True},
                      {"gap": 1, "file": number, "at": 0, "read": path.stat().st_size}]
        trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
        yield disk, game, trace


def test_finding_loose_files_in_their_folders_is_in_forecasts(loose_files):
    """Without folders and inodes the forecast of `warm` would be 15 % too low here."""
    disk, game, trace = loose_files
    words = [trace, "--drive", DRIVE, "--dry-run", "--json", "-"]
    warm = json.loads(bench.run(bench.SEEKLESS, "warm", *words))["forecast_seconds"]
    placed = json.loads(bench.run(bench.SEEKLESS, "place", *words, "--content", game))["scenarios"][0]["before_s"]
    for said, command in [(warm, [bench.SEEKLESS, "warm", trace]), (placed, [bench.BIN / "replay", trace])]:
        with disk.cold() as measured:
            bench.run(*command)
        print(f"{measured['busy_s']:.3f} s, forecast {said:.3f}")
        assert measured["busy_s"] == pytest.approx(said, rel=0.10)


@pytest.mark.skipif(not block_log.is_possible(), reason="there is no tracefs of block devices, which needs root")
def test_the_kernels_log_has_each_request_in_blkparses_format(tmp_path):
    """The log of `integration/hdd/agree.py --measure`."""
    places = [number * 997 * 4096 for number in range(200)]
    with bench.Disk(tmp_path / "disk", "--drive", DRIVE, "--scale", "0") as disk:
        source = bench.run("findmnt", "-no", "SOURCE", disk.folder, text=True).strip()
        device = os.open(source, os.O_RDONLY | os.O_DIRECT)
        with block_log.BlockLog(source, tmp_path / "disk.blkparse"):
            buffer = mmap.mmap(-1, 4096)
            for place in places:
                os.preadv(device, [buffer], place)
        os.close(device)
    seen = {"D": [], "C": []}
    for line in (tmp_path / "disk.blkparse").read_text().splitlines():
        _, _, _, _, _, action, kind, sector, *_ = line.split()
        if kind.startswith("R"):
            seen[action].append(int(sector) * 512)
    assert seen["C"] == places and seen["D"] == places
