"""Every command assigns each read to the same run and scenario, for all names and orders of recordings. The tests
compare figures, not labels."""
import json
import random
import struct
import zipfile

import pytest

from game import noise
from tool import USAGE, check_schema

ENTRIES = 60
ENTRY_BYTES = 12_000


class Game:
    """One archive of small entries, and recordings in which an engine reads each with one call."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder
        self.content = folder / "content"
        self.content.mkdir()
        self.archive = self.content / "a.zip"
        self.names = [f"e/{number:02}.bin" for number in range(ENTRIES)]
        with zipfile.ZipFile(self.archive, "w") as archive:
            for number, name in enumerate(self.names):
                archive.writestr(zipfile.ZipInfo(name), noise(number, ENTRY_BYTES))
                archive.writestr(zipfile.ZipInfo(f"unread/{number}.bin"), noise(number, 400_000))

    def record(self, name, numbers, archive=None, scenario=None, before=()):
        """Reads header and data in one read; `before` holds lines of an earlier session."""
        lines = list(before)
        for number in numbers:
            begin, end = place(archive or self.archive, self.names[number])
            lines.append({"gap": 1000, "process": 7, "thread": 7, "file": 0, "at": begin, "read": end - begin, "took": 10})
        path = self.folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        header = {"seekless": "trace", "version": 1}
        if scenario:
            header["scenario"] = scenario
        path.write_text("\n".join(json.dumps(line) for line in [header, {"path": str(archive or self.archive)}, *lines]) + "\n")
        return path

    def forecast(self, *traces, options=()):
        answer = self.tool.json("repack", *traces, "--content", self.content, "--in-place", "--dry-run",
                                "--drive", "wd-black-1tb", *options)
        return {of["name"]: of for of in answer["forecast"]["scenarios"]}

    def seconds(self, content, trace):
        """Returns the simulator's figures for a load recorded on these very archives."""
        answer = self.tool.ok("simulate", trace, "--content", content, "--drive", "wd-black-1tb", "--json", "-").json
        [of] = answer["drives"][0]["scenarios"]
        return of["today"]["seconds"]


def place(archive, name):
    """Returns where an entry begins and ends, by its own local header."""
    with zipfile.ZipFile(archive) as opened:
        info = opened.getinfo(name)
    with open(archive, "rb") as file:
        file.seek(info.header_offset)
        name_bytes, extra_bytes = struct.unpack("<HH", file.read(30)[26:30])
    return info.header_offset, info.header_offset + 30 + name_bytes + extra_bytes + info.compress_size


def shuffled(seed):
    numbers = list(range(ENTRIES))
    random.Random(seed).shuffle(numbers)
    return numbers


@pytest.fixture
def game(tool, tmp_path):
    return Game(tool, tmp_path)


def by_trace(forecast, scenario="m"):
    return {run["trace"]: run["after_s"] for run in forecast[scenario]["each"]}


# ---- held out ------------------------------------------------------------------------------------

def test_a_run_is_tried_on_the_order_that_the_others_make(game):
    """The forecast for a run is its time on archives that are really made from the other runs."""
    runs = {f"m.{number}": shuffled(number) for number in (1, 2)}
    traces = {name: game.record(f"{name}.jsonl", numbers) for name, numbers in runs.items()}
    told = by_trace(game.forecast(*traces.values()))
    for name, other in (("m.1", "m.2"), ("m.2", "m.1")):
        out = game.folder / f"of-{other}"
        game.tool.ok("repack", traces[other], "--content", game.content, "-o", out, "--drive", "wd-black-1tb")
        again = game.record("again.jsonl", runs[name], out / "a.zip")
        assert told[name] == pytest.approx(game.seconds(out, again), rel=0.03)
        seen = game.record("seen.jsonl", runs[other], out / "a.zip")
        assert told[name] > 3 * game.seconds(out, seen), "an order made of the run itself is far better"


def test_a_fold_replaced_changes_its_own_forecast_and_not_the_order(game):
    first = game.record("m.1.jsonl", shuffled(1))
    before = by_trace(game.forecast(first, game.record("m.2.jsonl", shuffled(2))))
    # m.2's order is m.1's except for the last few reads, so it is close to the order made from m.1.
    numbers = shuffled(1)
    numbers[-6:] = reversed(numbers[-6:])
    after = by_trace(game.forecast(first, game.record("m.2.jsonl", numbers)))
    assert after["m.2"] < before["m.2"] / 2
    # m.2 is forecast on the order made without it, that is, from m.1 alone.
    out = game.folder / "out"
    game.tool.ok("repack", first, "--content", game.content, "-o", out, "--drive", "wd-black-1tb")
    for name, numbers, told in (("old", shuffled(2), before), ("new", numbers, after)):
        again = game.record(f"{name}.jsonl", numbers, out / "a.zip")
        assert told["m.2"] == pytest.approx(game.seconds(out, again), rel=0.03)


def test_what_recordings_are_called_changes_no_figure(game):
    runs = [shuffled(seed) for seed in range(3)]
    names = [["m.1.jsonl", "m.2.jsonl", "m.3.jsonl"], ["m.1", "m.2", "m.3"], ["m.3", "m.1", "m.2"],
             ["a/m.jsonl", "b/m.jsonl", "c/m.jsonl"], ["m (1).trace", "m (2).trace", "m.trace"],
             ["m.r1", "m.run2", "m.run-3"]]
    told = []
    for each in names:
        traces = [game.record(f"{len(told)}/{name}", numbers) for name, numbers in zip(each, runs)]
        forecast = game.forecast(*traces)
        assert forecast["m"]["runs"] == 3 and forecast["m"]["held_out"]
        del forecast["m"]["each"]
        told.append(forecast)
        random.Random(len(told)).shuffle(traces)
        again = game.forecast(*traces)
        del again["m"]["each"]
        assert again == forecast, "the order of arguments"
    assert all(forecast == told[0] for forecast in told)


def test_one_read_of_header_and_data_stays_one(game):
    """In aligned archives, there is a gap between header and data, but a read of both still counts as one. For the load
    that jumps, two reads would give 0.06 s instead of 0.11."""
    loads = {"in-order": shuffled(1), "jumping": shuffled(2)}
    traces = [game.record(f"{name}.jsonl", numbers) for name, numbers in loads.items()]
    for align in (4096, 16384):
        out = game.folder / f"out-{align}"
        options = ("--align", align, "--weight", "in-order=1000000")
        told = game.forecast(*traces, options=options)
        game.tool.ok("repack", *traces, "--content", game.content, "-o", out, "--drive", "wd-black-1tb", *options)
        for name, numbers in loads.items():
            again = game.record("again.jsonl", numbers, out / "a.zip")
            assert told[name]["after"]["seconds"] == pytest.approx(game.seconds(out, again), rel=0.03)


def test_repack_reads_a_recording_once(game):
    """A pipe can't be read twice; the figures are the same as with a file."""
    trace = game.record("trace.jsonl", shuffled(1))
    told = game.forecast(trace)
    game.tool.ok("repack", "-", "--content", game.content, "--in-place", "--dry-run", "--drive", "wd-black-1tb",
                 "--json", game.folder / "answer.json", input=trace.read_bytes())
    [of] = json.loads((game.folder / "answer.json").read_text())["forecast"]["scenarios"]
    assert of == told["trace"]


# ---- recordings of one name ----------------------------------------------------------------------

def plan(game, *traces, options=(), name="layout.json"):
    answer = game.tool.json("plan", *traces, "--content", game.content, "-o", game.folder / name, *options)
    return {of["name"]: of["predicted"] for of in answer["scenarios"]}


def test_recordings_of_one_name_in_different_folders_are_not_one(game):
    """In a session, assets that boot has read are cached; only a recording of both shows that they are read again."""
    traces = [game.record("boot/x.jsonl", range(0, 30), scenario="boot"),
              game.record("map/x.jsonl", range(20, 50), scenario="map")]
    session = ("--session", "boot,map")
    other_names = [game.record("one.jsonl", range(0, 30), scenario="boot"),
                   game.record("two.jsonl", range(20, 50), scenario="map")]
    needed = plan(game, *traces, options=session)
    assert needed == plan(game, *other_names, options=session)
    assert needed["map"]["in_memory_bytes"] == 10 * ENTRY_BYTES
    assert needed["map"]["needed_bytes"] == 20 * ENTRY_BYTES


def test_a_profile_file_keeps_recordings_apart(game):
    traces = [game.record("boot/x.jsonl", range(0, 30), scenario="boot"),
              game.record("map/x.jsonl", range(20, 50), scenario="map")]
    profile = game.folder / "profile.json"
    game.tool.ok("profile", *traces, "--content", game.content, "-o", profile)
    told = json.loads(profile.read_text())
    check_schema(told, "profile")
    assert [run["recording"] for of in told["scenarios"] for run in of["runs"]] == [0, 1]
    answer = game.tool.json("plan", "--profile", profile, "--content", game.content, "-o", game.folder / "l.json",
                            "--session", "boot,map")
    assert answer["scenarios"][1]["predicted"]["in_memory_bytes"] == 10 * ENTRY_BYTES


def test_each_picture_has_the_conclusions_of_its_own_recording(game):
    traces = [game.record(f"{name}/x.jsonl", range(9), scenario=f"load of {name}") for name in ("one", "two")]
    page = game.folder / "page.html"
    game.tool.ok("analyze", *traces, "--html", page)
    for name in ("one", "two"):
        assert page.read_text().count(f"load of {name}: ") == 1


# ---- order ---------------------------------------------------------------------------------------

def test_the_layout_is_the_same_in_whatever_order_traces_and_scenarios_come(game):
    chance = random.Random(3)
    traces = [game.record(f"s{scenario}.{run}.jsonl", chance.sample(range(ENTRIES), 25))
              for scenario in range(5) for run in range(3)]
    profile, layout = game.folder / "profile.json", game.folder / "layout.json"
    game.tool.ok("profile", *traces, "--content", game.content, "-o", profile)
    plan(game, *traces)
    profiled, laid = profile.read_bytes(), layout.read_bytes()
    for _ in range(3):
        chance.shuffle(traces)
        plan(game, *traces)
        assert layout.read_bytes() == laid
        game.tool.ok("profile", *traces, "--content", game.content, "-o", game.folder / "again.json")
        assert (game.folder / "again.json").read_bytes() == profiled
        told = json.loads(profiled)
        chance.shuffle(told["scenarios"])
        for of in told["scenarios"]:
            chance.shuffle(of["runs"])
        (game.folder / "shuffled.json").write_text(json.dumps(told))
        game.tool.ok("plan", "--profile", game.folder / "shuffled.json", "--content", game.content, "-o", layout)
        assert layout.read_bytes() == laid


# ---- scenarios that begin with an entry ----------------------------------------------------------

@pytest.fixture
def session(game):
    """The menu, then two maps, each of which begins with an entry of the archive."""
    return [game.record(f"menu.{run}.jsonl", [*range(0, 10), 20, *range(21, 30), 40, *range(41, 50)]) for run in (1, 2)]


SPLIT = ("--split", "e/20.bin", "--split", "e/40.bin")
SPLIT_NAMES = {"menu", "20", "40"}


def test_every_command_begins_scenarios_with_entries(game, session):
    tool, content = game.tool, game.content
    given = (*session, "--content", content, *SPLIT)
    assert set(plan(game, *session, options=SPLIT)) == SPLIT_NAMES
    profile = tool.json("profile", *given, "-o", game.folder / "p.json")
    assert {(of["name"], of["runs"], of["assets"]) for of in profile["scenarios"]} == {
        (name, 2, 10) for name in SPLIT_NAMES}
    packs = game.folder / "packs"
    tool.ok("pack", game.folder / "layout.json", "-o", packs)
    simulated = tool.ok("simulate", packs, *given, "--json", "-").json["drives"][0]["scenarios"]
    assert {(of["name"], of["runs"]) for of in simulated} == {(name, 2) for name in SPLIT_NAMES}
    assert all(of["packs"]["seconds"] < of["today"]["seconds"] for of in simulated)
    report = tool.ok("report", packs, *given, "--json", "-").json["scenarios"]
    assert {(of["name"], of["runs"]) for of in report} == {(name, 2) for name in SPLIT_NAMES}
    forecast = game.forecast(*session, options=SPLIT)
    assert {(name, of["runs"], of["held_out"]) for name, of in forecast.items()} == {
        (name, 2, True) for name in SPLIT_NAMES}
    analysis = tool.ok("analyze", *given, "--json", "-").json
    assert {run["scenario"] for run in analysis["runs"]} == SPLIT_NAMES
    assert {of["name"] for of in analysis["verdict"]["scenarios"]} == SPLIT_NAMES


def test_the_same_seconds_as_of_recordings_that_were_cut_by_hand(game, session):
    apart = [game.record("menu.jsonl", range(0, 10)), game.record("20.jsonl", range(20, 30)),
             game.record("40.jsonl", range(40, 50))]
    given = ("--content", game.content, "--drive", "wd-black-1tb", "--json", "-")
    [by_hand, split] = [{of["name"]: of["today"]["seconds"]
                         for of in game.tool.ok("simulate", *of, *given).json["drives"][0]["scenarios"]}
                        for of in (apart, (*session, *SPLIT))]
    assert split == pytest.approx(by_hand)


def test_entries_need_content_and_what_begins_nothing_is_said(game, session):
    for options in (SPLIT, ("--content", game.content, "--split", "nothing/*")):
        told = game.tool.ok("analyze", session[0], *options).text
        # Where its lines are wrapped depends on the length of the folder's name.
        assert "--split begins no scenario" in " ".join(told.split())


# ---- names that may be runs ----------------------------------------------------------------------

@pytest.fixture
def numbered(game):
    """Returns two runs of a load, with names that don't show that, and two maps."""
    boot = [*range(0, 30)]
    return {"boot-1": game.record("boot-1.jsonl", boot), "boot-2": game.record("boot-2.jsonl", boot[::-1]),
            "level-1": game.record("level-1.jsonl", [*range(0, 5), *range(30, 40)]),
            "level-2": game.record("level-2.jsonl", [*range(0, 5), *range(40, 50)])}


def commands(game, traces):
    """Returns every command that takes recordings."""
    given = [*traces, "--content", game.content]
    return {"plan": ["plan", *given, "-o", game.folder / "l.json"],
            "profile": ["profile", *given, "-o", game.folder / "p.json"],
            "simulate": ["simulate", *given], "analyze": ["analyze", *given], "analyze without content": ["analyze", *traces],
            "repack": ["repack", *given, "--in-place", "--dry-run"], "warm": ["warm", *traces]}


def test_scenarios_that_look_like_runs_are_warned_of_and_not_merged(game, numbered):
    for name, command in commands(game, numbered.values()).items():
        answer = game.tool.ok(*command)
        said = " ".join((answer.text + answer.err).split())
        assert "'boot-1' and 'boot-2' read nearly the same" in said, name
        assert "--runs 'boot-[0-9]*=boot'" in said and "--runs 'boot-[0-9]*='" in said, name
        assert "level-1" not in said.split("read nearly the same")[1].split("build file")[0], name
    assert set(plan(game, *numbered.values())) == set(numbered)


def test_rules_say_which_recordings_are_runs_of_one(game, numbered):
    rules = ("--runs", "boot-*=boot", "--runs", "level-[0-9]=")
    for name, command in commands(game, numbered.values()).items():
        answer = game.tool.ok(*command, *rules)
        assert "read nearly the same" not in " ".join((answer.text + answer.err).split()), name
    told = plan(game, *numbered.values(), options=rules)
    assert {name: of["held_out"] for name, of in told.items()} == {"boot": True, "level-1": False, "level-2": False}
    forecast = game.forecast(*numbered.values(), options=rules)
    assert {name: of["runs"] for name, of in forecast.items()} == {"boot": 2, "level-1": 1, "level-2": 1}
    analysis = game.tool.ok("analyze", *numbered.values(), *rules, "--json", "-").json
    assert {run["scenario"] for run in analysis["runs"]} == {"boot", "level-1", "level-2"}


def test_a_rule_without_a_name_undoes_numbers_that_are_runs(game):
    traces = [game.record(f"e1.{number}.jsonl", range(number, number + 9)) for number in (1, 2)]
    assert set(plan(game, *traces)) == {"e1"}
    assert set(plan(game, *traces, options=("--runs", "e1.*="))) == {"e1.1", "e1.2"}


def test_the_first_rule_counts_and_the_header_does_not(game):
    traces = [game.record(f"{name}.jsonl", range(9), scenario="as the header says") for name in ("x1", "x2", "y")]
    assert set(plan(game, *traces, options=("--runs", "x1=one", "--runs", "x*=other"))) == {
        "one", "other", "as the header says"}


def test_import_takes_rules(game, numbered):
    answer = game.tool.json("import", numbered["boot-1"], numbered["boot-2"], "-o", f"{game.folder}/imported/",
                            "--runs", "boot-*=boot")
    assert [of["scenario"] for of in answer["inputs"]] == ["boot", "boot"]


def test_rules_that_fit_nothing_or_are_none(game, numbered):
    answer = game.tool.ok("analyze", numbered["boot-1"], "--runs", "bott-*=boot")
    assert "--runs 'bott-*=boot': no recording has such a name" in " ".join((answer.text + answer.err).split())
    answer = game.tool.run("analyze", numbered["boot-1"], "--runs", "boot")
    assert answer.code == USAGE
    answer.says("--runs", "GLOB=NAME", "'boot'")


def test_a_build_file_takes_rules(game, numbered):
    file = game.folder / "seekless.json"

    def build(**changes):
        told = {"content": ["content"], "traces": ["*-[0-9].jsonl"], "outputs": {"packs": {"folder": "packs"}}, **changes}
        check_schema(told, "build")
        file.write_text(json.dumps(told))
        return game.tool.run("build", game.folder, "--json", "-")

    answer = build()
    assert set(of["name"] for of in answer.json["scenarios"]) == set(numbered)
    assert any("read nearly the same" in warning for warning in answer.json["warnings"])
    answer = build(runs=["boot-*=boot"])
    assert {of["name"]: of["runs"] for of in answer.json["scenarios"]} == {"boot": 2, "level-1": 1, "level-2": 1}
    assert not any("read nearly the same" in warning for warning in answer.json["warnings"])
    file.write_text(json.dumps({"content": ["content"], "outputs": {"packs": {"folder": "p"}}, "runs": ["boot"]}))
    game.tool.run("build", game.folder).says("runs", "GLOB=NAME", "'boot'")
