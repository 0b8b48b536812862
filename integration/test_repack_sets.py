"""Sets of Valve's .vpk in load order: a directory and numbered parts beside it, each a file. What they hold, and how they are
replaced and brought back: at any moment the directory in place names parts that hold what it says."""
import hashlib
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import zipfile

import pytest

from game import noise
from moved_archives import read_vpk, vpk_set
from repacked_game import RepackedGame
from test_repack_foreign import PYTHON, by_others, needs_tools
from tool import strace_can_inject, tree

ENTRIES = [(f"materials/{n:02}.vtf", noise(n, 150_000 + 77 * n)) for n in range(24)] + \
    [("scripts/a.txt", noise(99, 50)), ("models/twin.mdl", noise(98, 5000)), ("readme.txt", noise(3, 300))]
FORMS = {
    "2": {"version": 2},
    "2, without checksums of pieces": {"version": 2, "pieces": False},
    "2, first bytes in the tree": {"version": 2, "preload": 100},
    "2, aligned": {"version": 2, "alignment": 512},
    "1": {"version": 1},
    "1, first bytes in the tree": {"version": 1, "preload": 7},
}


def parts_of(folder):
    """Returns the parts by their numbers."""
    return {int(path.stem[-3:]): path.read_bytes() for path in folder.glob("pak01_0*.vpk")}


def contents(folder):
    return read_vpk((folder / "pak01_dir.vpk").read_bytes(), parts_of(folder))


class Set(RepackedGame):
    """A set, and a recording of a load that reads two thirds of its entries, in no order."""

    def __init__(self, tool, folder, read=16, entries=ENTRIES, **options):
        super().__init__(tool, folder)
        self.preload = options.get("preload", 0)
        self.entries = dict(entries)
        directory, parts = vpk_set(entries, **options)
        self.add("pak01_dir.vpk", directory)
        for number, part in enumerate(parts):
            self.add(f"pak01_{number:03}.vpk", part)
        self.names = random.Random(4).sample([name for name in self.entries if name.endswith(".vtf")], read)
        self.before = tree(self.content)
        self.record_names(self.names)

    def lying(self, folder, name):
        data = self.entries[name][self.preload:]
        for path in sorted(folder.glob("pak01_*.vpk")):
            if (at := path.read_bytes().find(data)) >= 0:
                return path, at, len(data)
        raise AssertionError("the data are nowhere")

    def record_names(self, names):
        for name in names:
            path, at, size = self.lying(self.content, name)
            self.record(path, [(at, size)])

    def visible(self):
        return {name: data for name, data in tree(self.content).items() if not name.startswith(".seekless")}


@pytest.fixture
def game(tool, tmp_path):
    return Set(tool, tmp_path, version=2)


@pytest.mark.parametrize("form", FORMS)
def test_entries_stay_in_their_part_and_lie_in_load_order(tool, tmp_path, form):
    game = Set(tool, tmp_path, **FORMS[form])
    answer = game.json("-o", game.output)
    assert [(a["name"], a["repacked"], a["reason"] or "") for a in answer["archives"]] == \
        [(f"pak01_{part}.vpk", True, "") for part in ("000", "001", "002", "dir")]
    assert contents(game.output) == contents(game.content)
    assert sorted(contents(game.output)) == sorted(ENTRIES)
    for number in range(3):
        before, after = (folder / f"pak01_{number:03}.vpk" for folder in (game.content, game.output))
        assert before.read_bytes() != after.read_bytes()
        if "aligned" not in form:
            assert after.stat().st_size == before.stat().st_size
        places = [game.lying(game.output, name) for name in game.names]
        in_order = [at for path, at, _ in places if path == after]
        # The number isn't always 0: bytes read ahead past an entry may be useful a little later.
        assert len(in_order) > 2 and sum(b < a for a, b in zip(in_order, in_order[1:])) <= 2
        unread = [game.lying(game.output, name) for name, _ in ENTRIES if name[0] == "m" and name not in game.names]
        assert max(in_order) < min([at for path, at, _ in unread if path == after], default=1 << 30)
        assert all(game.lying(game.content, name)[0].name == path.name for name, (path, _, _) in zip(game.names, places))
        if "aligned" in form:
            assert all(at % 512 == 0 for at in in_order)
    game.json("--in-place", "--force")
    new = {name: data for name, data in tree(game.output).items() if name.endswith(".vpk")}
    assert game.visible() == new
    game.tool.ok("restore", game.content)
    assert tree(game.content) == game.before


@needs_tools
@pytest.mark.parametrize("form", FORMS)
def test_others_read_the_same(tool, tmp_path, form):
    game = Set(tool, tmp_path, **FORMS[form])
    expected = sorted([name, hashlib.sha256(data).hexdigest()] for name, data in ENTRIES)
    game.json("-o", game.output)
    for folder in (game.content, game.output):
        for reader in ("srctools", "vpk"):
            assert json.loads(by_others("read", reader, folder / "pak01_dir.vpk")) == expected, (folder, reader)


def test_the_forecast_tells_what_is_gained(tool, tmp_path):
    game = Set(tool, tmp_path, 200, [(f"materials/{n:03}.vtf", noise(n, 20_000)) for n in range(600)], version=2)
    [load] = game.json("--dry-run")["forecast"]["scenarios"]
    assert load["after"]["seeks"] < load["before"]["seeks"] / 2, load
    assert load["after"]["seconds"] < load["before"]["seconds"] / 2, load


def test_a_part_that_no_recording_reads_stays(tool, tmp_path):
    game = Set(tool, tmp_path, read=1, version=2)
    game.lines.clear()
    game.record_names([name for name, _ in ENTRIES if name.startswith("materials") and
                       game.lying(game.content, name)[0].name == "pak01_001.vpk"][::-1])
    answer = {a["name"]: a["repacked"] for a in game.json("--in-place", "--force")["archives"]}
    assert answer == {"pak01_000.vpk": False, "pak01_001.vpk": True, "pak01_002.vpk": False, "pak01_dir.vpk": True}
    assert sorted(contents(game.content)) == sorted(ENTRIES)
    once = game.visible()
    # From the same recording again: two of the four originals are kept, and two lie in their places.
    game.json("--in-place", "--force")
    assert game.visible() == once
    game.tool.ok("restore", game.content)
    assert tree(game.content) == game.before


def test_repacked_again_from_newer_recordings(game):
    game.json("--in-place", "--force")
    once = game.visible()
    game.lines.clear()
    game.record_names(game.names[::-1])
    game.json("--in-place", "--force", "--recorded", "current")
    assert game.visible() != once and sorted(contents(game.content)) == sorted(ENTRIES)
    game.tool.ok("restore", game.content)
    assert tree(game.content) == game.before


def test_analyze_names_entries(game):
    """As their names are, whichever part they lie in."""
    analysis = game.tool.ok("analyze", game.trace, "--content", game.content, "--verbose")
    assert all(re.search(rf"^{name} ", analysis.text, re.MULTILINE) for name in sorted(game.names)[-9:]), analysis.text


def test_a_part_that_ends_like_a_zip_is_no_zip(tool, tmp_path):
    """Source's maps have a zip at their end."""
    game = Set(tool, tmp_path, version=1)
    path = game.content / "pak01_002.vpk"
    (tmp_path / "a").write_bytes(noise(5, 3000))
    with zipfile.ZipFile(tmp_path / "map.zip", "w") as archive:
        archive.write(tmp_path / "a", "a")
    zipped, blob = (tmp_path / "map.zip").read_bytes(), path.read_bytes()
    path.write_bytes(blob[:-len(zipped)] + zipped)
    before = contents_without_crc(game.content)
    answer = game.json("-o", game.output)
    assert all(a["repacked"] for a in answer["archives"])
    assert contents_without_crc(game.output) == before


def contents_without_crc(folder):
    return [(name, data if isinstance(data, bytes) else data[2]) for name, data in contents(folder)]


# ---- what stays as it is -----------------------------------------------------------------------------------------------

def signed(game):
    path = game.content / "pak01_dir.vpk"
    blob = bytearray(path.read_bytes())
    blob[24:28] = struct.pack("<I", 64)
    path.write_bytes(bytes(blob) + bytes(64))


def without_a_part(game):
    (game.content / "pak01_001.vpk").unlink()


def short_part(game):
    path = game.content / "pak01_001.vpk"
    path.write_bytes(path.read_bytes()[:-1000])


def other_piece(game):
    path = game.content / "pak01_001.vpk"
    blob = bytearray(path.read_bytes())
    blob[1000] ^= 1
    path.write_bytes(blob)


def something_more(game):
    """A hole with something in it."""
    path = game.content / "pak01_dir.vpk"
    blob = bytearray(path.read_bytes())
    at = blob.index(struct.pack("<II", 0, len(ENTRIES[0][1])))
    struct.pack_into("<II", blob, at, 5, len(ENTRIES[0][1]) - 9)
    tree_bytes, = struct.unpack_from("<I", blob, 8)
    body = blob[:-48] + hashlib.md5(blob[28:28 + tree_bytes]).digest() + blob[-32:-16]
    path.write_bytes(body + hashlib.md5(body).digest())


def own_pieces(game):
    path = game.content / "pak01_dir.vpk"
    blob = path.read_bytes()
    own, sums = struct.unpack_from("<II", blob, 12)
    at = len(blob) - 48 - sums
    path.write_bytes(blob[:at] + struct.pack("<I", 0x7FFF) + blob[at + 4:])


LEFT = {
    "signed": (signed, "it is signed"),
    "a part is missing": (without_a_part, "pak01_001.vpk' is missing"),
    "a part is too short": (short_part, "pak01_001.vpk"),
    "a part was changed": (other_piece, "pak01_001.vpk"),
    "bytes of no entry": (something_more, "belongs to no entry"),
    "checksums of pieces of the directory's file": (own_pieces, "pieces of its own data"),
}


@pytest.mark.parametrize("fault", LEFT)
def test_a_set_that_cant_be_taken_stays_with_its_reason(game, fault):
    change, reason = LEFT[fault]
    change(game)
    before = tree(game.content)
    told = game.run("--in-place", "--force")
    assert reason in told.out.decode() + told.err, told.out.decode() + told.err
    assert {n: d for n, d in tree(game.content).items() if not n.startswith(".seekless")} == before
    told = game.run("-o", game.output)
    assert reason in told.out.decode() + told.err
    if game.output.exists():
        assert {n: d for n, d in tree(game.output).items() if n.endswith(".vpk")} in ({}, before)


def test_parts_without_their_directory_stay(game):
    told = game.tool.run("repack", game.trace, "--content", game.content / "pak01_000.vpk", "-o", game.output)
    assert "'pak01_dir.vpk', isn't part of the content" in told.out.decode() + told.err, told.err


# ---- replaced and brought back -----------------------------------------------------------------------------------------

READ = {}  # what others read in states of a set, by a hash of its files


def assert_whole(game):
    """The game can start, and reads right bytes."""
    assert contents(game.content) == game.held
    if not PYTHON.exists():
        return
    state = hashlib.sha256(repr(sorted((name, hashlib.sha256(data).hexdigest())
                                       for name, data in game.visible().items())).encode()).hexdigest()
    if state not in READ:
        READ[state] = [json.loads(by_others("read", reader, game.content / "pak01_dir.vpk")) for reader in ("srctools", "vpk")]
    assert READ[state] == [sorted([name, hashlib.sha256(data).hexdigest()] for name, data in game.held)] * 2


CALLS = ["renameat", "linkat", "unlinkat", "fsync", "pwrite64", "mkdirat"]
SMALL = [(f"{n}.vtf", noise(n, 9000 + 77 * n)) for n in range(26)]  # in two parts and the directory's file
IN_PLACE = ("--in-place", "--force", "--recorded", "originals")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("command", ["repack", "repack again", "restore"])
@pytest.mark.parametrize("links", ["links", "no links"])
def test_killed_or_failing_at_any_call_the_set_is_whole(tool, tmp_path, call, command, links):
    game = Set(tool, tmp_path, entries=SMALL, version=2, chunks=2)
    game.held = contents(game.content)
    if not strace_can_inject():
        pytest.skip("needs strace and the right to trace")
    if links == "no links" and call not in ("renameat", "unlinkat", "fsync"):
        pytest.skip("the others are the same with links")
    repack = ("repack", game.trace, "--content", game.content, *IN_PLACE)
    game.tool.ok(*repack[:-2])
    new = game.visible()
    game.tool.ok("restore", game.content)
    no_links = ["-e", "inject=linkat:error=EPERM"] if links == "no links" else []
    happened = 0
    for fault in ("signal=KILL", "error=ENOSPC"):
        for count in range(1, 80):
            if command != "repack":
                game.tool.ok(*repack[:-2])
            arguments = ("restore", game.content) if command == "restore" else repack if command == "repack again" else repack[:-2]
            log = game.output.with_name("calls")
            done = subprocess.run(["strace", "-f", "-o", log, "-e", f"trace={call},linkat", *no_links, "-e",
                                   f"inject={call}:{fault}:when={count}", *game.tool.command(*arguments)],
                                  capture_output=True, timeout=120)
            injected = re.search(rf"{call}\(.*INJECTED", log.read_text()) or done.returncode == -signal.SIGKILL
            happened += bool(injected)
            assert_whole(game)
            if count % 3 == 0 and command != "restore":  # the next run continues
                again = game.tool.run(*repack[:-2])
                assert again.code == 0, again.err
                assert game.visible() == new
            game.tool.ok("restore", game.content)
            assert tree(game.content) == game.before, (fault, count)
            if not injected:
                break
    assert happened or call not in ("renameat", "fsync")


def killed(command, call, count, log, links):
    """Runs a command that is killed at that call; returns whether it was."""
    no_links = ["-e", "inject=linkat:error=EPERM"] if links == "no links" else []
    done = subprocess.run(["strace", "-f", "-o", log, "-e", f"trace={call},linkat", *no_links, "-e",
                           f"inject={call}:signal=KILL:when={count}", *command], capture_output=True, timeout=120)
    return done.returncode == -signal.SIGKILL


def names_spare_parts(game):
    try:
        read_vpk(game.visible()["pak01_dir.vpk"], {number: part for number, part in parts_of(game.content).items() if number < 2})
    except (KeyError, AssertionError):
        return True
    return False


@pytest.mark.parametrize("links", ["links", "no links"])
def test_killed_again_while_a_killed_run_is_finished(tool, tmp_path, links):
    if not strace_can_inject():
        pytest.skip("needs strace and the right to trace")
    game = Set(tool, tmp_path, entries=SMALL, version=2, chunks=2)
    game.held, log = contents(game.content), tmp_path / "calls"
    repack = tool.command("repack", game.trace, "--content", game.content, "--in-place", "--force")
    first = next(count for count in range(1, 80) if not killed(repack, "renameat", count, log, links) or names_spare_parts(game))
    assert names_spare_parts(game)
    state = tmp_path / "state"
    subprocess.run(["cp", "-a", game.content, state], check=True)
    seen = 0
    for command in (repack, tool.command("restore", game.content)):
        for count in range(1, 80):
            was_killed = killed(command, "renameat", count, log, links)
            assert_whole(game)
            game.tool.ok("restore", game.content)
            assert tree(game.content) == game.before, (first, count)
            shutil.rmtree(game.content)
            subprocess.run(["cp", "-a", state, game.content], check=True)
            if not was_killed:
                break
            seen += 1
    assert seen > 10


def test_an_original_that_is_lost_keeps_its_set(game):
    game.json("--in-place", "--force")
    new = game.visible()
    kept = game.content / ".seekless-originals" / "files" / "pak01_001.vpk"
    data = bytearray(kept.read_bytes())
    data[500] ^= 4
    kept.write_bytes(data)
    assert game.tool.run("restore", game.content).code != 0
    assert game.visible() == new
    game.tool.run("restore", game.content, "--force")
    assert game.visible() == new


def test_a_part_that_somebody_changed_is_set_aside(game):
    game.json("--in-place", "--force")
    path = game.content / "pak01_001.vpk"
    path.write_bytes(b"an update")
    now = game.visible()
    refused = game.tool.run("restore", game.content)
    assert refused.code != 0 and "pak01_001.vpk" in refused.err
    assert game.visible() == now
    game.tool.ok("restore", game.content, "--force")
    assert tree(game.content) == {**game.before, "pak01_001.vpk.changed": b"an update"}


def test_a_number_that_another_file_has_isnt_taken(game):
    (game.content / "pak01_003.vpk").write_bytes(b"of somebody else")
    before = tree(game.content)
    game.json("--in-place", "--force")
    assert game.visible().keys() == before.keys()
    assert (game.content / "pak01_003.vpk").read_bytes() == b"of somebody else"
    game.tool.ok("restore", game.content)
    assert tree(game.content) == before


def test_without_hard_links_room_for_a_part_is_needed(tool, small_disk):
    """A disk that holds the set twice, and its directory twice more, but not one part more."""
    folder = small_disk(8 << 20)
    game = Set(tool, folder, entries=SMALL, version=2)
    game.held = contents(game.content)
    new_bytes = sum(map(len, game.before.values()))
    free = lambda: os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
    (folder / "other").write_bytes(bytes(free() - new_bytes - 2 * len(game.before["pak01_dir.vpk"]) - 60_000))
    command = tool.command("repack", game.trace, "--content", game.content, "--in-place", "--force")
    refused = subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", "trace=linkat", "-e", "inject=linkat:error=EPERM",
                              *command], capture_output=True, text=True)
    assert refused.returncode != 0 and "bytes of free space" in refused.stderr, refused.stderr
    assert tree(game.content) == game.before
    game.json("--in-place", "--force")
    assert_whole(game)
    game.tool.ok("restore", game.content)
    assert tree(game.content) == game.before
