"""One verdict: all commands that judge give the same verdict on the same recordings, in the same words and with the
same figures. On three games of Debian (loose files, a zip, one large file that is no zip), whose recordings are in
integration/traces/small_games; each is skipped where its package is missing. Small made-up content tests edge cases of
each command's answer."""
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from game import noise
from tool import DAMAGED, TOP, check_schema
from zips import Entry, archive, data_offsets

TRACES = TOP / "integration" / "traces" / "small_games"
GAMES = {
    "neverball": Path("/usr/share/games/neverball"),
    "mrrescue": Path("/usr/share/games/mrrescue/mrrescue.love"),
    "freedoom": Path("/usr/share/games/doom/freedoom1.wad"),
}
SHARED = ("as_shipped_seconds", "bound_seconds", "saved_at_best_seconds", "besides_seconds")
COMMANDS = ("analyze", "plan", "build", "report", "simulate", "repack")
OF_PACKS = ("plan", "build", "report", "simulate")


class Judged:
    """Returns the answers of all commands that judge, text and JSON, on the same recordings and drive."""

    def __init__(self, tool, folder, content, traces, drive, maps=()):
        folder.mkdir()
        self.text, self.json = {}, {}
        layout, packs = folder / "layout.json", folder / "packs"
        of = [*traces, "--content", content, *(word for rule in maps for word in ("--map", rule))]
        at = ["--drive", drive]
        (folder / "seekless.json").write_text(json.dumps({
            "content": [str(content)], "traces": [str(trace) for trace in traces], "drives": [drive],
            "map": list(maps), "outputs": {"packs": {"folder": "packs"}}}))
        self.ask(tool, folder, "plan", *of, "-o", layout, *at)
        self.ask(tool, folder, "build", folder)
        self.ask(tool, folder, "report", packs, *of, *at)
        self.ask(tool, folder, "simulate", layout, *of, *at)
        self.ask(tool, folder, "analyze", *of, *at)
        self.ask(tool, folder, "repack", *of, "--dry-run", "--in-place", *at)

    def ask(self, tool, folder, *arguments):
        answer = folder / f"{arguments[0]}.json"
        text = tool.ok(*arguments, "--json", answer).text
        self.text[arguments[0]] = " ".join(text.split("\n\n")[0].split())
        self.json[arguments[0]] = json.loads(answer.read_text())["verdict"]
        check_schema(self.json[arguments[0]], "verdict")


def game_of(name):
    traces = sorted(TRACES.glob(f"{name}.*.jsonl.lz4"))
    assert len(traces) == 2
    if not GAMES[name].exists():
        pytest.skip(f"the package that holds {GAMES[name]} isn't installed")
    return GAMES[name], traces, ()


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    """Returns a game's content, traces and path maps. A folder is copied without its links to other packages' files,
    which may not be there."""
    copies = {}

    def get(name):
        content, traces, maps = game_of(name)
        if content.is_dir():
            if name not in copies:
                copies[name] = tmp_path_factory.mktemp(name) / "content"
                shutil.copytree(content, copies[name], ignore_dangling_symlinks=True)
            content, maps = copies[name], (f"{content}={copies[name]}",)
        return content, traces, maps
    return get


@pytest.mark.parametrize("name", GAMES)
def test_all_commands_agree(tool, tmp_path, game, name):
    content, traces, maps = game(name)
    judged = Judged(tool, tmp_path / "all", content, traces, "wd-black-1tb", maps)
    analysis = judged.json["analyze"]
    assert analysis["as_shipped_seconds"] > analysis["bound_seconds"] > 0
    assert [load["name"] for load in analysis["scenarios"]] == [name] and analysis["scenarios"][0]["runs"] == 2
    for command in COMMANDS:
        of = judged.json[command]
        assert judged.text[command] == of["text"], "what is said first is the verdict"
        for key in SHARED:
            assert of[key] == pytest.approx(analysis[key], rel=1e-12), (command, key)
            assert of["scenarios"][0][key] == pytest.approx(analysis["scenarios"][0][key], rel=1e-12)
        assert of["drive"] == analysis["drive"]
    packs = [judged.json[command] for command in OF_PACKS]
    for of in packs[1:]:
        assert of == packs[0], "what packs save is the same whoever tells it"
    assert packs[0]["saved_seconds"] <= packs[0]["saved_at_best_seconds"] + 0.05
    # If the judgement is the same, the sentence has the same beginning.
    starts = {"worth it": "Worth it: ", "not worth it": "Not worth it: ", "unknown": "Can't tell "}
    for command in COMMANDS:
        assert judged.text[command].startswith(starts[judged.json[command]["judgement"]])
    if judged.json["analyze"]["judgement"] == "not worth it":
        assert {judged.json[command]["judgement"] for command in COMMANDS} == {"not worth it"}


@pytest.mark.parametrize("name", GAMES)
def test_on_solid_state_all_say_that_there_is_nothing_to_win(tool, tmp_path, game, name):
    content, traces, maps = game(name)
    judged = Judged(tool, tmp_path / "ssd", content, traces, "sata-ssd", maps)
    for command in COMMANDS:
        assert judged.json[command]["judgement"] == "not worth it", command
        assert judged.json[command]["reason"] == "solid state"
        assert judged.text[command].startswith("Nothing to gain: a sata-ssd (as --drive says) is solid state")


class Small:
    """An archive and two loose files, and a recording that reads the archive's entries backwards."""

    def __init__(self, folder, entries=40, size=60_000, keeps_times=True):
        self.content = folder / "game"
        self.content.mkdir()
        self.archive = self.content / "pak0.pk3"
        self.archive.write_bytes(archive([Entry(f"{n}.bin", noise(n, size)) for n in range(entries)]))
        self.trace = folder / "load.1.strace"
        lines, at = [], 0
        for offset in reversed(data_offsets(self.archive)):
            at += 1
            lines.append(f'7 {at / 1000:.6f} pread64(3<{self.archive}>, ""..., {size}, {offset}) = {size} <0.000010>')
        self.trace.write_text("\n".join(lines) + "\n")
        self.of = [self.trace, "--content", self.content]


@pytest.fixture
def small(tmp_path):
    return Small(tmp_path)


def verdict(tool, *arguments):
    return tool.ok(*arguments, "--json", "-").json["verdict"]


def test_players_are_told_of_their_own_drive_and_studios_of_the_target(tool, small, tmp_path):
    own = verdict(tool, "analyze", *small.of)
    assert own["drive"]["choice"] in ("content", "assumed") and own["drive"]["found"]
    assert verdict(tool, "repack", *small.of, "--in-place", "--dry-run")["drive"] == own["drive"]
    target = {"name": "wd-black-1tb", "solid_state": False, "choice": "target", "found": None}
    assert verdict(tool, "plan", *small.of, "-o", tmp_path / "layout.json")["drive"] == target
    assert verdict(tool, "simulate", tmp_path / "layout.json", *small.of)["drive"] == target
    assert verdict(tool, "repack", *small.of, "-o", tmp_path / "out")["drive"] == target


def test_a_profile_alone_tells_no_verdict(tool, small, tmp_path):
    tool.ok("profile", *small.of, "-o", tmp_path / "profile.json")
    of = verdict(tool, "plan", "--profile", tmp_path / "profile.json", "--content", small.content, "-o",
                 tmp_path / "layout.json")
    assert (of["judgement"], of["reason"]) == ("unknown", "no recordings")
    assert of["text"].startswith("Can't tell from a profile")


def test_one_file_read_in_sequence_has_nothing_to_win(tool, tmp_path):
    """The bound includes the file's place on the platter, which isn't about order."""
    trace = tmp_path / "one.strace"
    trace.write_text("".join(
        f'7 {i}.000000 pread64(3</g/a.pkg>, ""..., 1000000, {i * 1_000_000}) = 1000000 <0.000100>\n'
        for i in range(800)))
    answer = tool.ok("analyze", trace, "--drive", "wd-black-1tb", "--json", tmp_path / "a.json")
    run, = json.loads((tmp_path / "a.json").read_text())["runs"]
    assert run["cold"]["scattered_seconds"] - run["cold"]["scattered_bound_seconds"] < 0.1
    assert answer.text.startswith("Not worth it: ")
    assert not re.search(r"save[sd]? (up to )?[1-9]", answer.text.split("\n\n")[1])


def test_paths_that_do_not_match_are_an_error_and_no_gain(tool, small, tmp_path):
    tool.ok("plan", *small.of, "-o", tmp_path / "plain.json")
    tool.ok("plan", *small.of, "--keep-archives", "-o", tmp_path / "kept.json")
    for layout, how in (("plain.json", ["--keep-archives"]), ("kept.json", [])):
        for policy in ("sweep", "demand"):
            tool.run("simulate", tmp_path / layout, *small.of, *how, "--policy", policy).says(
                layout, "none of those that a recording reads", "--keep-archives")


def test_what_is_not_in_the_packs_is_charged(tool, small, tmp_path):
    tool.ok("plan", *small.of, "-o", tmp_path / "layout.json")
    whole = tool.ok("simulate", tmp_path / "layout.json", *small.of, "--json", "-").json
    part = Small((tmp_path / "part").absolute().mkdir() or tmp_path / "part", entries=41)
    answer = tool.run("simulate", tmp_path / "layout.json", *part.of, "--json", "-")
    assert answer.code == 0 and "1 asset that 'load' reads isn't in the packs" in answer.err
    load = answer.json["drives"][0]["scenarios"][0]["packs"]
    assert load["missing_assets"] == 1
    assert load["seconds"] > whole["drives"][0]["scenarios"][0]["packs"]["seconds"]


def test_a_scenario_that_was_not_planned_is_read_on_demand_and_marked(tool, small, tmp_path):
    tool.ok("plan", *small.of, "-o", tmp_path / "layout.json")
    other = tmp_path / "other.1.strace"
    other.write_text("\n".join(small.trace.read_text().splitlines()[:10]) + "\n")
    how = ["simulate", tmp_path / "layout.json", small.trace, other, "--content", small.content]
    answer = tool.ok(*how, "--json", "-")
    check_schema(answer.json, "results/simulate")
    load, unplanned = answer.json["drives"][0]["scenarios"]
    assert load["packs"]["swept"] and not unplanned["packs"]["swept"]
    assert unplanned["packs"]["seconds"] > 0 and "'other' wasn't planned" in answer.err
    text = tool.ok(*how).text
    assert len(re.findall(r"packs\*", text)) == 2  # one is in the row, and one says what the mark means
    alone = tool.run("simulate", tmp_path / "layout.json", small.trace, other)
    assert alone.code == 0 and "'other' wasn't planned" in alone.err


def test_in_place_refuses_what_gets_slower(tool, tmp_path):
    """Entries that inflate to far more than they are stored as take longer to read when stored."""
    game = tmp_path / "game"
    game.mkdir()
    pak = game / "pak0.pk3"
    pak.write_bytes(archive([Entry("zeros.bin", bytes(30_000_000), 8)]))
    trace = tmp_path / "load.1.strace"
    size = pak.stat().st_size
    trace.write_text(f'7 1.000000 pread64(3<{pak}>, ""..., {size}, 0) = {size} <0.000010>\n')
    before = pak.read_bytes()
    how = ["repack", trace, "--content", game, "--in-place", "--drive", "wd-black-1tb"]
    assert verdict(tool, *how, "--dry-run")["saved_seconds"] > -0.001  # they are kept by default
    how += ["--compression", "store"]
    dry = verdict(tool, *how, "--dry-run")
    assert (dry["judgement"], dry["reason"]) == ("not worth it", "slower") and dry["saved_seconds"] < 0
    tool.run(*how).says("no slower than before", "--force", "Nothing was changed")
    assert pak.read_bytes() == before and not (game / ".seekless-originals").exists()
    tool.ok(*how, "--force")
    assert pak.read_bytes() != before


def test_in_place_refuses_recordings_of_other_archives(tool, small):
    """Reads past the end of an archive belong to a longer one."""
    end = small.archive.stat().st_size
    small.trace.write_text(small.trace.read_text()
                           + f'7 9.000000 pread64(3<{small.archive}>, ""..., 100000, {end}) = 100000 <0.000010>\n')
    how = ["repack", *small.of, "--in-place", "--drive", "wd-black-1tb"]
    tool.run(*how).says("past the end", "record again", "--force")
    tool.ok(*how, "--force")


def has_grown(small):
    """After the recording was made, an update puts an entry in front of the archive."""
    lines = [line.split(" ", 2) for line in small.trace.read_text().splitlines()]
    small.trace.write_text("".join(f"{pid} {1_600_000_000 + float(at):.6f} {call}\n" for pid, at, call in lines))
    entries = [Entry("new.bin", noise(99, 33_333)), *(Entry(f"{n}.bin", noise(n, 60_000)) for n in range(40))]
    small.archive.write_bytes(archive(entries))


def has_shrunk(small):
    small.archive.write_bytes(archive([Entry(f"{n}.bin", noise(n, 60_000)) for n in range(20)]))


@pytest.mark.parametrize("change, why", [(has_grown, "entries don't begin where they did in the newer file"),
                                         (has_shrunk, "reads go past the end of")])
def test_content_that_changed_since_it_was_recorded_has_no_verdict(tool, small, tmp_path, change, why):
    change(small)
    judged = Judged(tool, tmp_path / "all", small.content, [small.trace], "wd-black-1tb")
    for command in COMMANDS:
        assert (judged.json[command]["judgement"], judged.json[command]["reason"]) == ("unknown", "other content"), command
        assert judged.json[command]["fitting_share"] == 0
        assert judged.text[command].startswith("Can't tell: the recordings are of other content: 100 % of what")
        assert f"{why} {small.archive})" in judged.json[command]["text"]
    before = small.archive.read_bytes()
    how = ["repack", *small.of, "--in-place", "--drive", "wd-black-1tb"]
    tool.run(*how).says("recordings of the archives as they are", small.archive, "record again", "--force")
    assert small.archive.read_bytes() == before


def test_content_that_changed_is_found_though_its_time_was_kept(tool, small):
    """Installers, unpackers and copy tools keep a file's old time."""
    has_grown(small)
    os.utime(small.archive, (1_500_000_000, 1_500_000_000))
    before = small.archive.read_bytes()
    of = verdict(tool, "analyze", *small.of, "--drive", "wd-black-1tb")
    assert (of["judgement"], of["reason"]) == ("unknown", "other content")
    tool.run("repack", *small.of, "--in-place", "--drive", "wd-black-1tb").says("record again", "Nothing was changed")
    assert small.archive.read_bytes() == before


def is_behind_a_link(small):
    elsewhere = small.content.parent / "elsewhere.pk3"
    small.archive.rename(elsewhere)
    small.archive.symlink_to(elsewhere)


def has_a_damaged_entry(small):
    data = bytearray(small.archive.read_bytes())
    data[data.index(noise(7, 60_000)[:64])] ^= 1
    small.archive.write_bytes(data)


@pytest.mark.parametrize("change, dry", [(is_behind_a_link, True), (is_behind_a_link, False), (has_a_damaged_entry, False)])
def test_an_archive_that_stays_as_it_is_saves_nothing(tool, small, change, dry):
    change(small)
    before = small.archive.read_bytes()
    answer = tool.ok("repack", *small.of, "--in-place", "--drive", "wd-black-1tb", "--json", "-", *["--dry-run"][:dry]).json
    assert small.archive.read_bytes() == before
    assert [archive["repacked"] for archive in answer["archives"]] == [False]
    for load in answer["forecast"]["scenarios"]:
        assert load["after"]["seconds"] == pytest.approx(load["before"]["seconds"], rel=0.001)
    assert answer["verdict"]["judgement"] == "not worth it"


def test_what_fits_in_part_is_judged_by_that_part_and_says_so(tool, small):
    (small.content / "settings.bin").write_bytes(noise(5, 1000))
    small.trace.write_text(small.trace.read_text()
                           + f'7 9.0 pread64(3<{small.content}/settings.bin>, ""..., 100000, 0) = 100000 <0.00001>\n')
    of = verdict(tool, "analyze", *small.of, "--drive", "wd-black-1tb")
    assert of["reason"] != "other content"
    assert 0.9 < of["fitting_share"] < 1
    assert of["text"].startswith("3 % of what was recorded isn't where it was (reads go past the end of ")


def test_originals_are_dropped_once_the_new_archives_are_whole(tool, small):
    how = ["repack", *small.of, "--in-place", "--drive", "wd-black-1tb"]
    size = small.archive.stat().st_size
    answer = tool.ok(*how)
    said = " ".join(answer.text.split())  # joins wrapped lines
    assert f"{size / 1e6:.1f} MB" in said and f"restore --discard {small.content}" in said
    new = small.archive.read_bytes()
    small.archive.write_bytes(new[:-1] + bytes([new[-1] ^ 1]))
    tool.run("restore", "--discard", small.content).says("pak0.pk3", "other bytes", "no original was dropped")
    assert (small.content / ".seekless-originals" / "files" / "pak0.pk3").exists()
    small.archive.write_bytes(new)
    dropped = tool.json("restore", "--discard", small.content)
    assert dropped["discarded"] == ["pak0.pk3"] and dropped["discarded_bytes"] == size
    assert small.archive.read_bytes() == new and not (small.content / ".seekless-originals").exists()
    assert tool.json("restore", small.content)["restored"] == []
    assert tool.json("restore", "--discard", small.content)["discarded"] == []


def test_a_missing_archive_keeps_its_original(tool, small):
    tool.ok("repack", *small.of, "--in-place", "--drive", "wd-black-1tb")
    small.archive.unlink()
    tool.run("restore", "--discard", small.content).says("pak0.pk3", "no original was dropped")
    assert tool.json("restore", small.content)["restored"] == ["pak0.pk3"]
    assert small.archive.exists()


def test_unreadable_figures_are_no_verdict(tool, small, tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("0.bin\n1.bin\n")
    of = verdict(tool, "analyze", names, "--content", small.content)
    assert of["judgement"] == "unknown"
    tool.run("simulate", names, "--content", tmp_path / "none").says("none").code in (1, DAMAGED)
