"""A program that waits for the disk for a fraction of a second has little to gain by `seekless play`. It is learned
like any other, and the reads and writes of `play` itself take a few seeks."""
import json

import pytest

import test_hdd
import test_play
from measure_play_holes import PROGRAMS, Disk, OnUsedDisk

REASON = test_hdd.why_not() or test_play.why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")
# `play` searches the home, which the program itself doesn't read, for the game's state. The first run makes folders and
# files there, and reads the disk's free-space tables for that: 5 seeks in all. The second run reads them and rewrites
# one: 9.
OWN_SEEKS = 12


def test_a_program_that_reads_one_file_is_learned_for_a_few_seeks(tmp_path):
    with Disk(tmp_path / "disk", "--tables", "usual") as disk:
        used = OnUsedDisk(disk, "one", PROGRAMS["one"])
        plain, first = used.run([]), used.play()
        kept, = (used.home / ".local/state").rglob("learned.json")
        files = json.loads(kept.read_text())["files"]
        second = used.play()
    for run in (plain, first, second):
        print(run["busy_s"], run["seeks"])
    assert "dat" in files
    assert max(first["seeks"], second["seeks"]) <= plain["seeks"] + OWN_SEEKS
