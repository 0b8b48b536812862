"""`seekless play` fetches names that were looked up in the order of the disk: on a used disk, this halves the busy time
of a program that mostly looks up names."""
import pytest

import test_hdd
import test_play
from measure_play_holes import PROGRAMS, Disk, OnUsedDisk

REASON = test_hdd.why_not() or test_play.why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=REASON or "")


@pytest.fixture
def used_disk(tmp_path):
    with Disk(tmp_path / "disk", "--tables", "usual") as disk:
        yield OnUsedDisk(disk, "names", PROGRAMS["names"])


def test_names_are_fetched_in_the_order_of_the_disk(used_disk):
    plain, first, second, third = used_disk.run([]), used_disk.play(), used_disk.play(), used_disk.play()
    for run in (plain, first, second, third):
        print(run["busy_s"], run["seeks"])
    assert first["busy_s"] < 1.1 * plain["busy_s"]
    assert second["busy_s"] < 0.5 * plain["busy_s"] and third["busy_s"] < 0.5 * plain["busy_s"]
