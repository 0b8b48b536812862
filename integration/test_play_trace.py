"""`seekless play --trace` writes a recording that every command takes, with the loads of a session marked
automatically."""
import json

import pytest

from game import Game, noise
from test_play import DONE, folder, play, pytestmark, script  # noqa: F401, as what is needed is the same

QUIET_S = 4.3  # after four quiet seconds, `play` assumes a new load


def lines_of(trace):
    return [json.loads(line) for line in trace.read_text().splitlines()]


def test_reads_become_a_trace_that_plan_takes(tool, tmp_path):
    game = Game(tmp_path / "game")
    trace = tmp_path / "map.1.jsonl"
    text = """
import zipfile
archive = zipfile.ZipFile('base.wz')
for number in range(0, 300, 3): archive.read(f'features/f{number:03}.pie')
open('music/theme.ogg', 'rb').read()
"""
    answer = script(tool, game.folder, text, options=["--trace", trace, "--json", tmp_path / "r.json"])
    told = json.loads((tmp_path / "r.json").read_text())
    assert told["exit_code"] == 0 and told["was_served"] and told["paths"] == 2 and told["scenario"] == "map"
    assert f"{told['reads']} reads of {told['bytes']} bytes from 2 files" in answer.err
    tool.ok("plan", trace, "--content", game.folder, "-o", tmp_path / "layout.json")
    profile = tool.json("profile", trace, "--content", game.folder, "-o", tmp_path / "p.json")
    assert [scenario["name"] for scenario in profile["scenarios"]] == ["map"]
    assert profile["assets"] > 100


def test_marks_divide_it(tool, folder, tmp_path):
    trace = tmp_path / "t.jsonl"
    command = f"cat data >/dev/null; {tool.binary} mark second --recording {trace}; cat sub/note"
    answer = play(tool, folder, "sh", "-c", command, cwd=folder, options=["--trace", trace, "--scenario", "first"])
    assert answer.code == DONE, answer.err
    lines = lines_of(trace)
    assert lines[0]["scenario"] == "first"
    mark = next(number for number, line in enumerate(lines) if line.get("begins") == "second")
    assert next(number for number, line in enumerate(lines) if line.get("path", "").endswith("note")) > mark


@pytest.fixture
def session(tool, folder, tmp_path):
    """Reads files one after the other, with pauses between them, and returns the messages and the output."""
    for number, name in enumerate(("base", "one.map", "two.map")):
        (folder / name).write_bytes(noise(number, 2 << 20))

    def run(trace, *names, options=()):
        text = f"""
import time
for number, name in enumerate({names!r}):
    if number: time.sleep({QUIET_S})
    open(name, 'rb').read()
"""
        answer = script(tool, folder, text, options=["--state", tmp_path / "state", "--trace", trace, "--json", tmp_path / "r.json", *options])
        return json.loads((tmp_path / "r.json").read_text()), answer
    return run


def scenarios_of(tool, trace, folder, tmp_path):
    profile = tool.json("profile", trace, "--content", folder, "-o", tmp_path / "p.json")
    return {scenario["name"] for scenario in profile["scenarios"]}


def test_loads_of_a_session_are_marked_by_themselves(tool, folder, session, tmp_path):
    first, second = tmp_path / "game.1.trace", tmp_path / "game.2.jsonl"
    told, answer = session(first, "base", "one.map", "two.map")
    assert told["marked"] == ["one.map", "two.map"] and told["scenario"] == "game"
    assert f"{first}: then one.map, two.map" in answer.err
    assert scenarios_of(tool, first, folder, tmp_path) == {"game", "one.map", "two.map"}
    # The names are the same in another order, so that both sessions teach `plan` the same.
    assert session(second, "base", "two.map", "one.map")[0]["marked"] == ["two.map", "one.map"]
    in_scenario, scenario = {}, "game"
    for line in map(json.loads, second.read_text().splitlines()):
        scenario = line.get("begins", scenario)
        if "path" in line:
            in_scenario[line["path"].split("/")[-1]] = scenario
    assert in_scenario == {"base": "game", "two.map": "two.map", "one.map": "one.map"}
    layout = tmp_path / "layout.json"
    tool.ok("plan", first, second, "--content", folder, "-o", layout)
    assert {one["name"] for one in json.loads(layout.read_text())["scenarios"]} >= {"game", "one.map", "two.map"}


def test_a_name_for_all_of_it_is_kept(session, tmp_path):
    told, _ = session(tmp_path / "game.1.trace", "base", "one.map", options=["--scenario", "tour"])
    assert "marked" not in told and told["scenario"] == "tour"
