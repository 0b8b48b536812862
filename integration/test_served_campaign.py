"""The short form of `script/campaign served`: two file systems, five kills each, every kind of call."""
import os

import pytest

import served_campaign
from served_campaign import Missing
from test_play import pytestmark as needs_fuse

pytestmark = [*needs_fuse, pytest.mark.alone, pytest.mark.skipif(os.geteuid() != 0, reason="mounting file systems needs root")]


@pytest.mark.parametrize("user", [False, True], ids=["root", "user"])
@pytest.mark.parametrize("name", ["ext4", "overlayfs"])
def test_nothing_goes_wrong_on(tool, name, user):
    try:
        outcomes = served_campaign.served_on(tool, name, user, 5, 1)
    except Missing as missing:
        pytest.skip(str(missing))
    for part, outcome in outcomes.items():
        assert outcome.wrong == [], part
        assert outcome.tried > 0 or part == "pipes and links", part


@pytest.mark.parametrize("user", [False, True], ids=["root", "user"])
def test_bad_sectors_are_errors_of_their_pages_alone(tool, user):
    assert served_campaign.on_a_failing_disk(tool, user).wrong == []
