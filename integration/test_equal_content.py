"""Content that a game holds several times: each mission has its own copy of the assets that it shares with others."""
import json
import subprocess

import pytest

from game import noise
from made_up_game import Game

MISSIONS = 8


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    folder = tmp_path_factory.mktemp("equal")
    made = Game(folder / "game", MISSIONS, 200, seed=5)
    made.sizes = [min(size, 300_000) for size in made.sizes]
    made.write()
    made.traces = made.record(folder / "traces")
    return made


def planned(tool, game, layout, *options):
    return tool.json("plan", *game.traces, "--content", game.folder, "-o", layout, *options)


def files_of(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.dat")}


def test_copies_are_counted_and_listed(tool, game, tmp_path):
    equal = planned(tool, game, tmp_path / "layout.json")["equal"]
    files = files_of(game.folder)
    assert equal["bytes"] == sum(map(len, files.values())) - sum(map(len, set(files.values())))
    assert equal["assets"] == len(files) - len(set(files.values())) == len(equal["copies"])
    for copy in equal["copies"]:
        assert files[copy["path"]] == files[copy["of"]]
    assert 0 < equal["earned"]["apart_seconds"] <= equal["earned"]["once_seconds"]
    assert 0 < equal["earned"]["once_bytes"] < equal["earned"]["apart_bytes"]


@pytest.mark.parametrize("budget", [1, 1.25, 50])
def test_packs_hold_each_content_once_and_copies_that_pay(tool, game, tmp_path, budget):
    answer = planned(tool, game, tmp_path / "layout.json", "--budget", str(budget))
    tool.ok("pack", tmp_path / "layout.json", "-o", tmp_path / "packs")
    tool.ok("verify", tmp_path / "packs")
    tool.ok("extract", tmp_path / "packs", "-o", tmp_path / "out")
    files = files_of(game.folder)
    assert files_of(tmp_path / "out") == files
    different = sum(map(len, set(files.values())))
    written = sum(file.stat().st_size for file in (tmp_path / "packs").iterdir())
    laid = sum(pack["bytes"] for pack in answer["packs"])
    assert laid == pytest.approx(different + answer["prediction"]["copied_bytes"], rel=0.001)
    assert laid <= budget * different
    assert laid <= written <= 1.02 * laid + 50_000  # the rest is tables and padding


def test_sweeps_bring_each_missions_own_names(tool, build_folder, game, tmp_path):
    planned(tool, game, tmp_path / "layout.json", "--budget", "1")
    tool.ok("pack", tmp_path / "layout.json", "-o", tmp_path / "packs")
    answer = tool.ok("simulate", tmp_path / "packs", *game.traces, "--content", game.folder, "--json", "-").json
    assert not answer["warnings"]
    for scenario in answer["drives"][0]["scenarios"]:
        assert scenario["packs"]["swept"] and scenario["packs"]["missing_assets"] == 0, scenario
        own = sum(file.stat().st_size for file in (game.folder / scenario["name"]).iterdir())
        assert scenario["today"]["needed_bytes"] <= scenario["packs"]["needed_bytes"] <= own, scenario


def test_the_common_pack_keeps_equal_content_that_all_have_copies_of(tool, game, tmp_path):
    planned(tool, game, tmp_path / "layout.json", "--budget", "1000", "--gain", "0")
    layout = json.loads((tmp_path / "layout.json").read_text())
    files = {str(file.relative_to(game.folder)): file.read_bytes() for file in game.folder.rglob("*.dat")}
    [common] = [pack for pack in layout["packs"] if pack["kind"] == "common"]
    in_common = {files[asset["path"]] for asset in common["assets"]}
    copied = [files[path] for pack in layout["packs"] if pack["kind"] == "sub" for path in {of["path"] for of in pack["assets"]}]
    several = {content for content in copied if copied.count(content) > 1}
    assert several and several <= in_common


def test_a_load_that_reads_equal_content_by_several_names_needs_it_once(tool, tmp_path):
    folder = tmp_path / "game"
    folder.mkdir()
    for name, data in {"a": noise(1, 300_000), "b": noise(1, 300_000), "c": noise(2, 50_000), "d": noise(1, 300_000)}.items():
        (folder / name).write_bytes(data)
    trace = tmp_path / "boot.jsonl"
    lines = [{"seekless": "trace", "version": 1}]
    for number, name in enumerate("abcd"):
        lines += [{"path": str(folder / name)}, {"gap": 1, "open": True},
                  {"gap": 1, "file": number, "at": 0, "read": (folder / name).stat().st_size}]
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
    tool.ok("plan", trace, "--content", folder, "-o", tmp_path / "layout.json")
    answer = tool.ok("simulate", tmp_path / "layout.json", trace, "--content", folder, "--json", "-").json
    [load] = answer["drives"][0]["scenarios"]
    assert load["packs"]["needed_bytes"] == 350_000
    assert load["today"]["needed_bytes"] >= 950_000


def test_without_equal_content_nothing_is_said(tool, game, tmp_path):
    alone = tmp_path / "game"
    alone.mkdir()
    for number in range(3):
        (alone / f"{number}.dat").write_bytes(bytes([number]) * 1000)
    trace = tmp_path / "load.1.trace"
    trace.write_text("".join(json.dumps(line) + "\n" for line in [
        {"seekless": "trace", "version": 1, "scenario": "load"}, {"path": str(alone / "1.dat")}, {"gap": 1, "open": True},
        {"gap": 1, "file": 0, "at": 0, "read": 1000}]))
    done = tool.ok("plan", trace, "--content", alone, "-o", tmp_path / "layout.json")
    assert "copies:" not in done.text


def test_builds_keep_their_places_when_one_of_several_is_edited(tool, game, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    content = tmp_path / "content"
    subprocess.run(["cp", "-r", game.folder, content], check=True)
    (project / "seekless.json").write_text(json.dumps({
        "content": [str(content)], "traces": [str(trace) for trace in game.traces],
        "outputs": {"packs": {"folder": "packs"}}, "lock": "layout.lock",
        "map": [f"{game.folder}={content}"]}))
    tool.ok("build", project)
    files = files_of(content)
    different = sum(map(len, set(files.values())))
    written = sum(file.stat().st_size for file in (project / "packs").iterdir())
    assert written <= 1.02 * 1.5 * different + 100_000
    shared = [path for path in sorted(files) if list(files.values()).count(files[path]) > 2][:3]
    for path in shared:
        (content / path).write_bytes(b"edited " + path.encode() + files[path])
    tool.ok("build", project)
    tool.ok("verify", project / "packs")
    tool.ok("extract", project / "packs", "-o", tmp_path / "out")
    assert files_of(tmp_path / "out") == files_of(content)
