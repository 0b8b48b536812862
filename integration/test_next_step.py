"""Each answer that judges ends with the command that helps most now: the command works unchanged in a shell."""
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
    if words[0] == "simulate":  # the verdict is "not worth it"; the figures of each load follow
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
    files = ["--json", tmp_path / "r.json", f"--html={tmp_path}/p.html"]
    again = tool.ok("analyze", "--drive", "wd-black-1tb", *files, "--", trace)
    assert next_of(again) == ["analyze", "--drive", "wd-black-1tb", "--verbose", "--", str(trace)], "its files are written"
    names = tmp_path / "names.list"
    names.write_text(f"{game}/0.dat\n")
    answer = tool.ok("analyze", names, "--drive", "wd-black-1tb")
    assert next_of(answer) == ["record", "--", "GAME"], answer.text


def slow_load(folders, text):
    """Reads 200 files of 100 kB, half of them in each folder, out of order."""
    files = [folder / f"{number:03}.dat" for folder in folders for number in range(200 // len(folders))]
    for number, file in enumerate(files):
        file.write_bytes(noise(number, 100_000))
    random.Random(3).shuffle(files)
    return load_of(files, text)


def stretched(recorded, times):
    """Returns the same calls, with `times` as much time between them."""
    lines = [line.split(" ", 2) for line in recorded.splitlines()]
    first = float(lines[0][1])
    return "".join(f"{pid} {first + (float(at) - first) * times:.6f} {call}\n" for pid, at, call in lines)


def analysed(tool, *words, **how):
    """Returns the reason of the verdict, and the words of the next step, or none."""
    answer = tool.ok("analyze", *words, "--json", "-", **how).json
    return answer["verdict"]["reason"], shlex.split(answer["next"])[1:] if "next" in answer else None


def test_every_verdict_that_an_analysis_gives_has_the_next_step_that_is_documented(tool, tmp_path):
    """The other reasons need a plan, packs or a profile: `slower`, `no recordings`, `no content`."""
    (tmp_path / "game").mkdir()
    trace = slow_load([tmp_path / "game"], tmp_path / "load.1.strace")
    game, disk = str(tmp_path / "game"), ["--drive", "wd-black-1tb"]
    assert analysed(tool, trace, *disk) == ("saves", ["advise", game, str(trace)])
    assert analysed(tool, trace, "--drive", "sata-ssd") == ("solid state", None)

    piped = trace.read_bytes()
    assert analysed(tool, "-", *disk, input=piped) == ("saves", ["advise", game])
    short = load_of([Path(game, "001.dat")], tmp_path / "short.1.strace")
    assert analysed(tool, short, *disk) == ("too little", ["analyze", str(short), *disk, "--verbose"])
    assert analysed(tool, "-", *disk, input=short.read_bytes()) == ("too little", None)

    recorded = trace.read_text()
    slow = tmp_path / "slow.1.strace"
    slow.write_text(stretched(recorded, 1000))
    assert analysed(tool, slow, *disk) == ("recording", ["record", "--", "GAME"])
    imported = tmp_path / "work.1.jsonl"
    tool.ok("import", slow, "-o", imported)
    imported.write_text(imported.read_text().replace('"strace"', '"ext4slower"', 1))  # doesn't slow the program
    assert analysed(tool, imported, *disk) == ("other work", ["analyze", str(imported), *disk, "--verbose"])
    small = tmp_path / "small.json"
    profile = tool.ok("drive", "show", "wd-black-1tb", "--json", "-").json
    small.write_text(json.dumps({**profile, "name": "small", "capacity_bytes": 1_000_000}))
    assert analysed(tool, trace, "--drive", small) == ("no room", None)
    names = tmp_path / "names.list"
    names.write_text(f"{game}/000.dat\n")
    assert analysed(tool, names, *disk) == ("names only", ["record", "--", "GAME"])
    silent = tmp_path / "silent.1.strace"
    silent.write_text("7 1700000000.0 getpid() = 7 <0.0001>\n")
    assert analysed(tool, silent, *disk) == ("no reads", ["record", "--", "GAME"])

    with tempfile.TemporaryDirectory(dir="/var/tmp") as other:
        apart = slow_load([Path(game), Path(other)], tmp_path / "apart.1.strace")
        assert analysed(tool, apart, *disk) == ("saves", ["advise", "GAME", str(apart)]), "which folder is the game's?"
    for file in Path(game).iterdir():
        file.write_bytes(b"short")
    assert analysed(tool, trace, *disk, "--content", game) == ("other content", ["record", "--", "GAME"])


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
