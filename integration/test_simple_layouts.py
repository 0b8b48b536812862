"""The layouts that the planner is compared with (measure_orders.py) are valid and match their names."""
import json

import pytest

from project import Project
from simple_layouts import SimpleLayouts


@pytest.fixture(scope="module")
def made(tool, tmp_path_factory):
    project = Project(tool, tmp_path_factory.mktemp("simple") / "game", assets=60, most_bytes=3000)
    traces = sorted((project.folder / "traces").iterdir())
    layout, profile = project.folder / "layout.json", project.folder / "profile.json"
    tool.ok("plan", *traces, "--content", project.content, "-o", layout)
    tool.ok("profile", *traces, "--content", project.content, "-o", profile)
    return project, SimpleLayouts(json.loads(layout.read_text()), json.loads(profile.read_text()))


def paths_of(pack):
    return [asset["path"] for asset in pack["assets"]]


def test_they_can_be_packed_and_hold_everything(tool, made, tmp_path):
    project, simple = made
    for name, layout in {"first": simple.in_one_order(simple.first_seen()), "rank": simple.in_one_order(simple.mean_rank()),
                         "run": simple.in_one_order(simple.of_run(simple.all_runs()[-1])),
                         "full": simple.full_copies()}.items():
        path = project.folder / f"{name}.json"  # beside the content, which the layout names
        path.write_text(json.dumps(layout))
        tool.ok("pack", path, "-o", tmp_path / name, cwd=project.folder)
        tool.ok("verify", tmp_path / name)
        assert {asset for pack in layout["packs"] for asset in paths_of(pack)} == set(simple.assets)


def test_orders_are_what_their_names_say(made):
    project, simple = made
    menu, *rest = simple.all_runs()
    assert simple.first_seen()[:len(menu)] == menu
    assert simple.of_run(rest[-1])[:len(rest[-1])] == rest[-1]
    assert sorted(simple.mean_rank()) == sorted(simple.first_seen())
    packs = {pack["name"]: paths_of(pack) for pack in simple.full_copies()["packs"]}
    assert packs["menu"] == menu
    assert set(packs["north"]) & set(packs["menu"])  # both packs have a copy
