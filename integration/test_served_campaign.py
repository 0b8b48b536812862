"""The short form of `script/campaign served`: some file systems, a few kills each, every kind of call."""
import os

import pytest

import served_campaign
from served_campaign import EMULATED, Missing
from test_play import pytestmark as needs_fuse

pytestmark = [*needs_fuse, pytest.mark.skipif(os.geteuid() != 0, reason="mounting file systems needs root")]

BOTH = pytest.mark.parametrize("user", [False, True], ids=["root", "user"])


def check(part, tool, *arguments):
    try:
        outcomes = part(tool, *arguments)
    except Missing as missing:
        pytest.skip(str(missing))
    for name, outcome in outcomes.items():
        assert outcome.wrong == [], name
        assert outcome.tried > 0, name


@BOTH
@pytest.mark.parametrize("name", ["ext4", "overlayfs"])
def test_nothing_goes_wrong_in_a_served_folder_on(tool, name, user):
    check(served_campaign.play_on, tool, name, user, 5, 1)


@pytest.mark.parametrize("name, user", [("xfs", False), ("ntfs-3g", True)])
def test_nothing_goes_wrong_when_a_patch_is_applied_on(tool, name, user):
    check(served_campaign.apply_on, tool, name, user, 3, 1)


@pytest.mark.parametrize("name, user", [("btrfs", False), ("tmpfs", True)])
def test_nothing_goes_wrong_in_a_mounted_set_on(tool, name, user):
    check(served_campaign.mount_on, tool, name, user, 10, 1)


@BOTH
@pytest.mark.parametrize("command", served_campaign.ON_A_FAILING_DISK)
def test_bad_sectors_are_errors_of_what_lies_on_them_alone(tool, command, user):
    assert served_campaign.ON_A_FAILING_DISK[command](tool, user).wrong == []


def test_the_campaign_tells_what_it_tried_and_what_was_wrong(tool):
    told = []
    assert served_campaign.campaign(tool, 1, 1, [EMULATED], ["root"], ["play"], tell=told.append) == 0
    assert told[0] == "emulated disk, root, play, bad sectors: 3 tried, 0 wrong"
