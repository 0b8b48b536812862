"""How long `repack` keeps a disk busy, beside `cp` of the same archive. The emulated disk's busy seconds don't depend on the
host."""
import random
import subprocess
import sys
from pathlib import Path

import pytest

import page_cache
from flat_archives import pak, pck
from game import noise
from own_disks import NEEDS_EMULATED_DISK
from strace_lines import read_of
from test_repack_sets import Set
from zips import Entry, archive

sys.path.insert(0, str(Path(__file__).resolve().parent / "hdd"))
import bench

pytestmark = NEEDS_EMULATED_DISK

ENTRIES = [(f"{number:03}", noise(number, 50_000 + 1_000 * number)) for number in range(400)]
KINDS = {"pak": lambda: pak(ENTRIES),
         "pck": lambda: pck(ENTRIES, version=2, alignment=4096),
         "zip": lambda: archive([Entry(name, content) for name, content in ENTRIES])}


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    with bench.Disk(tmp_path_factory.mktemp("repack") / "disk", "--drive", "wd-black-1tb", "--scale", "0") as disk:
        yield disk


def busy_s(disk, *command):
    with disk.cold() as measured:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        page_cache.write_back(disk.folder)
    return measured["busy_s"]


def write_trace(path, reads):
    path.write_text("".join(f"{line}\n" for at_s, read in enumerate(reads) for line in read_of(*read, at_s)))
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_the_disk_is_about_as_busy_as_with_cp(tool, disk, tmp_path, kind):
    game = disk.folder / kind
    game.mkdir()
    path, blob = game / f"game.{kind}", KINDS[kind]()
    path.write_bytes(blob)
    read = random.Random(1).sample(ENTRIES, 250)
    trace = write_trace(tmp_path / "load.1.strace",
                        [(path, blob.index(content), len(content)) for _, content in read])
    page_cache.write_back(game)
    copying = busy_s(disk, "cp", path, game / "copy")
    (game / "copy").unlink()
    repacking = busy_s(disk, *tool.command("repack", trace, "--content", path, "--in-place"))
    assert path.read_bytes() != blob
    assert repacking < 1.2 * copying, (repacking, copying)


def test_of_a_set_only_what_is_read_is_copied(tool, disk, tmp_path):
    """In one sweep over its parts."""
    game = disk.folder / "set"
    game.mkdir()
    game_set = Set(game, entries=[(f"{name}.vtf", content) for name, content in ENTRIES])
    records = game_set.records()
    read = random.Random(1).sample(sorted(records), 250)
    trace = write_trace(tmp_path / "load.1.strace",
                        [(game_set.part(part), offset, size)
                         for _, _, _, part, offset, size in map(records.get, read)])
    page_cache.write_back(game)
    copying = busy_s(disk, "cp", "-r", game, disk.folder / "copy")
    repacking = busy_s(disk, *tool.command("repack", trace, "--content", game, "--in-place"))
    assert game_set.part(3).exists()
    assert repacking < 1.2 * copying, (repacking, copying)
