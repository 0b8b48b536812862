"""Containers of Unreal's IoStore (pak.utoc, pak.ucas, ...) in load order. Whatever happens, the directory in place
names parts that are there and hold the right bytes, and `restore` leaves the folder as it was."""
import os
import random
import struct

import pytest

from iostore_containers import (COMPRESSED, ENCRYPTED, INDEXED, ON_DEMAND, SIGNED, Chunk, Shape, contents, parse,
                                part_name, places, some_chunks, unpacked, write)
from repacked_game import RepackedGame, repacked
from test_repack_damage import MUTATIONS, mutated, outcome
from test_repack_sets import CALLS, a_zip, assert_last_comes_back_first, inject, inodes, names_in, read_zip
from tool import DAMAGED, FAILED, strace_can_inject, tree

CHUNKS = some_chunks()


class Game(RepackedGame):
    """A game with a container called pak."""

    def write(self, chunks=None, shape=Shape(), name="pak"):
        write(self.content, name, CHUNKS if chunks is None else chunks, shape)
        return contents(self.content, name)

    @property
    def toc(self):
        return self.content / "pak.utoc"

    def part(self, number):
        return self.content / part_name("pak", number)

    def now(self, folder=None):
        return contents(folder or self.content, "pak")

    def read(self, numbers, name="pak"):
        at = places(self.content, name)
        for number in numbers:
            part, offset, size = at[number]
            self.record(self.content / part_name(name, part), [(offset, size)])


@pytest.fixture
def game(tool, tmp_path):
    return Game(tool, tmp_path)


def some(seed, count=15):
    return random.Random(seed).sample(range(len(CHUNKS)), count)


def files(folder):
    return {name: data for name, data in tree(folder).items() if not name.startswith(".seekless")}


TWINS = CHUNKS + [Chunk("Game/Content/twin.ubulk", CHUNKS[3].data), Chunk("Game/Content/like.ubulk", CHUNKS[4].data)]
SHARING = Shape(twins=((TWINS[-2].path, CHUNKS[3].path),), same_places=((TWINS[-1].path, CHUNKS[4].path),))

KINDS = {
    **{f"version {version}": (CHUNKS, Shape(version=version)) for version in range(3, 9)},
    "stored": (CHUNKS, Shape(method="", flags=INDEXED)),
    "Oodle": (CHUNKS, Shape(method="Oodle")),
    "encrypted": (CHUNKS, Shape(method="Oodle", flags=COMPRESSED | ENCRYPTED | INDEXED)),
    "blocks at odd places": (CHUNKS, Shape(method="Oodle", flags=COMPRESSED | ENCRYPTED | INDEXED, shift=3)),
    "several parts": (CHUNKS, Shape(part=3 << 20)),
    "several parts, version 3": (CHUNKS, Shape(version=3, part=3 << 20)),
    "shared blocks": (TWINS, SHARING),
    "empty chunks": ([*CHUNKS, Chunk("Game/empty", b"")], Shape()),
    "no names": (CHUNKS, Shape(flags=COMPRESSED)),
    "small blocks": (CHUNKS, Shape(block=4096)),
    "an unused tail": (CHUNKS, Shape(tail=b"tail" * 999)),
    "no padding at the end": (CHUNKS[:-1] + [Chunk("Game/last", b"\7" * 70_001, is_stored=True)], Shape(tail=b"")),
}


@pytest.mark.parametrize("kind", KINDS)
def test_chunks_stay_and_lie_in_load_order(game, kind):
    chunks, shape = KINDS[kind]
    content = game.write(chunks, shape)
    if kind == "no padding at the end":
        last = game.part(0).read_bytes()
        game.part(0).write_bytes(last[:len(last) - -70_001 % 16])
        content = game.now()
    if shape.method != "Oodle":
        assert unpacked(game.content, "pak") == [chunk.data for chunk in chunks]
    numbers = some(kind)
    numbers += [number for number in (29, 0) if number not in numbers]
    game.read(numbers)
    before, where, lay = tree(game.content), inodes(game.content), places(game.content, "pak")
    assert repacked(game.json("-o", game.output)) == [("pak.utoc", True)]
    assert tree(game.content) == before
    answer = game.repack()
    assert repacked(answer) == [("pak.utoc", True)]
    after = files(game.content)
    assert files(game.output) == after
    toc = parse(before["pak.utoc"])
    assert after.keys() == before.keys() | {part_name("pak", toc.parts)}
    assert {name for name in before if after[name] != before[name]} == {"pak.utoc"}
    now_at = inodes(game.content)
    assert all(now_at[name] == place for name, place in where.items() if name != "pak.utoc")
    assert game.now() == content
    now = places(game.content, "pak")
    in_order = [now[number] for number in numbers]
    assert {part for part, *_ in in_order} == {toc.parts}
    assert sum(b[1] < a[1] for a, b in zip(in_order, in_order[1:])) <= 4
    moved = {lay[number] for number in numbers}  # also of chunks that share blocks
    alone = [number for number in range(len(chunks)) if lay[number] not in moved]
    assert alone and all(now[number] == lay[number] for number in alone)
    game.restore()
    assert tree(game.content) == before and inodes(game.content) == where
    size = lambda tree_of: sum(map(len, tree_of.values()))
    assert answer["bytes_after"] - answer["bytes_before"] == size(after) - size(before)


def test_chunks_of_several_parts_may_need_several_new_ones(game):
    content = game.write(shape=Shape(part=1 << 20))
    before = tree(game.content)
    game.read(random.Random(1).sample(range(30), 30))
    game.repack()
    toc = parse(game.toc.read_bytes())
    assert toc.part_bytes == 1 << 20 and toc.parts > parse(before["pak.utoc"]).parts + 2
    assert all(game.part(number).stat().st_size <= 1 << 20 for number in range(toc.parts))
    assert game.now() == content
    game.restore()
    assert tree(game.content) == before


@pytest.mark.parametrize("version, kinds", [(3, [5]), (4, [4, 5]), (8, [4])])
def test_chunks_that_engines_map_into_memory_stay(game, version, kinds):
    """Older engines take the place of such a chunk's first block for an offset in the first part."""
    mapped = {0: {"is_mapped": True, "is_stored": True}, 5: {"kind": 4}, 6: {"kind": 5}}
    chunks = [Chunk(c.path, c.data, **mapped.get(n, {"kind": c.kind})) for n, c in enumerate(CHUNKS)]
    chunks.append(Chunk("Game/Content/twin.uasset", chunks[0].data, is_stored=True))
    content = game.write(chunks, Shape(version, same_places=((chunks[-1].path, chunks[0].path),)))
    lay = places(game.content, "pak")
    game.read([0, 7, 5, 9, 6, 8])
    game.repack()
    now = places(game.content, "pak")
    stay = {0, *(number for number, kind in ((5, 4), (6, 5)) if kind in kinds)}
    assert {number for number in range(len(chunks)) if now[number][0] == 1} == {5, 6, 7, 8, 9} - stay
    assert all(now[number] == lay[number] for number in {*stay, 30}) and game.now() == content


def test_twins_still_share_their_blocks(game):
    game.write(TWINS, SHARING)
    game.read([3, 4])
    game.repack()
    now = places(game.content, "pak")
    assert now[-2] == now[3] and now[-1] == now[4] and now[3][0] == now[4][0] == 1
    assert game.part(1).stat().st_size < 1.1 * (now[3][2] + now[4][2])


def test_the_dry_run_changes_nothing_and_foresees_a_gain(game):
    game.write(some_chunks(60, 300_000), Shape(method="Oodle"))
    game.read(random.Random(1).sample(range(60), 40))
    before = tree(game.content)
    forecast = game.json("--in-place", "--dry-run", "--drive", "wd-black-1tb")["forecast"]["scenarios"][0]
    assert tree(game.content) == before
    assert forecast["after"]["seeks"] * 3 < forecast["before"]["seeks"]
    assert forecast["after"]["seconds"] * 1.5 < forecast["before"]["seconds"]


def test_chunks_are_known_by_their_names(game):
    """The index of names gives them. A name of the second folder isn't ASCII, so it is in UTF-16."""
    chunks = [Chunk(c.path.replace("Content/1", "Inhalt/Ü"), c.data, c.kind) for c in CHUNKS]
    game.write(chunks)
    game.read(some(1))
    first, second = (next(n for n in some(1) if n % 3 == rest) for rest in (0, 1))
    game.repack("--exclude", f"**/{chunks[first].path}", "--exclude", f"**/{chunks[second].path}")
    now = places(game.content, "pak")
    assert {number for number in range(len(chunks)) if now[number][0] == 1} == {*some(1)} - {first, second}


@pytest.mark.parametrize("is_recorded_again", [False, True])
def test_a_repacked_container_stays_until_it_is_restored(game, is_recorded_again):
    """The new part can only have the name of the first run's, which the directory in place names."""
    content = game.write()
    game.add("other.pak", b"a file that nobody repacks")
    before = tree(game.content)
    game.read(some(1))
    game.repack()
    if is_recorded_again:
        game.new_recording()
        game.read(some(2))
    first = tree(game.content)
    answer = game.json("--in-place", "--force")["archives"][0]
    assert not answer["repacked"] and f"'seekless restore {game.content}'" in answer["reason"]
    assert tree(game.content) == first
    game.restore()
    assert tree(game.content) == before
    if not is_recorded_again:
        assert repacked(game.repack()) == [("pak.utoc", True)] and game.now() == content
        assert files(game.content) == {name: data for name, data in first.items() if "/" not in name}


def test_several_containers_are_repacked_together(game):
    names = ["global", "pakchunk0-Windows", "pak"]
    held = {name: game.write(some_chunks(seed=seed), Shape(version=5 + seed), name) for seed, name in enumerate(names)}
    game.add("pak.pak", b"a small one, which mounts the container")
    before = tree(game.content)
    for number in some(5):
        for name in names[1:]:
            game.read([number], name)
    answer = game.repack()
    assert sorted(repacked(answer)) == [("global.utoc", False), ("pak.utoc", True), ("pakchunk0-Windows.utoc", True)]
    assert {name: contents(game.content, name) for name in names} == held
    assert files(game.content)["pak.pak"] == before["pak.pak"]
    assert len(game.restore()["restored"]) == 2
    assert tree(game.content) == before


# ---- containers that stay as they are --------------------------------------------------------------------------------

def with_header(at, form, value):
    def damage(game):
        toc = bytearray(game.toc.read_bytes())
        struct.pack_into(form, toc, at, value)
        game.toc.write_bytes(toc)
    return damage


def with_block(number, change):
    """`change` gets the place and the size."""
    def damage(game):
        blob = bytearray(game.toc.read_bytes())
        at = block_table(blob) + 12 * number
        place, size = change(int.from_bytes(blob[at:at + 5], "little"), int.from_bytes(blob[at + 5:at + 8], "little"))
        blob[at:at + 8] = place.to_bytes(5, "little") + size.to_bytes(3, "little")
        game.toc.write_bytes(blob)
    return damage


def block_table(blob):
    chunks, = struct.unpack_from("<I", blob, 24)
    seeds, _, unhashed = struct.unpack_from("<IQI", blob, 84)
    return 144 + 22 * chunks + 4 * seeds + 4 * unhashed


def with_length(game):
    blob = bytearray(game.toc.read_bytes())
    at = 144 + 12 * len(CHUNKS) + 5
    blob[at:at + 5] = (1 << 32).to_bytes(5, "big")
    game.toc.write_bytes(blob)


def longer_chunk(game):
    blob = bytearray(game.toc.read_bytes())
    at = 144 + 12 * len(CHUNKS) + 5
    blob[at:at + 5] = (len(CHUNKS[0].data) + 65536).to_bytes(5, "big")
    game.toc.write_bytes(blob)


def cut_part(game):
    game.part(0).write_bytes(game.part(0).read_bytes()[:-99])


def add_second_directory(game):
    (game.content / "PAK.utoc").write_bytes(game.toc.read_bytes())


def cut_toc(game):
    game.toc.write_bytes(game.toc.read_bytes()[:400])


FAULTS = {
    "version 2": (with_header(16, "<B", 2), "version 2; 3 to 8 are understood"),
    "version 9": (with_header(16, "<B", 9), "version 9"),
    "signed": (with_header(80, "<B", SIGNED | INDEXED), "signed"),
    "on demand": (with_header(80, "<B", ON_DEMAND | INDEXED), "flags that aren't understood"),
    "another header": (with_header(20, "<I", 160), "of another length"),
    "blocks without size": (with_header(44, "<I", 0), "without sizes"),
    "no part": (with_header(52, "<I", 0), "without sizes"),
    "more blocks than it has": (with_header(28, "<I", 1 << 30), "tables are longer"),
    "cut": (cut_toc, "tables are longer"),
    "a part is cut": (cut_part, "pak.ucas', which has only"),
    "a part is missing": (lambda game: game.part(0).unlink(), "'pak.ucas', a part of its data, is missing"),
    "a second part is named": (with_header(52, "<I", 2), "'pak_s1.ucas', a part of its data, is missing"),
    "a block lies beyond its part": (with_block(0, lambda place, size: (1 << 39, size)), "its block 0 ends at byte"),
    "blocks overlap": (with_block(1, lambda place, size: (place - 16, size)), "lies in part over another one"),
    "more compressions than a byte counts": (with_header(36, "<I", 0xFFFFFFFF), "more compressions"),
    "tables whose lengths overflow": (lambda game: [with_header(36, "<I", 0xFFFFFFFF)(game),
                                                    with_header(40, "<I", 0xFFFFFFFF)(game)], "more compressions"),
    "many parts": (with_header(52, "<I", 1 << 31), "parts, where engines have a few"),
    "a chunk is longer than all blocks": (with_length, "its chunk 0 ends in block"),
    "chunks share some blocks": (longer_chunk, "belongs to different chunks"),
    "two directories": (add_second_directory, "names the files beside it, too"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faulty_containers_stay_as_they_are(game, fault):
    damage, reason = FAULTS[fault]
    game.write()
    game.read(some(fault))
    damage(game)
    before = tree(game.content)
    done = game.run("--in-place", "--force")
    assert reason in done.text + done.err, done.text + done.err
    assert files(game.content) == before
    assert not (game.content / ".seekless-originals" / "files").exists()
    game.restore()
    assert tree(game.content) == before


def test_a_file_that_has_the_name_of_a_further_part_is_not_touched(game):
    """Two new parts are needed, and only the second one's name is taken."""
    game.write(shape=Shape(part=1 << 20))
    game.read(range(29, 0, -1))
    taken = game.part(parse(game.toc.read_bytes()).parts + 1)
    taken.write_bytes(b"somebody's")
    before = tree(game.content)
    done = game.run("--in-place", "--force")
    assert f"no '{taken.name}' beside it" in done.text + done.err
    assert files(game.content) == before
    [foreseen] = game.json("--in-place", "--dry-run")["archives"]
    assert not foreseen["repacked"] and f"no '{taken.name}' beside it" in foreseen["reason"]


@pytest.mark.parametrize("name", ["pak_s1.ucas", "PAK_S1.UCAS", "pak_s1.ucas/"])
def test_a_file_that_has_the_next_name_is_not_touched(game, name):
    """The numbers of parts can't have a gap, so the container stays."""
    game.write()
    game.read(some(1))
    if name.endswith("/"):
        (game.content / name).mkdir()
    else:
        game.add(name, b"somebody's")
    before = tree(game.content)
    done = game.run("--in-place", "--force")
    assert "would be called 'pak_s1.ucas'" in done.text + done.err
    assert "would be called 'pak_s1.ucas'" in game.json("--in-place", "--dry-run")["archives"][0]["reason"]
    assert files(game.content) == before
    assert repacked(game.json("-o", game.output)) == [("pak.utoc", False)], "a copy over the game would replace the file"
    assert contents(game.output, "pak") == game.now()


def test_containers_whose_names_go_on_are_told_apart(game):
    """pak_s1's first part is called as pak's second one would be."""
    held = {name: game.write(some_chunks(seed=seed), name=name) for seed, name in enumerate(["pak", "pak_s1"])}
    for number in some(5):
        for name in held:
            game.read([number], name)
    for options in (("-o", game.output), ("--in-place", "--force")):
        assert repacked(game.json(*options)) == [("pak.utoc", False), ("pak_s1.utoc", True)]
    for folder in (game.output, game.content):
        assert {name: contents(folder, name) for name in held} == held


@pytest.mark.parametrize("options", [["--exclude", "level_s1.utoc"], ["--opaque", "level_s1.utoc"], []], ids=" ".join)
def test_the_first_part_of_such_a_container_is_no_archive(game, options):
    """It ends like a zip. Its directory is left out, or signed."""
    chunks = [*CHUNKS[:5], Chunk("Game/Content/last.bin", a_zip(1), is_stored=True)]
    write(game.content, "level_s1", chunks, Shape(method="", flags=INDEXED if options else SIGNED | INDEXED))
    part = game.content / "level_s1.ucas"
    part.write_bytes(part.read_bytes().rstrip(b"\0"))
    end = part.stat().st_size
    game.record(part, [(end - at, 200) for at in (3000, 90_000, 30_000, 60_000)])
    before = tree(game.content)
    game.run("--in-place", "--force", *options)
    assert files(game.content) == before


def test_a_zip_called_like_a_part_is_a_zip_if_there_is_no_directory(game):
    path = game.add("pak.ucas", a_zip(1))
    read_zip(game, path)
    assert repacked(game.repack()) == [("pak.ucas", True)]


@pytest.mark.thorough
def test_damaged_directories_keep_every_chunk(game):
    """Whatever is changed in a directory, the container either stays or keeps every block."""
    generator = random.Random(7)
    chunks = [Chunk(c.path, c.data[:3000 + n], c.kind, n % 3 == 0) for n, c in enumerate(CHUNKS[:6])]
    shapes = [Shape(block=1024, version=8), Shape(block=1024, version=4, part=8192)]
    compared = stayed = 0
    held = {}
    for number in range(MUTATIONS):
        name = f"pak{number:04}"
        blob = write(game.content, name, chunks, shapes[number % 2])
        game.read(generator.sample(range(6), 4), name)
        (game.content / f"{name}.utoc").write_bytes(mutated(blob, range(len(blob)), generator))
        held[name] = outcome(lambda folder: contents(folder, name, with_padding=False), game.content)
    write(game.content, "sound", chunks)
    game.read([5, 1, 3], "sound")
    before = tree(game.content)
    for listed in game.json("-o", game.output)["archives"]:
        name = listed["name"].removesuffix(".utoc")
        if name == "sound":
            assert listed["repacked"]
        elif not listed["repacked"]:
            stayed += 1
            assert listed["reason"]
            # A container whose parts aren't known isn't in the output; one that nothing reads is there as it was.
            is_out = listed["name"] in names_in(game.output)
            assert is_out != listed["reason"].startswith("not in the output")
            assert not is_out or (game.output / listed["name"]).read_bytes() == before[listed["name"]]
        elif not isinstance(held[name], type):
            compared += 1
            assert contents(game.output, name, with_padding=False) == held[name], name
    assert tree(game.content) == before
    assert stayed > MUTATIONS / 10 and compared > MUTATIONS / 10, (stayed, compared)


# ---- updates, launchers, other hands ---------------------------------------------------------------------------------

def update(game, shape=Shape()):
    """A launcher replaces the directory and its part; returns the new content."""
    return game.write([Chunk(c.path, c.data[::-1] if n % 3 else c.data, c.kind) for n, c in enumerate(CHUNKS)], shape)


def test_a_launcher_that_puts_the_original_back_is_followed(game):
    content = game.write()
    before = tree(game.content)
    game.read(some(1))
    game.repack()
    game.toc.write_bytes(before["pak.utoc"])
    assert repacked(game.repack()) == [("pak.utoc", True)]
    assert game.now() == content and parse(game.toc.read_bytes()).parts == 2
    game.toc.unlink()
    game.toc.write_bytes(before["pak.utoc"])
    assert game.restore()["unchanged"] == ["pak.utoc"]
    assert tree(game.content) == before


def test_an_update_stays_in_place(game):
    """The old directory doesn't fit the new part, so that the game wouldn't start with it."""
    game.write()
    original = game.toc.read_bytes()
    game.read(some(1))
    game.repack()
    content = update(game)
    new = tree(game.content)
    refused = game.tool.run("restore", game.content).says("pak.utoc", "--force", "fits the files beside it")
    assert refused.code == FAILED and tree(game.content) == new
    [archive] = game.repack()["archives"]
    assert not archive["repacked"] and "an update replaced it" in archive["reason"]
    assert game.now() == content
    assert game.restore("--force")["outdated"] == [str(game.content / "pak.utoc.original")]
    assert game.now() == content
    left = tree(game.content)
    assert left.pop("pak.utoc.original") == original and left.keys() == {"pak.utoc", "pak.ucas"}


UNKNOWN = {"signed": lambda game: with_header(80, "<B", SIGNED | INDEXED)(game),
           "version 9": lambda game: with_header(16, "<B", 9)(game),
           "chunks that share blocks in another way": lambda game: longer_chunk(game)}


@pytest.mark.parametrize("kind", UNKNOWN)
def test_an_update_of_an_unknown_kind_stays_in_place(game, kind):
    """Its part is long enough for the original, but holds other data."""
    game.write()
    original = game.toc.read_bytes()
    game.read(some(1))
    game.repack()
    update(game, Shape(tail=b"tail" * 99_999))
    UNKNOWN[kind](game)
    new = game.toc.read_bytes()
    assert game.tool.run("restore", game.content).says("pak.utoc", "--force", "isn't understood").code == FAILED
    assert game.restore("--force")["outdated"] == [str(game.content / "pak.utoc.original")]
    assert game.toc.read_bytes() == new and (game.content / "pak.utoc.original").read_bytes() == original
    assert game.restore()["restored"] == []
    assert not (game.content / ".seekless-originals" / "files").exists()


def test_a_damaged_original_is_not_read(game):
    """A place that a damage moves to the next block looks like one of data that blocks share."""
    content = game.write(shape=Shape(method=""))
    game.read(some(1))
    game.repack()
    kept = game.content / ".seekless-originals" / "files" / "pak.utoc"
    blob, toc = bytearray(kept.read_bytes()), parse(kept.read_bytes())
    sizes = {offset: size for _, offset, size, *_ in toc.blocks}
    moved = {block for number in some(1) for block in toc.blocks_of(number)}
    number = next(number for number, block in enumerate(toc.blocks)
                  if block in moved and sizes.get(block[1] ^ 0x10000) == block[2])
    at = block_table(blob) + 12 * number
    blob[at:at + 5] = (toc.blocks[number][1] ^ 0x10000).to_bytes(5, "little")
    kept.write_bytes(blob)
    assert game.run("-o", game.output).says(kept, "other bytes").code == DAMAGED
    assert game.tool.run("restore", game.content).says(kept, "other bytes").code == DAMAGED
    assert game.now() == content


def test_an_update_with_a_part_of_the_same_name_keeps_it(game):
    game.write()
    game.read(some(1))
    game.repack()
    content = update(game, Shape(part=3 << 20))
    assert parse(game.toc.read_bytes()).parts == 2
    new = files(game.content)
    game.restore("--force")
    assert game.now() == content
    assert {name: data for name, data in tree(game.content).items() if not name.endswith(".original")} == new


def test_a_part_that_somebody_changed_stays(game):
    game.write()
    before = tree(game.content)
    game.read(some(1))
    game.repack()
    game.part(1).write_bytes(b"somebody's")
    assert game.tool.run("restore", "--discard", game.content).says("pak_s1.ucas", "other bytes").code == FAILED
    assert game.restore()["changed_parts"] == ["pak_s1.ucas"]
    assert tree(game.content) == {**before, "pak_s1.ucas": b"somebody's"}


def test_discarding_originals_keeps_the_new_part(game):
    """The next run makes its part beside it."""
    content = game.write()
    game.read(some(1))
    game.repack()
    now = files(game.content)
    assert game.restore("--discard")["discarded"] == ["pak.utoc"]
    assert game.restore()["restored"] == []
    assert files(game.content) == now and game.now() == content
    game.new_recording()
    game.read(some(2))
    answer = game.repack()
    assert game.now() == content and parse(game.toc.read_bytes()).parts == 3
    size = lambda held: sum(map(len, held.values()))
    assert answer["bytes_after"] - answer["bytes_before"] == size(files(game.content)) - size(now)
    game.restore()
    assert files(game.content) == now


def test_a_launcher_that_puts_a_discarded_original_back_lets_the_new_part_go(game):
    game.write()
    before = tree(game.content)
    game.read(some(1))
    game.repack()
    game.restore("--discard")
    game.toc.write_bytes(before["pak.utoc"])
    game.restore()
    assert tree(game.content) == before


def test_a_lost_original_is_missed(game):
    content = game.write()
    was = game.toc.stat()
    game.read(some(1))
    game.repack()
    (game.content / ".seekless-originals" / "files" / "pak.utoc").unlink()
    os.utime(game.toc, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert game.tool.run("restore", game.content).says("pak.utoc").code == DAMAGED
    assert game.now() == content


def test_folders_in_each_other_keep_what_each_others_originals_name(game):
    """A game is repacked, then a folder in it alone."""
    inner = game.content / "Paks"
    inner.mkdir()
    write(inner, "pak", CHUNKS)
    content, before = contents(inner, "pak"), tree(game.content)

    def read(numbers):
        at = places(inner, "pak")
        for number in numbers:
            part, offset, size = at[number]
            game.record(inner / part_name("pak", part), [(offset, size)])
    read(some(1))
    game.repack()
    game.new_recording()
    read(some(1)[::-1])
    game.tool.json("repack", game.trace, "--content", inner, "--in-place", "--force", "--recorded", "current")
    assert parse((inner / "pak.utoc").read_bytes()).parts == 3
    assert contents(inner, "pak") == content
    assert_last_comes_back_first(game, inner, game.content)
    assert tree(game.content) == before


# ---- kills and faults ------------------------------------------------------------------------------------------------

def small_container(game):
    content = game.write([Chunk(c.path, c.data[:5000], c.kind) for c in CHUNKS[:9]], Shape(block=2048))
    game.read([7, 1, 5, 3])
    return content


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("command", ["repack", "restore"])
def test_killed_or_failing_at_any_call_the_container_is_whole(game, call, command):
    if not strace_can_inject():
        pytest.skip("needs strace and the right to trace")
    content = small_container(game)
    before = tree(game.content)
    repack = ("repack", game.trace, "--content", game.content, "--in-place", "--force")
    happened = 0
    for fault in ("signal=KILL", "error=EIO"):
        for count in range(1, 40):
            if command == "restore":
                game.repack()
            injected = inject(game, call, fault, count, ("restore", game.content) if command == "restore" else repack)
            happened += injected
            assert game.now() == content, (fault, count)
            if count % 3 == 0:  # a later run continues from there
                game.tool.run(*repack)
                assert game.now() == content, (fault, count)
                if command == "repack":
                    assert parse(game.toc.read_bytes()).parts == 2, (fault, count)
            game.restore()
            assert tree(game.content) == before, (fault, count)
            if not injected or (call == "openat" and count > 30):
                break
    unused = {"restore": ("pwrite64", "fallocate", "linkat", "mkdirat")}.get(command, ())
    assert happened or call in ("fdatasync", *unused)


def test_without_hard_links_parts_are_moved(game):
    if not strace_can_inject():
        pytest.skip("needs strace and the right to trace")
    content = small_container(game)
    before = tree(game.content)
    repack = ("repack", game.trace, "--content", game.content, "--in-place", "--force")
    for count in range(1, 9):
        inject(game, "linkat,renameat", "error=EPERM", "1+", repack, "-e", f"inject=renameat:signal=KILL:when={count}")
        game.tool.run(*repack)
        game.restore()
        assert tree(game.content) == before
    inject(game, "linkat", "error=EPERM", "1+", repack)
    assert game.now() == content and parse(game.toc.read_bytes()).parts == 2
    game.restore()
    assert tree(game.content) == before


def test_too_little_space_is_known_before(game, small_disk):
    disk = small_disk(3 << 20)
    game.content = disk / "content"
    game.content.mkdir()
    game.write(CHUNKS[:14], Shape(method=""))
    game.read(range(13, 0, -1))
    before = tree(disk)
    assert game.run("--in-place", "--force").says("free space").code == FAILED
    assert tree(disk) == before


def test_an_output_has_the_parts_that_its_directory_names(game):
    content = game.write()
    game.read(some(1))
    game.json("-o", game.output)
    whole = {"pak.utoc", "pak.ucas", "pak_s1.ucas"}
    assert names_in(game.output) == whole and game.now(game.output) == content
    game.repack()
    assert "from their originals again" in game.run("-o", game.output, "--force").text
    assert names_in(game.output) == whole and game.now(game.output) == content
