"""The judge of `script/campaign refusals`, which refuses calls of every command, detects a program that ignores its
calls' results and leaves work undone."""
import pytest

from refusals.refusing import Campaign, Fault
from tool import Tool


def test_a_refusal_that_is_not_told_is_noticed(tool, tmp_path):
    careless = tmp_path / "seekless"
    careless.write_text(f"#!/bin/sh\n[ -z \"$FAULT_KIND\" ] || exit 0\nexec {tool.binary} \"$@\"\n")
    careless.chmod(0o755)
    campaign = Campaign(Tool(careless), tmp_path / "work", ["pack", "apply in place"])
    assert len(campaign.run(6, seed=1, say=lambda _: None)) == 6


@pytest.mark.parametrize("scene", ["pack", "patch"])
def test_a_packer_without_memory_makes_no_other_bytes(tool, tmp_path, scene):
    """LZ4 and zstd allocate their own memory; without it they only report that they can't compress."""
    campaign = Campaign(tool, tmp_path / "work", [scene])
    calls = campaign.old[scene].calls["large memory"]
    faults = [Fault(campaign.scenes[0], "large memory", at, "ENOMEM", 1) for at in range(1, calls + 1)]
    assert len(faults) > 5
    assert [(str(fault), wrong) for fault in faults if (wrong := campaign.try_one(fault)[1])] == []
