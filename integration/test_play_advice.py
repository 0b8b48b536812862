"""`seekless play --auto` compares the ways after it has laid out, and the next run says, once, if `place` or `repack` is forecast
to take a tenth less. The games lie on an emulated disk."""
import contextlib
import json
import os
import sys
import zipfile
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parent / "hdd")]
import bench
import own_disks
import page_cache
from game import noise
from measure_play_holes import KEPT, UsedRoom
from own_disks import MIB
from test_play import PYTHON, why_not
from test_play_auto import wait_for_layout
from tool import DONE, USAGE, check_schema

pytestmark = [*own_disks.NEEDS_EMULATED_DISK,
              pytest.mark.skipif(why_not() is not None, reason=why_not() or "")]
FILES = 90
READ_ALL = "import pathlib\nfor path in sorted(pathlib.Path('.').glob('f*')): path.read_bytes()\n"
READ_ZIP = """
import zipfile
of = zipfile.ZipFile('all.pk3')
for number in range(150): of.read(f'{number}.dat')
"""
TOO_LITTLE_ROOM = ["--room", "1M"]  # for nearly all of a load


@pytest.fixture
def disk(tmp_path):
    with bench.Disk(tmp_path / "disk", "--tables", "usual", "--scale", "0.05") as made:
        yield made


@contextlib.contextmanager
def holes(disk, megabytes):
    """Yields a new folder on the disk, whose free room is fragmented while the context lasts. Later free room is in long
    pieces, so that the file system's choice doesn't matter."""
    room = UsedRoom(disk)
    room.punch(megabytes * MIB)
    folder = disk.folder / "a game"
    folder.mkdir()
    yield folder
    room.close()
    (disk.folder / KEPT).unlink()


def between(path):
    """Makes a file that separates earlier and later files on the disk."""
    page_cache.write_back(path.parent)
    with open(path, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, MIB)
    page_cache.write_back(path.parent)


@pytest.fixture
def loose(disk):
    """Files with unread files between them on the disk."""
    with holes(disk, 180) as folder:
        for number in range(FILES):
            (folder / f"f{number:02}").write_bytes(noise(number, 200_000))
            between(folder / f"between{number}")
    return folder


@pytest.fixture
def zipped(disk):
    """An archive with unread entries between those that a load reads."""
    with holes(disk, 250) as folder, zipfile.ZipFile(folder / "all.pk3", "w") as made:
        for number in range(150):
            made.writestr(f"{number}.dat", noise(number, 40_000))
            made.writestr(f"{number}.unread", bytes(MIB))
    return folder


@pytest.fixture
def played(tool, disk, tmp_path):
    def run(folder, *options, load=READ_ALL):
        disk.hdd_once_free("cold")
        answer = tool.run("play", "--auto", "--state", tmp_path / "state", "--json", tmp_path / "r.json", *options, folder, "--",
                          *PYTHON, "-c", load, cwd=folder)
        assert answer.code == DONE, answer.err
        wait_for_layout(tmp_path)
        told = json.loads((tmp_path / "r.json").read_text())
        check_schema(told, "results/play")
        assert ("' is forecast to make a load take" in answer.err) == ("advice" in told)
        return told, answer
    return run


def advised(tool, advice):
    return {way["way"]: way for way in tool.json(*advice["compares"])["ways"]}


def test_place_is_advised_once_where_there_is_no_room_for_copies(tool, loose, played, tmp_path):
    assert "advice" not in played(loose, *TOO_LITTLE_ROOM)[0]
    second, _ = played(loose, *TOO_LITTLE_ROOM)
    assert second["lays_out_after"] and "advice" not in second
    told, answer = played(loose, *TOO_LITTLE_ROOM)
    advice = told["advice"]
    assert advice["way"] == "place" and advice["seconds"] <= 0.9 * advice["played_seconds"]
    assert f"to compare all ways: seekless advise --state {tmp_path}/state '{loose}'\n" in answer.err
    ways = advised(tool, advice)
    assert ways["place"]["seconds"] == pytest.approx(advice["seconds"], rel=0.15), "the file system may give other room"
    assert ways["laid out"]["seconds"] < advice["played_seconds"] <= ways["play"]["seconds"]
    assert "advice" not in played(loose, *TOO_LITTLE_ROOM)[0], "it was said"
    tool.ok("play", "--forget", loose, "--state", tmp_path / "state")
    for _ in range(2):
        played(loose, *TOO_LITTLE_ROOM)
    assert "advice" in played(loose, *TOO_LITTLE_ROOM)[0], "that was forgotten, too"


def test_repack_is_advised_for_archives(tool, zipped, played):
    for _ in range(2):
        assert "advice" not in played(zipped, *TOO_LITTLE_ROOM, load=READ_ZIP)[0]
    advice = played(zipped, *TOO_LITTLE_ROOM, load=READ_ZIP)[0]["advice"]
    assert advice["way"] == "repack" and advice["seconds"] <= 0.9 * advice["played_seconds"]
    repack = advised(tool, advice)["repack"]
    # The advice assumes contiguous room where the files lie now. The file system gives other room each time, farther
    # away or nearer.
    assert repack["seconds"] <= 0.9 * advice["played_seconds"], "the advice is right for that room, too"
    assert not repack["usable"] and repack["why_not"].startswith("needs a recording")
    assert tool.json(*advice["compares"])["notes"] == []


def test_nothing_is_said_where_copies_are_as_good(loose, played):
    told = [played(loose)[0] for _ in range(4)]
    assert [("lays_out_after" in run) for run in told] == [False, True, False, False]
    assert told[-1]["foreseen"]["shadow_reads"] > 0
    assert not any("advice" in run for run in told)


def test_nothing_is_said_of_what_does_not_fit_twice_into_the_free_room(loose, disk, played):
    """Both ways need room for the files that they rewrite."""
    free = os.statvfs(disk.folder)
    kept = FILES * 200_000 * 3 // 2
    assert kept < free.f_bavail * free.f_frsize
    with open(disk.folder / "full", "wb") as full:
        os.posix_fallocate(full.fileno(), 0, free.f_bavail * free.f_frsize - kept)
    try:
        for _ in range(3):
            assert "advice" not in played(loose, *TOO_LITTLE_ROOM)[0]
    finally:
        (disk.folder / "full").unlink()


def test_damaged_advice_is_no_advice(loose, played, tmp_path):
    for _ in range(2):
        played(loose, *TOO_LITTLE_ROOM)
    noted, = (tmp_path / "state").glob("*/advice")
    assert noted.stat().st_size > 0
    noted.write_bytes(noise(1, 300))
    assert "advice" not in played(loose, *TOO_LITTLE_ROOM)[0]


def test_both_ways_to_lay_out_are_refused(tool, loose):
    assert tool.run("play", "--lay-out", "--auto", loose, "--", "true").says("found both").code == USAGE
