"""A program that waits for the disk for a fraction of a second has little to gain by `seekless play`. It is learned like any
other, and what `play` reads and writes for itself takes a few seeks."""
import pytest

import test_hdd
import test_play
from measure_play_holes import PROGRAMS, Disk, OnUsedDisk

REASON = test_hdd.why_not() or test_play.why_not()
pytestmark = [pytest.mark.alone, pytest.mark.skipif(REASON is not None, reason=REASON or "")]
# Whether something is known of the game is looked for at home, which the program doesn't read: from the disk's top to
# ~/.local are an inode and two folders' lists. To keep what was learned, folders and a file are made.
LOOKS = 4
KEEPS = 6


def test_a_program_that_reads_one_file_is_learned_for_a_few_seeks(tmp_path):
    with Disk(tmp_path / "disk", "--tables", "usual") as disk:
        used = OnUsedDisk(disk, "one", PROGRAMS["one"])
        plain, first = used.run([]), used.play()
        is_learned = [b"dat" in kept.read_bytes() for kept in (used.home / ".local/state").rglob("learned.json")] == [True]
        second = used.play()
    for run in (plain, first, second):
        print(run["busy_s"], run["seeks"])
    assert is_learned
    assert max(first["seeks"], second["seeks"]) <= plain["seeks"] + LOOKS + KEEPS
