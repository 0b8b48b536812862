"""Packs that stay from release to release: edits go to an overlay and to cold generations, every byte of each release
is right, and players' sets are updated, killed during updates, and rolled back, always as whole sets.

SEEKLESS_LONG=1 makes 50 releases and kills `apply` 200 times."""
import json
import os
import random
import shutil
import subprocess
import time

import pytest

from project import Project, edit, settle
from releases import NEW, OLD, Released, change, content_of, extracted, kill_after, set_of
from skl_reader import PackSet
from tool import DAMAGED, DONE, FAILED, strace_can_inject, tree

LONG = os.environ.get("SEEKLESS_LONG") == "1"
RELEASES, KILLS, FORGED = (50, 200, 300) if LONG else (12, 24, 60)


@pytest.fixture
def game(tool, tmp_path):
    project = Project(tool, tmp_path / "game")
    project.configure()
    project.build()
    return project


def test_an_edit_writes_an_overlay_and_leaves_all_packs(tool, game, tmp_path):
    before = tree(game.packs)
    edit(game.asset(30), b"edited" * 900)
    settle()
    assert game.written() == {"overlay.skl"}
    after = tree(game.packs)
    assert {name for name in before if after[name] != before[name]} == {"catalog.skl"}
    assert extracted(tool, game.packs, tmp_path / "out") == content_of(game)
    read = PackSet(game.packs)  # an independent reader
    assert len(read.dead) >= 1
    assert not game.build()["changed"]
    assert not game.build("--paranoid")["changed"]


def test_what_no_recording_reads_goes_to_a_cold_generation(tool, game, tmp_path):
    (game.content / "new.bin").write_bytes(b"new" * 5000)
    edit(game.asset(80), b"unread" * 700)
    settle()
    assert game.written() == {"cold-2.skl"}
    assert extracted(tool, game.packs, tmp_path / "out") == content_of(game)


def test_a_removed_asset_costs_the_catalog_alone(tool, game, tmp_path):
    game.asset(81).unlink()
    settle()
    assert game.written() == set()
    assert extracted(tool, game.packs, tmp_path / "out") == content_of(game)
    assert game.asset(81).name not in tool.ok("info", "--assets", game.packs).text


def test_the_lock_counts_what_changes_by_extension(tool, game):
    def changes():
        return json.loads((game.folder / "layout.lock").read_text()).get("changes")

    assert changes() is None
    counted = []
    for number in (30, 31):
        edit(game.asset(number), b"edited" * 900)
        settle()
        game.build()
        counted.append(changes())
        game.build("--paranoid")
        game.build("--relayout")
        assert changes() == counted[-1], "the same content teaches nothing"
    seen = sum(of["seen"] for of in counted[1]["extensions"])
    assert counted[0]["judged"]["assets"] == 0 and counted[1]["judged"]["assets"] == seen / 2
    assert sum(of["edited"] for of in counted[1]["extensions"]) == 2


def test_a_release_that_edits_much_brings_a_new_layout_along(tool, game, tmp_path):
    edit(game.asset(80), b"unread" * 700)
    settle()
    game.build()
    cold = {name: data for name, data in tree(game.packs).items() if name.startswith("cold")}
    for number in (30, 5, 12):
        edit(game.asset(number), f"edited {number}".encode() * 18_000)
    settle()
    built = game.build()
    assert [reason for reason in built["reasons"] if "what scenarios read also gets a new one" in reason]
    assert built["patch"]["clients"]["grid"]["written_bytes"] <= 5 * built["patch"]["edited_bytes"]
    packs = tree(game.packs)
    assert "overlay.skl" not in packs
    assert {name: packs[name] for name in cold} == cold and len(cold) == 2
    assert extracted(tool, game.packs, tmp_path / "out") == content_of(game)
    assert not game.build()["changed"]
    assert not game.build("--paranoid")["changed"]


def test_a_release_that_renames_much_brings_a_new_layout_along(tool, game, tmp_path):
    (game.content / "film.bin").write_bytes(random.Random(1).randbytes(600_000))  # no recording reads this file
    game.configure(generations={"rewrite_price": 1})
    for number in (30, 5, 12):
        edit(game.asset(number), f"edited {number}".encode() * 18_000)
    settle()
    assert game.written() == {"overlay.skl", "cold-2.skl"}
    game.configure()
    (game.content / "film.bin").rename(game.content / "intro.bin")
    settle()
    built = game.build()
    assert built["patch"]["edited_bytes"] == 0
    assert [reason for reason in built["reasons"] if "what scenarios read also gets a new one" in reason]
    packs = tree(game.packs)
    assert "overlay.skl" not in packs
    written = built["patch"]["clients"]["grid"]["written_bytes"]
    assert written - len(packs["catalog.skl"]) <= sum(map(len, content_of(game).values()))
    assert extracted(tool, game.packs, tmp_path / "out") == content_of(game)
    assert not game.build()["changed"]


def test_a_new_layout_that_comes_along_has_no_more_copies_than_may_be_written(tool, game, tmp_path):
    game.configure(budget=4, gain=0)  # the lock's layout has no copies
    for number in (30, 5, 12, 7, 20):
        edit(game.asset(number), f"edited {number}".encode() * 18_000)
    settle()
    anew = Project(tool, tmp_path / "anew")
    shutil.copytree(game.content, anew.content, dirs_exist_ok=True)
    anew.configure(budget=4, gain=0)
    anew.build()
    built = game.build()
    assert [reason for reason in built["reasons"] if "what scenarios read also gets a new one" in reason]
    content_bytes = sum(map(len, content_of(game).values()))
    assert built["patch"]["clients"]["grid"]["written_bytes"] <= content_bytes < sum(map(len, tree(anew.packs).values()))
    assert extracted(tool, game.packs, tmp_path / "out") == content_of(game)


def test_a_release_that_may_write_little_keeps_its_layout(game):
    game.configure(generations={"rewrite_price": 1})
    for number in (30, 5, 12):
        edit(game.asset(number), f"edited {number}".encode() * 18_000)
    settle()
    assert not [reason for reason in game.build()["reasons"] if "also gets a new one" in reason]
    assert "overlay.skl" in tree(game.packs)


def test_where_recordings_are_missing_the_layout_is_kept(game):
    def scenarios():
        return {of["name"] for of in json.loads((game.folder / "layout.lock").read_text())["scenarios"]}

    known = scenarios()
    min((game.folder / "traces").glob("*.strace")).unlink()
    for number in (30, 5, 12):
        edit(game.asset(number), f"edited {number}".encode() * 18_000)
    settle()
    built = game.build()
    assert not [reason for reason in built["reasons"] if "also gets a new one" in reason]
    assert scenarios() == known


def test_an_edit_that_is_reverted_needs_no_overlay(tool, game):
    before = tree(game.packs)
    kept = game.asset(30).read_bytes()
    edit(game.asset(30), b"edited" * 900)
    settle()
    game.build()
    edit(game.asset(30), kept)
    settle()
    game.build()
    assert tree(game.packs) == before


def test_where_a_pack_is_missing_another_is_made_with_a_warning(tool, game, tmp_path):
    edit(game.asset(30), b"edited" * 900)
    settle()
    game.build()
    stay = {pack.name for pack in game.packs.iterdir()}
    shutil.rmtree(game.packs)
    shutil.rmtree(game.folder / ".seekless")
    answer = tool.ok("build", game.folder)
    assert "of the build before, found none" in answer.err and "Put the last release's packs there" in answer.err
    assert {pack.name for pack in game.packs.iterdir()} == stay
    tool.ok("verify", game.packs)
    assert extracted(tool, game.packs, tmp_path / "out") == content_of(game)
    # The dead content is now a hole, so content that comes back isn't found there.
    game.build()
    assert not game.build()["changed"]


@pytest.mark.parametrize("told, says", [({"max_dead": 2}, "max_dead"), ({"rewrite_price": 0}, "rewrite_price"),
                                        ({"dead": 0.1}, "dead"), ("yes", "generations"), (False, "generations"),
                                        ({"max_pack_mb": 0.01}, "max_pack_mb")])
def test_prices_out_of_range_are_refused(tool, game, told, says):
    game.configure(generations=told)
    answer = tool.run("build", game.folder)
    assert answer.code == 2
    answer.says(says)


def test_packs_are_cut_where_they_would_be_too_large(tool, game, tmp_path):
    most = 200_000
    game.configure(generations={"max_pack_mb": most / 1e6})
    game.build("--relayout")
    chance = random.Random(8)
    for _ in range(4):
        change(game, chance)
        answer = game.build()
        tool.ok("verify", game.packs)
        assert extracted(tool, game.packs, tmp_path / "out") == content_of(game)
        for pack in answer["packs"]:
            assert pack["content_bytes"] <= most or pack["assets"] == 1, pack
    assert {"cold.skl", "cold-2.skl"} <= {pack["file"] for pack in answer["packs"]}


def test_every_byte_of_a_chain_of_releases_is_right(tool, game, tmp_path):
    chance = random.Random(3)
    for _ in range(RELEASES):
        change(game, chance)
        answer = game.build()
        tool.ok("verify", game.packs)
        assert extracted(tool, game.packs, tmp_path / "out") == content_of(game)
        PackSet(game.packs)
        assert len(answer["packs"]) < 20
        assert not game.build()["changed"]


@pytest.fixture
def released(tool, game, tmp_path):
    return Released(tool, game, tmp_path)


def test_a_release_that_was_applied_can_be_rolled_back(tool, released):
    packs = released.installed()
    tool.json("apply", packs, released.patch, "--keep-old")
    assert set_of(packs) == tree(released.new)
    assert tool.json("apply", packs, "--rollback")["rolled_back"]
    assert tree(packs) == tree(released.old)
    tool.json("apply", packs, released.patch)
    assert tree(packs) == tree(released.new)


@pytest.mark.parametrize("mask", [0o077, 0])
def test_a_rollback_brings_back_the_rights_of_all_files(tool, released, mask):
    """After a rollback exactly the same users can read the set as before, for any umask of the process that applies."""
    packs = released.installed()
    before = {path.name: oct(path.stat().st_mode) for path in packs.iterdir()}
    for what in ([released.patch, "--keep-old"], ["--rollback"]):
        done = subprocess.run([*map(str, tool.command("apply", packs, *what))], umask=mask, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert {path.name: oct(path.stat().st_mode) for path in packs.iterdir() if path.is_file()} == before


def test_without_old_files_nothing_is_rolled_back(tool, released):
    packs = released.installed()
    tool.ok("apply", packs, released.patch)
    answer = tool.run("apply", packs, "--rollback")
    assert answer.code == FAILED
    answer.says("apply --keep-old")
    assert tree(packs) == tree(released.new)


def test_a_rollback_to_packs_that_are_gone_is_refused(tool, released):
    packs = released.installed()
    tool.ok("apply", packs, released.patch, "--keep-old")
    next((packs / OLD).glob("[!c]*.skl")).unlink()
    answer = tool.run("apply", packs, "--rollback")
    assert answer.code == DAMAGED
    answer.says("nothing was done")
    assert set_of(packs) == tree(released.new)


class Forger:
    """Damages files of a folder in turn like failing disks, incomplete copies and attackers, at random places."""

    def __init__(self, seed, others):
        self.chance, self.others = random.Random(seed), others  # files of another set
        self.ways = [self.flip, self.flip_front, self.cut, self.cut_to_nothing, self.lengthen, self.remove, self.exchange,
                     self.replace_by_other, self.add, self.zero_a_block]

    def forge(self, folder, number):
        """Returns the way's name."""
        way = self.ways[number % len(self.ways)]
        way(self.chance.choice(sorted(path for path in folder.iterdir() if path.name.endswith(".skl"))))
        return way.__name__

    def change(self, path, at, data):
        with open(path, "r+b") as file:
            file.seek(at)
            file.write(data)

    def flip(self, path, most=None):
        at = self.chance.randrange(min(path.stat().st_size, most or path.stat().st_size))
        self.change(path, at, bytes([path.read_bytes()[at] ^ 1 << self.chance.randrange(8)]))

    def flip_front(self, path):
        self.flip(path, most=512)

    def cut(self, path):
        os.truncate(path, self.chance.randrange(path.stat().st_size))

    def cut_to_nothing(self, path):
        os.truncate(path, 0)

    def lengthen(self, path):
        self.change(path, path.stat().st_size, bytes(self.chance.randrange(1, 9000)))

    def remove(self, path):
        path.unlink()

    def exchange(self, path):
        other = self.chance.choice(sorted(path.parent.glob("*.skl")))
        data = path.read_bytes()
        path.write_bytes(other.read_bytes())
        other.write_bytes(data)

    def replace_by_other(self, path):
        path.write_bytes(self.chance.choice(sorted(self.others.glob("*.skl"))).read_bytes())

    def add(self, path):
        name = self.chance.choice(["more.skl", path.name + ".edit", "notes.txt"])
        (path.parent / name).write_bytes(path.read_bytes())

    def zero_a_block(self, path):
        at = self.chance.randrange(path.stat().st_size) // 4096 * 4096
        self.change(path, at, bytes(min(4096, path.stat().st_size - at)))


def check_forged(tool, released, packs, sound, told, *command):
    """Checks that the old set stays the same to the byte, or that its replacement is right in every byte. Returns
    True if it was replaced."""
    answer = tool.run(*command)
    if answer.code == DONE:
        tool.ok("verify", packs)
        assert extracted(tool, packs, released.folder / "out") in released.releases, told
        return True
    assert answer.code == DAMAGED, (told, str(answer))
    answer.says("; ")
    assert set_of(packs) == sound, told
    tool.ok("verify", packs)
    return False


def test_forged_generations_replace_no_sound_set(tool, released):
    forger = Forger(5, released.new)
    packs = released.installed()
    tool.ok("apply", packs, released.patch, "--keep-old")
    saved = released.folder / "saved"
    shutil.copytree(packs, saved)
    sound = set_of(packs)
    replaced = 0
    for number in range(FORGED):
        shutil.rmtree(packs)
        shutil.copytree(saved, packs)
        told = forger.forge(packs / OLD, number)
        replaced += check_forged(tool, released, packs, sound, (number, told), "apply", packs, "--rollback")
    assert replaced < FORGED / 4  # the exception is a file exchanged for itself


@pytest.mark.skipif(not strace_can_inject(), reason="needs strace and the right to trace")
@pytest.mark.parametrize("command", ["apply", "rollback"])
def test_a_switch_that_was_killed_and_then_damaged_replaces_no_sound_set(tool, released, command):
    """`apply` is killed when everything is ready and nothing has moved; the next command in the folder checks the
    staged set first."""
    forger = Forger(6, released.old)
    packs = released.installed()
    arguments = ("apply", packs, released.patch)
    if command == "rollback":
        tool.ok(*arguments, "--keep-old")
        arguments = ("apply", packs, "--rollback")
    start = released.folder / "start"
    shutil.copytree(packs, start)
    sound = set_of(packs)
    for when in range(1, 60):  # refuses this rename, which leaves the complete staged set
        shutil.rmtree(packs)
        shutil.copytree(start, packs)
        done = subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", "trace=renameat",
                               "-e", f"inject=renameat:signal=KILL:when={when}", *tool.command(*arguments)],
                              capture_output=True)
        assert done.returncode != 0, "never killed with all ready"
        if (packs / NEW / "complete").exists() and (packs / NEW / "catalog.skl").exists():
            break
    ready = released.folder / "ready"
    shutil.copytree(packs, ready)
    for number in range(FORGED // 3):
        shutil.rmtree(packs)
        shutil.copytree(ready, packs)
        told = forger.forge(packs / NEW, number)
        answer = tool.run(*arguments)
        now = {name: data for name, data in set_of(packs).items() if not name.startswith(NEW)}
        if answer.code == DONE:
            tool.ok("verify", packs)
            assert extracted(tool, packs, released.folder / "out") in released.releases, told
        else:
            assert answer.code in (DAMAGED, FAILED), (told, str(answer))
            answer.says("; ")
            assert now == {name: data for name, data in sound.items() if not name.startswith(NEW)}, told


def test_file_by_file_ends_with_the_same_set(tool, released):
    packs = released.installed()
    tool.ok("apply", packs, released.patch, "--file-by-file")
    assert tree(packs) == tree(released.new)


def test_whoever_opens_the_set_beside_apply_has_one_release_whole(tool, released):
    """A reader reads all files while one release replaces the other, and back again."""
    packs = released.installed()
    found = []
    for _ in range(KILLS // 4):
        for words in (("apply", packs, released.patch, "--keep-old"), ("apply", packs, "--rollback")):
            process = subprocess.Popen(tool.command(*words), stdout=subprocess.DEVNULL)
            while process.poll() is None:
                found.append(released.releases.index(extracted(tool, packs, released.folder / "out")))
            assert process.returncode == 0
    assert set(found) == {0, 1}


def test_killed_at_any_moment_a_set_is_the_old_release_or_the_new(tool, released):
    chance = random.Random(5)
    packs = released.installed()
    started = time.monotonic()
    tool.ok("apply", packs, released.patch, "--keep-old")
    whole_s = time.monotonic() - started
    for _ in range(KILLS):
        packs = released.installed()
        kill_after(tool.command("apply", packs, released.patch, "--keep-old"), chance.uniform(0, whole_s))
        released.check_whole(packs)
        tool.ok("apply", packs, released.patch, "--keep-old")
        assert set_of(packs) == tree(released.new)
        kill_after(tool.command("apply", packs, "--rollback"), chance.uniform(0, whole_s))
        released.check_whole(packs)
        if (packs / OLD).exists() or (packs / ".seekless-new").exists():
            tool.run("apply", packs, "--rollback")
        found = tree(packs)
        if found.get(".seekless-new", "") is None:  # only the folder was left, which the next run removes
            del found[".seekless-new"]
        assert found == tree(released.old)
