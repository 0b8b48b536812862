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


@pytest.mark.parametrize("kind", KINDS)
def test_the_disk_is_about_as_busy_as_with_cp(tool, disk, tmp_path, kind):
    game = disk.folder / kind
    game.mkdir()
    path, blob = game / f"game.{kind}", KINDS[kind]()
    path.write_bytes(blob)
    read = random.Random(1).sample(ENTRIES, 250)
    trace = tmp_path / "load.1.strace"
    trace.write_text("".join(f"{line}\n" for at_s, (_, content) in enumerate(read)
                             for line in read_of(path, blob.index(content), len(content), at_s)))
    page_cache.write_back(game)

    def busy_s(*command):
        with disk.cold() as measured:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            page_cache.write_back(game)
        return measured["busy_s"]
    copying = busy_s("cp", path, game / "copy")
    (game / "copy").unlink()
    repacking = busy_s(*tool.command("repack", trace, "--content", path, "--in-place"))
    assert path.read_bytes() != blob
    assert repacking < 1.2 * copying, (repacking, copying)
