"""`seekless analyze` judges for the drive that the content lies on with files where they really lie, on the test's own
ext4, in order or scattered; `place` and `warm` forecast the same figures."""
import random

import pytest

import own_disks
import page_cache
from game import noise
from own_disks import MIB
from strace_lines import load_of

pytestmark = pytest.mark.skipif(own_disks.why_not() is not None, reason=own_disks.why_not() or "")
FILES = 40


@pytest.fixture(params=["in order", "scattered"])
def game(request, tmp_path):
    """Files that a load reads by name; scattered, they were written in another order, with others between them."""
    with own_disks.mounted(tmp_path, "ext4", 512) as disk:
        folder = disk.folder / "game"
        folder.mkdir()
        numbers = list(range(FILES))
        if request.param == "scattered":
            random.Random(1).shuffle(numbers)
        for number in numbers:
            (folder / f"f{number:02}").write_bytes(noise(number, 200_000))
            if request.param == "scattered":
                (disk.folder / f"between{number}").write_bytes(bytes(6 * MIB))
            page_cache.write_back(disk.folder)
        yield request.param, folder, load_of(sorted(folder.iterdir()), tmp_path / "map.1.strace")


def test_the_seconds_are_those_of_place_and_warm(tool, game, tmp_path):
    how, folder, trace = game
    answer = tool.ok("analyze", trace, "--content", folder, "--json", "-").json
    (load,) = answer["verdict"]["scenarios"]
    assert any("where they lie now" in line for line in answer["assumptions"])
    (placed,) = tool.json("place", folder, trace, "--dry-run", "--drive", answer["drive"],
                          "--state", tmp_path / "state")["scenarios"]
    assert load["as_shipped_seconds"] == pytest.approx(placed["before_s"], rel=0.1)
    named = tool.ok("analyze", trace, "--content", folder, "--drive", answer["drive"], "--json", "-").json
    (side_by_side,) = named["verdict"]["scenarios"]
    if how == "scattered":
        assert answer["verdict"]["drive"]["solid_state"] or load["as_shipped_seconds"] > 3 * side_by_side["as_shipped_seconds"]
    else:  # the same except for the folder's list and inodes; `warm` reads in the disk's order
        assert load["as_shipped_seconds"] < 1.5 * side_by_side["as_shipped_seconds"]
        warm = tool.json("warm", trace, "--dry-run", "--drive", answer["drive"])["forecast_seconds"]
        assert load["as_shipped_seconds"] == pytest.approx(warm, rel=0.1)
