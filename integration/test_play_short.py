"""A program that waits for the disk for a fraction of a second has nothing to gain by `seekless play`, so `play` leaves it
alone: nothing is learned of it, and no folder is made for it."""
import pytest

import test_hdd
import test_play
from measure_play_holes import PROGRAMS, Disk, OnUsedDisk

REASON = test_hdd.why_not() or test_play.why_not()
pytestmark = [pytest.mark.alone, pytest.mark.skipif(REASON is not None, reason=REASON or "")]
# Whether something is known of the game is looked for at home, which the program doesn't read: from the disk's top to
# ~/.local are an inode and two folders' lists.
LOOKS = 4


def test_a_program_that_hardly_reads_leaves_nothing_behind(tmp_path):
    with Disk(tmp_path / "disk", "--tables", "usual") as disk:
        used = OnUsedDisk(disk, "few", PROGRAMS["few"])
        plain, first, second = used.run([]), used.play(), used.play()
        left = list((used.home / ".local").iterdir())
    for run in (plain, first, second):
        print(run["busy_s"], run["seeks"])
    assert [path.name for path in left] == ["share"]
    assert max(first["seeks"], second["seeks"]) <= plain["seeks"] + LOOKS
