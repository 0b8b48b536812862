"""The planner as a command: copies that pay, budgets, sessions, rules and predictions, on a small game
of loose files and on the recordings of Warzone 2100."""
import json
import os
import random

import pytest

import measure_layout
from tool import USAGE, check_schema, tree
from warzone import recordings

WARZONE = [os.path.join("/usr/share/games/warzone2100", name) for name in ("base.wz", "mp.wz")]
TRACES = recordings()
needs_warzone = pytest.mark.skipif(not all(map(os.path.exists, WARZONE)),
                                   reason="needs the package warzone2100-data")


def write_runs(folder, runs):
    """Writes a list of names read, for each (scenario, number, paths)."""
    folder.mkdir(exist_ok=True)
    for scenario, number, paths in runs:
        lines = [f'7 {i}.000000 openat(AT_FDCWD, "{path}", O_RDONLY) = 3<{path}> <0.000010>\n'
                 f'7 {i}.100000 read(3<{path}>, ""..., 100) = 100 <0.000010>\n'
                 f'7 {i}.200000 close(3<{path}>) = 0 <0.000010>\n' for i, path in enumerate(paths)]
        (folder / f"{scenario}.{number}.strace").write_text("".join(lines))
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    """Makes four maps of which any two share something: 200 files of 20 kB to 400 kB."""
    folder = tmp_path_factory.mktemp("shared")
    chance = random.Random(4)
    content = folder / "content"
    content.mkdir()
    for i in range(200):
        (content / f"asset{i:03}.dat").write_bytes(chance.randbytes(chance.randrange(20_000, 400_000)))
    names = [content / f"asset{i:03}.dat" for i in range(180)]
    runs = []
    for index, scenario in enumerate(("north", "south", "east", "west")):
        mine = [name for i, name in enumerate(names) if i % 4 == index or (i * 7) % 5 == index]
        for number in (1, 2, 3):
            run = [name for name in mine if chance.random() > 0.03]
            if number == 2:
                run = run[30:] + run[:30]
            runs.append((scenario, number, run))
    return content, write_runs(folder / "traces", runs)


def plan(tool, game, output, *options):
    content, traces = game
    answer = tool.json("plan", *traces, "--content", content, "-o", output, *options)
    check_schema(answer, "results/plan")
    check_schema(json.loads(output.read_text()), "layout")
    return answer


def test_copies_are_read_and_nothing_is_lost(tool, game, tmp_path):
    content, traces = game
    answer = plan(tool, game, tmp_path / "l.json", "--gain", 0)
    assert answer["prediction"]["copied_bytes"] > 0
    tool.ok("pack", tmp_path / "l.json", "-o", tmp_path / "packs")
    tool.ok("verify", tmp_path / "packs")
    tool.ok("extract", tmp_path / "packs", "-o", tmp_path / "out")
    assert tree(tmp_path / "out") == {path.name: path.read_bytes() for path in content.iterdir()}
    stored = sum(path.stat().st_size for path in (tmp_path / "packs").iterdir())
    content_bytes = sum(path.stat().st_size for path in content.iterdir())
    assert stored > content_bytes + answer["prediction"]["copied_bytes"]


def test_the_prediction_is_what_the_simulator_says(tool, game, tmp_path):
    """Held-out predictions are for other layouts. Here each scenario has one run, so predictions are for this
    layout."""
    content, traces = game
    once = [trace for trace in traces if trace.name.split(".")[1] == "1"]
    answer = plan(tool, (content, once), tmp_path / "l.json")
    simulated = tool.ok("simulate", tmp_path / "l.json", *once, "--content", content,
                        "--json", "-").json
    for row in simulated["drives"][0]["scenarios"]:
        [predicted] = [of["predicted"] for of in answer["scenarios"] if of["name"] == row["name"]]
        assert not predicted["held_out"]
        assert predicted["sweep_s"] == pytest.approx(row["packs"]["seconds"], rel=0.12)
        assert predicted["bound_s"] == pytest.approx(row["packs"]["bound_seconds"], rel=0.03)


def test_the_curve_falls_and_the_budget_is_kept(tool, game, tmp_path):
    content_bytes = sum(path.stat().st_size for path in game[0].iterdir())
    for budget in (1, 1.05, 1.2, 3):
        answer = plan(tool, game, tmp_path / "l.json", "--budget", budget, "--gain", 0)
        assert answer["prediction"]["copied_bytes"] <= (budget - 1) * content_bytes
        assert sum(pack["bytes"] for pack in answer["packs"]) <= budget * content_bytes
        curve = answer["prediction"]["curve"]
        assert all(a["seconds"] > b["seconds"] and a["copied_bytes"] < b["copied_bytes"]
                   for a, b in zip(curve, curve[1:]))


def test_on_solid_state_nothing_is_copied(tool, game, tmp_path):
    for drive in ("sata-ssd", "nvme-optane"):
        answer = plan(tool, game, tmp_path / "l.json", "--drive", drive, "--gain", 0)
        assert answer["prediction"]["copied_bytes"] == 0
        assert len(answer["prediction"]["curve"]) == 1
        assert "Nothing is copied" in answer["prediction"]["reasons"]


def test_the_layout_is_the_same_every_time(tool, game, tmp_path):
    for name in ("a", "b"):
        plan(tool, game, tmp_path / f"{name}.json")
    one_core = tool.run("plan", *game[1], "--content", game[0], "-o", tmp_path / "c.json",
                        prefix=("taskset", "-c", "0"))
    assert one_core.code == 0, one_core.err
    texts = {(tmp_path / f"{name}.json").read_bytes() for name in "abc"}
    assert len(texts) == 1


def test_a_session_leaves_out_what_is_in_memory(tool, game, tmp_path):
    alone = plan(tool, game, tmp_path / "a.json")
    played = plan(tool, game, tmp_path / "b.json", "--session", "north,south")
    needs = [{row["name"]: row["predicted"] for row in answer["scenarios"]}
             for answer in (alone, played)]
    assert needs[1]["south"]["in_memory_bytes"] > 0
    assert (needs[1]["south"]["needed_bytes"] + needs[1]["south"]["in_memory_bytes"]
            == needs[0]["south"]["needed_bytes"])
    assert needs[1]["north"] == {**needs[1]["north"],
                                 "needed_bytes": needs[0]["north"]["needed_bytes"]}


def test_the_build_file_decides_and_options_go_before_it(tool, game, tmp_path):
    build = tmp_path / "seekless.json"
    build.write_text("""{
      // Music is streamed, so it lies apart.
      "budget": 1.0,
      "weights": {"north": 2},
      "rules": [{"match": "asset19*", "pack": "music", "order": 1},
                {"match": "asset000*", "exclude": true}]
    }""")
    check_schema(json.loads("".join(line for line in build.read_text().splitlines()
                                    if "//" not in line)), "build")
    answer = plan(tool, game, tmp_path / "l.json", "--build", build)
    assert answer["prediction"]["copied_bytes"] == 0
    assert {"name": "music", "kind": "common", "assets": 10} == {
        key: value for pack in answer["packs"] if pack["name"] == "music"
        for key, value in pack.items() if key != "bytes"}
    assert '"path":"asset000.dat"' not in (tmp_path / "l.json").read_text()
    more = plan(tool, game, tmp_path / "l.json", "--build", build, "--budget", 2, "--gain", 0)
    assert more["prediction"]["copied_bytes"] > 0


@pytest.mark.parametrize("options, parts", [
    (("--budget", "0.9"), ("--budget", "1 or more", "0.9")),
    (("--budget", "nan"), ("--budget",)),
    (("--gain", "-1"), ("--gain", "0 or more")),
    (("--weight", "north"), ("--weight", "SCENARIO=WEIGHT")),
    (("--weight", "north=-1"), ("--weight", "0 or more")),
    (("--weight", "north=inf"), ("--weight", "0 or more")),
    (("--session", "north"), ("--session", "two scenarios")),
    (("--session", "north,,south"), ("--session", "empty")),
    (("--align", "*.dat=3"), ("--align", "power of two")),
])
def test_options_out_of_range_are_refused(tool, game, tmp_path, options, parts):
    answer = tool.run("plan", *game[1], "--content", game[0], "-o", tmp_path / "l.json", *options)
    assert answer.code == USAGE
    answer.says(*parts)
    assert not (tmp_path / "l.json").exists()


def test_contradictory_rules_are_refused_with_their_place(tool, game, tmp_path):
    build = tmp_path / "seekless.json"
    build.write_text('{"rules": [{"match": "*"}, {"match": "a*", "exclude": true, "pack": "b"}]}')
    answer = tool.run("plan", *game[1], "--content", game[0], "-o", tmp_path / "l.json",
                      "--build", build)
    assert answer.code == USAGE
    answer.says("seekless.json", "rules, number 2", "excluded")


def test_names_that_nothing_has_are_warned_of(tool, game, tmp_path):
    answer = tool.run("plan", *game[1], "--content", game[0], "-o", tmp_path / "l.json",
                      "--weight", "nroth=3", "--session", "boot,north", "--align", "*.ogg=4096")
    assert answer.code == 0
    for part in ("'nroth'", "'boot'", "'*.ogg'"):
        assert part in answer.err


def test_sentences_count_an_asset_once_wherever_it_lies(tool, game, tmp_path):
    """If each reader has a copy, the common pack keeps the assets, but no scenario reads them there."""
    content, traces = game
    read = {line.split('"')[1] for trace in traces for line in trace.read_text().splitlines() if "openat" in line}
    for options in (("--budget", "1"), ("--budget", "9", "--gain", "0")):
        answer = plan(tool, game, tmp_path / "layout.json", *options)
        size = sum(os.path.getsize(path) for path in read)
        reasons = answer["prediction"]["reasons"]
        assert f"read {size / 1e6:.1f} MB of" in reasons and f"({len(read)} assets)" in reasons
        assert "never read" not in reasons
    layout = json.loads((tmp_path / "layout.json").read_text())
    common = next(pack for pack in layout["packs"] if pack["kind"] == "common")
    assert any(not layout["scenario_sets"][asset["set"]] for asset in common["assets"])


def test_scenarios_that_changed_are_to_be_recorded_again(tool, game, tmp_path):
    content, traces = game
    profile = tmp_path / "profile.json"
    tool.ok("profile", *traces, "--content", content, "-o", profile)
    known = json.loads(profile.read_text())
    known["assets"][5] = "gone.dat"
    profile.write_text(json.dumps(known))
    answer = tool.json("plan", "--profile", profile, "--content", content, "-o", tmp_path / "l.json")
    assert answer["gone"] == ["gone.dat"]
    assert "again: 1 asset that it read is gone" in answer["prediction"]["reasons"]


@pytest.mark.thorough
@needs_warzone
def test_warzone_before_and_after(tool):
    rows, answer = measure_layout.measure()
    for row in rows:
        # A load of the menu is hardly longer than two seeks.
        assert row["after_s"] <= max(1.25 * row["bound_s"], row["bound_s"] + 0.013), row
        assert row["scenario_left_out_s"] < 0.5 * row["before_s"], row
    assert answer["prediction"]["copied_bytes"] > 0
