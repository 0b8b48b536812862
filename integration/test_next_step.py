"""Each answer that judges ends with the command that helps most now: a shell reads it as it stands, and it works."""
import json
import random
import shlex
import tempfile
from pathlib import Path

from game import noise
from project import Project
from strace_lines import load_of


def next_of(answer):
    last = answer.text.splitlines()[-1]
    assert last.startswith("next: seekless "), answer.text
    return shlex.split(last)[2:]


def test_from_a_plan_each_step_leads_to_the_next(tool, tmp_path):
    project = Project(tool, tmp_path / "it's a game")
    traces = sorted((project.folder / "traces").iterdir())
    layout = project.folder / "a layout.json"
    planned = tool.ok("plan", *traces, "--content", project.content, "-o", layout)
    words = next_of(planned)
    if words[0] == "simulate":  # not worth it: the figures of each load follow
        assert words == ["simulate", str(layout), *map(str, traces), "--content", str(project.content)]
        words = ["pack", str(layout), "-o", str(project.folder / "packs")]
    for step in ("pack", "verify", "info", "info"):
        assert words[0] == step
        answer = tool.ok(*words)
        words = next_of(answer) if "--assets" not in words else []


def test_a_dry_run_leads_to_the_run_with_all_its_options(tool, tmp_path):
    project = Project(tool, tmp_path / "it's a game")
    traces = sorted((project.folder / "traces").iterdir())
    given = ["warm", *map(str, traces), "--content", str(project.content), "--rate", "900M"]
    answer = tool.ok(*given, "--dry-run", "--json", tmp_path / "r.json")
    assert next_of(answer) == [*given, "--json", str(tmp_path / "r.json")]
    assert json.loads((tmp_path / "r.json").read_text())["next"] == answer.text.splitlines()[-1].removeprefix("next: ")
    tool.ok(*next_of(answer))


def test_what_is_not_worth_it_leads_to_all_ways_with_the_same_recordings(tool, tmp_path):
    game = tmp_path / "game"
    game.mkdir()
    for number in range(3):
        (game / f"{number}.dat").write_bytes(bytes(5_000))
    trace = load_of(sorted(game.iterdir()), tmp_path / "load.1.strace")
    assert next_of(tool.ok("repack", "--dry-run", "--in-place", trace, "--content", game)) == ["advise", str(game), str(trace)]


def test_an_analysis_always_has_a_next_step(tool, tmp_path):
    game = tmp_path / "game"
    game.mkdir()
    (game / "0.dat").write_bytes(bytes(5_000))
    trace = load_of([game / "0.dat"], tmp_path / "load.1.strace")
    answer = tool.ok("analyze", trace, "--drive", "wd-black-1tb")
    assert answer.text.startswith("Not worth it")
    assert next_of(answer) == ["analyze", str(trace), "--drive", "wd-black-1tb", "--verbose"]
    assert "next: " not in tool.ok(*next_of(answer)).text
    names = tmp_path / "names.list"
    names.write_text(f"{game}/0.dat\n")
    answer = tool.ok("analyze", names, "--drive", "wd-black-1tb")
    assert next_of(answer) == ["record", "--", "GAME"], answer.text


def test_files_beside_the_game_do_not_hide_its_folder(tool, tmp_path):
    game = tmp_path / "game"
    game.mkdir()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as home:
        files = [game / f"{number:03}.dat" for number in range(120)] + [Path(home, "settings")]
        for number, file in enumerate(files):
            file.write_bytes(noise(number, 120_000))
        random.Random(3).shuffle(files)
        trace = load_of([*files[::3], *files[1::3]], tmp_path / "load.1.strace")
        assert next_of(tool.ok("analyze", trace, "--drive", "wd-black-1tb")) == ["advise", str(game), str(trace)]
