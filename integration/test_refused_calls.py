"""The judge of `script/campaign refusals`, which has the system refuse calls of every command, notices what a
program that doesn't look at what its calls return leaves undone."""
from refusals.refusing import Campaign
from tool import Tool


def test_a_refusal_that_is_not_told_is_noticed(tool, tmp_path):
    careless = tmp_path / "seekless"
    careless.write_text(f"#!/bin/sh\n[ -z \"$FAULT_KIND\" ] || exit 0\nexec {tool.binary} \"$@\"\n")
    careless.chmod(0o755)
    campaign = Campaign(Tool(careless), tmp_path / "work", ["pack", "apply in place"])
    assert len(campaign.run(6, seed=1, say=lambda _: None)) == 6
