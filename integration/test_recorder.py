"""A program that reads through the library records itself; its trace is one like any other."""
import json
import subprocess

import pytest

import skl_reader
from programs import build_c_program
from tool import check_schema


@pytest.fixture(scope="module")
def recorder(install_prefix, tmp_path_factory):
    return build_c_program("record", tmp_path_factory.mktemp("recorder"), install_prefix)


@pytest.fixture
def recorded(recorder, made, tmp_path):
    """The assets that were read, in their order, and the trace."""
    wanted = list(reversed(made.game.MENU))
    trace = tmp_path / "game.trace"
    subprocess.run([recorder, made.packs, trace, "menu", *wanted], check=True)
    return wanted, trace


def test_plan_puts_assets_in_the_order_the_game_read_them(tool, made, recorded, tmp_path):
    wanted, trace = recorded
    tool.ok("plan", trace, "--content", made.game.folder, "-o", tmp_path / "layout.json")
    tool.ok("pack", tmp_path / "layout.json", "-o", tmp_path / "packs")
    pack = skl_reader.Pack(tmp_path / "packs" / "menu.skl")
    assert pack.paths == wanted


def test_profile_knows_every_asset_of_the_scenario(tool, made, recorded, tmp_path):
    wanted, trace = recorded
    tool.ok("profile", trace, "--content", made.game.folder, "-o", tmp_path / "profile.json")
    profile = json.loads((tmp_path / "profile.json").read_text())
    check_schema(profile, "profile")
    assert [scenario["name"] for scenario in profile["scenarios"]] == ["menu"]
    order = profile["scenarios"][0]["runs"][0]["assets"]
    assert [profile["assets"][asset] for asset in order] == wanted


def test_the_trace_can_be_imported_and_analyzed(tool, made, recorded, tmp_path):
    _, trace = recorded
    tool.ok("import", trace, "-o", tmp_path / "imported.jsonl")
    lines = (tmp_path / "imported.jsonl").read_text().splitlines()
    for line in lines:
        check_schema(json.loads(line), "trace")
    tool.ok("analyze", trace)
