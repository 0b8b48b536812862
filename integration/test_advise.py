"""`seekless advise` on an emulated disk, whose free room was fragmented when the games were put there: its seconds
equal those of other commands, and are close to measured ones; the way that it lists first is about the best one
measured."""
import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parent / "hdd")]
import bench
import measure_advise
from game import noise
from made_up_libraries import Libraries
from measure_advise import Game, OnDisk
from own_disks import NEEDS_EMULATED_DISK
from strace_lines import load_of
from tool import USAGE, check_schema
from zips import Entry, archive

REAL = "etr"  # loose files


def make_loose(folder):
    for number in range(90):
        (folder / f"{number % 9}").mkdir(exist_ok=True)
        (folder / f"{number % 9}" / f"{number:03}.dat").write_bytes(noise(number, 20_000 + 7_919 * (number % 31)))


def make_zips(folder):
    for archive in range(2):
        with zipfile.ZipFile(folder / f"{archive}.pk3", "w") as made:
            for number in range(200):
                made.writestr(f"{archive}{number:03}.dat", noise(1000 * archive + number, 3_000 + 2_917 * (number % 29)))


@pytest.fixture(scope="module", params=["made up", "zips", "real"])
def measured(request, tmp_path_factory):
    """Returns the advice, each command's seconds for the load as shipped, and the measurements."""
    work = tmp_path_factory.mktemp("advise")
    if request.param == "real":
        game = measure_advise.GAMES[REAL]
        if not game.folder.is_dir():
            pytest.skip(f"the package that holds {game.folder} isn't installed")
    else:
        (work / "made").mkdir()
        if request.param == "zips":
            make_zips(work / "made")
        else:
            make_loose(work / "made")
        game = Game(work / "made", entries=150) if request.param == "zips" else Game(work / "made", files=60)
    with bench.Disk(work / "disk", "--tables", "usual", "--scale", "0.2") as disk:
        on_disk = OnDisk(disk, game, work)
        advice = on_disk.json("advise", on_disk.folder, on_disk.trace)
        yield advice, on_disk.said_as_shipped(advice), on_disk.measure(advice["ways"]), request.param


class TestOnADisk:
    pytestmark = NEEDS_EMULATED_DISK

    def test_all_commands_say_the_same_of_the_load_as_shipped(self, measured):
        advice, said, found, shape = measured
        check_schema(advice, "results/advise")
        for command, seconds in said.items():
            assert seconds == pytest.approx(advice["as_shipped_seconds"], rel=0.01), command
        assert found["nothing"] == pytest.approx(advice["as_shipped_seconds"], rel=0.1)
        # `play` sees the system's reads of archives, which hide some of the game's.
        assert found["status"] == pytest.approx(advice["as_shipped_seconds"], rel=0.1 if shape == "zips" else 0.01)

    def test_what_play_learned_is_one_load_for_all_commands(self, measured):
        advice, _, found, _ = measured
        assert found["advise by play"] == pytest.approx(found["status"])
        told = set(found["said of play's trace"].values())
        assert max(told) == pytest.approx(min(told), rel=0.01), "from a recording that play made"
        assert any(load == pytest.approx(max(told), rel=0.01) for load in found["status after --trace"]), "of the same run"

    def test_each_way_takes_about_as_long_as_it_says(self, measured):
        advice, _, found, _ = measured
        for way in advice["ways"]:
            if way["usable"] and way["way"] in found:
                assert way["seconds"] == pytest.approx(found[way["way"]], rel=0.15, abs=0.05), way["way"]

    def test_the_first_is_about_the_best_of_those_measured(self, measured):
        advice, _, found, _ = measured
        usable = [found[way["way"]] for way in advice["ways"] if way["usable"] and way["way"] in found]
        assert found[advice["best"]] <= 1.1 * min(usable) + 0.02

    def test_a_dry_run_of_place_says_what_doing_it_brings(self, measured):
        _, _, found, _ = measured
        foreseen, placed = found["place said"]
        assert foreseen == pytest.approx(placed, rel=0.15, abs=0.02), "the file system may give other room the next time"
        assert placed == pytest.approx(found["place"], rel=0.15)
        assert found["analyze after place"] == pytest.approx(placed, rel=0.01), "it sees the new places"


@pytest.fixture
def game(tmp_path):
    folder = tmp_path / "a game's folder"
    folder.mkdir()
    for number in range(8):
        (folder / f"{number}.dat").write_bytes(noise(number, 60_000))
    return folder


def advise(tool, tmp_path, *words):
    answer = tool.json("advise", *words, "--state", tmp_path / "state", "--drive", "wd-black-1tb")
    check_schema(answer, "results/advise")
    return answer


def test_without_recordings_it_says_how_to_make_one(tool, game, tmp_path):
    answer = advise(tool, tmp_path, game)
    assert answer["known_from"] is None and answer["ways"] == [] and answer["best"] is None
    assert answer["next"].startswith("seekless play ") and "GAME" in answer["next"]


def test_a_game_in_a_wine_prefix_is_served_with_the_prefix(tool, tmp_path):
    libraries = Libraries(tmp_path / "home", tmp_path / "disk")
    libraries.bottles(libraries.home / ".local/share/bottles", 1)
    folder = libraries.games["Bottles own 0"][3]
    answer = tool.json("advise", folder, "--drive", "wd-black-1tb", env=libraries.environment())
    prefix = str(libraries.home / ".local/share/bottles/bottles/own")
    assert shlex.split(answer["next"]) == ["seekless", "play", folder, prefix, "--", "bottles-cli", "run", "-b", "own", "-p",
                                           "Bottles own 0"]


def test_on_solid_state_it_says_so_and_ends(tool, game, tmp_path):
    trace = load_of(sorted(game.iterdir()), tmp_path / "load.1.strace")
    answer = tool.json("advise", game, trace, "--drive", "sata-ssd")
    assert answer["drive"]["solid_state"] and answer["ways"] == [] and "next" not in answer
    assert tool.ok("advise", game, trace, "--drive", "sata-ssd").text.startswith("Nothing to gain:")


def test_commands_can_be_copied_and_do_what_they_say(tool, game, tmp_path):
    trace = load_of(sorted(game.iterdir(), reverse=True), tmp_path / "the load.1.strace")
    answer = advise(tool, tmp_path, game, trace)
    ways = {way["way"]: way for way in answer["ways"]}
    assert set(ways) == {"nothing", "play", "laid out", "warm", "place", "repack", "packs"}
    assert "archives" in ways["repack"]["why_not"] and not ways["repack"]["usable"]
    words = ways["warm"]["command"].removesuffix(" && GAME").replace("seekless", str(tool.binary), 1)
    assert subprocess.run(["sh", "-c", words], capture_output=True).returncode == 0
    before = {path: path.read_bytes() for path in game.iterdir()}
    advise(tool, tmp_path, game, trace)
    assert {path: path.read_bytes() for path in game.iterdir()} == before, "it changes nothing"


READ_ONLY = 'mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; exec "$@"'


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
def test_it_says_why_a_folder_cannot_be_written(tool, game, tmp_path):
    (game / "a.zip").write_bytes(archive([Entry(f"{n}.bin", noise(n, 60_000)) for n in range(20)]))
    trace = load_of(sorted(game.iterdir()), tmp_path / "load.1.strace")
    answer = tool.ok("advise", game, trace, "--state", tmp_path / "state", "--drive", "wd-black-1tb", "--json", "-",
                     prefix=["unshare", "--mount", "--propagation", "private", "sh", "-ec", READ_ONLY, game]).json
    repack, = (way for way in answer["ways"] if way["way"] == "repack")
    assert "Read-only file system" in repack["why_not"] and "owner" not in repack["why_not"]


def test_bad_input_is_refused(tool, game, tmp_path):
    assert tool.run("advise", tmp_path / "none").says("none").code != 0
    assert tool.run("advise", game, "--drive", "floppy").says("floppy").code == USAGE
    (tmp_path / "empty.1.jsonl").write_bytes(b"")
    assert tool.run("advise", game, "--content", game, tmp_path / "empty.1.jsonl").code != 0
