"""Archives of Bethesda, Valve, Ren'Py and Unreal in load order: independent readers find every entry unchanged in every
form; archives that can't be rewritten are named with the reason; and an engine runs from the result."""
import hashlib
import os
import pickle
import random
import shutil
import struct
import subprocess
import zlib

import pytest

from game import noise
from moved_archives import KINDS, bsa, read_rvz, rpa, rvz, unreal_pak, vpk, with_rvz_sums, zstd
from repacked_game import RepackedGame
from strace_lines import read_of

# There is too much content for the order not to matter: Linux reads 128 KiB ahead.
ENTRIES = [(f"textures/{n:02}.tex", noise(n, 150_000 + 77 * n)) for n in range(24)] + \
    [("meshes/deep/a.nif", noise(99, 5000)), ("meshes/twin.nif", noise(99, 5000)), ("readme.txt", noise(3, 300))]


def lying(blob, data):
    """Returns where an entry's data are: whole, without first bytes that lie elsewhere, compressed, or half."""
    for part in (data, data[100:], data[7:], zlib.compress(data), zlib.compress(data[:len(data) // 2])):
        if (at := blob.find(part)) >= 0:
            return at, len(part)
    raise AssertionError("the data are nowhere")


class Game(RepackedGame):
    def read(self, path, names):
        blob, data_of = path.read_bytes(), dict(ENTRIES)
        self.record(path, [lying(blob, data_of[name]) for name in names])


@pytest.fixture
def game(tool, tmp_path):
    return Game(tool, tmp_path)


def some_names(seed, count=12):
    return random.Random(seed).sample([name for name, _ in ENTRIES if name.startswith("textures")], count)


@pytest.mark.parametrize("kind", KINDS)
def test_entries_stay_and_lie_in_load_order(game, kind):
    write, read = KINDS[kind]
    before = write(ENTRIES)
    archive = game.add("game.data", before)
    names = some_names(kind)
    game.read(archive, names)
    answer = game.json("-o", game.output)
    assert [(a["name"], a["repacked"]) for a in answer["archives"]] == [("game.data", True)]
    after = (game.output / "game.data").read_bytes()
    assert after != before and read(after) == read(before)
    assert sorted(read(after)) == sorted(ENTRIES)
    data_of = dict(ENTRIES)
    in_order = [lying(after, data_of[name])[0] for name in names]
    # The number isn't always 0: bytes read ahead past an entry may be useful a little later.
    assert sum(b < a for a, b in zip(in_order, in_order[1:])) <= 4
    unread = [lying(after, data)[0] for name, data in ENTRIES if name.startswith("textures") and name not in names]
    assert max(in_order) < min(unread)
    game.json("--in-place", "--force")
    assert archive.read_bytes() == after
    game.tool.ok("restore", game.content)
    assert archive.read_bytes() == before


DISC_GROUPS = [data for _, data in ENTRIES[:4]] + [b""] + [data for _, data in ENTRIES[4:]]
DISCS = {
    "rvz": {},
    "rvz, compressed": {"is_packed": True},
    "rvz, tables behind the data": {"tables_behind": True, "is_packed": True},
    "wia": {"magic": b"WIA\1"},
}


@pytest.mark.parametrize("form", DISCS)
def test_groups_of_a_disc_lie_in_load_order(game, form):
    """One group stands for zeros."""
    before = rvz(DISC_GROUPS, **DISCS[form])
    image = game.add("game.rvz", before)
    order = random.Random(form).sample(range(24), 12)
    groups = [ENTRIES[number][1] for number in order]
    stored = [part for data in groups for part in [zstd("ZSTD_compress", data, len(data) + 1000, 3), data] if part in before]
    game.record(image, [(before.find(data), len(data)) for data in stored])
    assert [a["repacked"] for a in game.json("-o", game.output)["archives"]] == [True]
    after = (game.output / "game.rvz").read_bytes()
    assert after != before and read_rvz(after) == read_rvz(before)
    assert read_rvz(after)[:len(DISC_GROUPS)] == list(enumerate(DISC_GROUPS))
    in_order = [after.find(data) for data in stored]
    assert sum(b < a for a, b in zip(in_order, in_order[1:])) <= 4
    game.json("--in-place", "--force")
    assert image.read_bytes() == after
    game.tool.ok("restore", game.content)
    assert image.read_bytes() == before


def test_what_lies_behind_the_table_of_groups_of_a_disc_stays(game):
    """The table is longer in the new order, and Dolphin doesn't document the bytes behind it."""
    groups = [noise(n, 2000) for n in range(300)]
    sound = rvz(groups, is_packed=True)
    place, size = struct.unpack_from(">QI", sound, 0x48 + 0xC8)
    unknown = noise(7, 40)
    before = with_rvz_sums(sound[:place + size] + unknown + sound[place + size + 40:])
    image = game.add("game.rvz", before)
    data = [zstd("ZSTD_compress", part, 3000, 3) for part in random.Random(1).sample(groups, 150)]
    game.record(image, [(before.find(part), len(part)) for part in data])
    game.json("-o", game.output, "--force")
    after = (game.output / "game.rvz").read_bytes()
    new_place, new_size = struct.unpack_from(">QI", after, 0x48 + 0xC8)
    assert new_size > size and new_place > place + size
    assert after[place + size:place + size + 40] == unknown and read_rvz(after) == read_rvz(before)


class Boom:
    def __reduce__(self):
        return os.system, ("touch /tmp/never",)


def evil_rpa():
    return b"RPA-3.0 %016x %08x\n" % (34, 0) + zlib.compress(pickle.dumps({"a": [(34, 0, Boom())]}, 2))


def signed_vpk():
    blob = bytearray(vpk(ENTRIES[:3], 2))
    blob[24:28] = struct.pack("<I", 64)
    return bytes(blob) + bytes(64)


def encrypted_unreal():
    blob = bytearray(unreal_pak(ENTRIES[:3], 11))
    blob[blob.rindex(b"\xe1\x12\x6f\x5a") - 1] = 1
    return bytes(blob)


def other_checksum():
    blob = bytearray(unreal_pak(ENTRIES[:3], 11))
    blob[blob.rindex(b"\xe1\x12\x6f\x5a") + 30] ^= 1
    return bytes(blob)


def changed_rvz(at, field, value, **options):
    blob = bytearray(rvz([noise(1, 900)], **options))
    struct.pack_into(field, blob, at, value)
    return with_rvz_sums(bytes(blob))


LEFT = {
    "vpk, data beside it": (vpk(ENTRIES[:3], 2, chunk=1), "Valve's VPK", "_001.vpk"),
    "vpk, signed": (signed_vpk(), "Valve's VPK", "signed"),
    "vpk, newer": (b"\x34\x12\xaa\x55\3\0\0\0" + bytes(99), "Valve's VPK", "version 3"),
    "bsa, newer": (b"BSA\0\x6a\0\0\0" + bytes(99), "Bethesda's BSA", "version 106"),
    "bsa of a console": (bsa(ENTRIES[:3], 104, 0x43), "Bethesda's BSA", "Xbox"),
    "ba2 of a console": (b"BTDX\1\0\0\0GNMF" + bytes(99), "Bethesda's BA2", "console"),
    "rpa, a pickle that calls": (evil_rpa(), "Ren'Py's RPA", "a call"),
    "rpa, cut off": (rpa(ENTRIES[:3])[:9000], "Ren'Py's RPA", "first line"),
    "rvz, another checksum": (rvz([noise(1, 900)]).replace(b"GTST01", b"GTST02"), "Dolphin's disc image", "checksum"),
    "rvz, compressed otherwise": (changed_rvz(0x4C, ">I", 3), "Dolphin's disc image", "another way"),
    "rvz, of later programs": (changed_rvz(8, ">I", 0x1000001), "Dolphin's disc image", "version"),
    "rvz, older": (changed_rvz(4, ">I", 0x20000), "Dolphin's disc image", "version"),
    "rvz, tables over each other": (changed_rvz(0x48 + 0xB8, ">Q", 0x48 + 0xDC + 20), "Dolphin's disc image", "over each other"),
    "rvz, a table over the head": (changed_rvz(0x48 + 0xB8, ">Q", 0x48 + 0xD0), "Dolphin's disc image", "over each other"),
    "rvz, a table too long": (changed_rvz(0x48 + 0xD0, ">I", 500, is_packed=True), "Dolphin's disc image", "too long"),
    "pak, encrypted": (encrypted_unreal(), "an UnrealPak", "encrypted"),
    "pak, another checksum": (other_checksum(), "an UnrealPak", "checksum"),
}


@pytest.mark.parametrize("kind", LEFT)
def test_what_cant_be_taken_is_named_with_its_reason(game, kind):
    """Tests each alone, and beside an archive that can be rewritten."""
    blob, name, reason = LEFT[kind]
    odd = game.add("odd.data", blob)
    game.lines += read_of(odd, 40, 50, at_s=1)
    game.trace.write_text("\n".join(game.lines) + "\n")
    alone = game.run("--dry-run")
    assert name in alone.err and reason in alone.err, alone.err
    sound = game.add("sound.data", rpa(ENTRIES))
    game.read(sound, some_names(2))
    listed = {a["name"]: a for a in game.json("-o", game.output)["archives"]}
    assert listed["sound.data"]["repacked"] and not listed["odd.data"]["repacked"]
    assert reason in listed["odd.data"]["reason"]
    assert (game.output / "odd.data").read_bytes() == blob
    text = game.run("--dry-run")
    assert reason in text.out.decode() + text.err, text.err
    plan = game.tool.ok("plan", game.trace, "--content", game.content, "-o", game.output.with_suffix(".json"))
    analysis = game.tool.ok("analyze", game.trace, "--content", game.content)
    assert reason in plan.err and reason in analysis.err


@pytest.mark.parametrize("magic, name, reason", [
    (b"MComprHD\0\0\0\x7C\0\0\0\5cdzl", "a CHD image", "the order of its pieces is fixed"),
    (b"-==--==--==--==-", "Unreal's IoStore", "its data lie in files beside it"),
    (b"UnityFS\0", "Unity's bundle", "load slower"),
])
def test_other_kinds_are_named_with_their_reason(game, magic, name, reason):
    """Tests each alone, and beside an archive that can be rewritten."""
    odd = game.add("odd.data", magic + bytes(900))
    game.lines += read_of(odd, 40, 50, at_s=1)
    game.trace.write_text("\n".join(game.lines) + "\n")
    alone = game.run("--dry-run")
    assert name in alone.err and reason in alone.err, alone.err
    game.read(game.add("sound.data", rpa(ENTRIES)), some_names(2))
    beside = game.run("--dry-run")
    assert name in beside.err and reason in beside.err, beside.err


def test_a_signature_beside_a_pak_keeps_it(game):
    game.add("game.pak", unreal_pak(ENTRIES, 11))
    game.add("game.sig", b"signature")
    game.read(game.content / "game.pak", some_names(2))
    assert "signed" in game.run("--dry-run").err


# ---- the engine --------------------------------------------------------------------------------------------------------

RENPY = shutil.which("renpy", path=os.environ["PATH"] + ":/usr/games")
SCRIPT = """init 100 python:
    import hashlib, os
    def sum_of(n):
        return hashlib.md5(renpy.loader.load("images/%d.bin" % n).read()).hexdigest()
    with open(os.environ["RESULT"], "w") as result:
        result.write(" ".join(sum_of(n) for n in range(40)))
    os._exit(0)
label start:
    return
"""


@pytest.mark.skipif(not RENPY, reason="Ren'Py isn't installed (renpy)")
def test_renpy_reads_the_same(tool, tmp_path):
    """Ren'Py itself loads forty files from an archive, and the same files from the repacked one."""
    game, output = tmp_path / "game", tmp_path / "out"
    game.mkdir()
    (game / "script.rpy").write_text(SCRIPT)
    names = random.Random(5).sample(range(40), 40)
    before = rpa([(f"images/{n}.bin", noise(n, 60_000 + n)) for n in names])
    (game / "data.rpa").write_bytes(before)
    result, trace = tmp_path / "sums", tmp_path / "load.trace"
    env = {**os.environ, "HOME": str(tmp_path), "RESULT": str(result), "SDL_VIDEODRIVER": "dummy",
           "SDL_AUDIODRIVER": "dummy"}

    def loaded():
        subprocess.run([RENPY, tmp_path], env=env, timeout=300, capture_output=True)
        return result.read_text().split()
    expected = [hashlib.md5(noise(n, 60_000 + n)).hexdigest() for n in range(40)]
    assert loaded() == expected
    tool.run("record", "-o", trace, "--only", f"{game}/*.rpa", "--", RENPY, tmp_path, env=env)
    answer = tool.json("repack", trace, "--content", game / "data.rpa", "-o", output)
    assert [(a["repacked"], a["read_entries"]) for a in answer["archives"]] == [(True, 40)]
    after = (output / "data.rpa").read_bytes()
    places = [after.index(noise(n, 60_000 + n)) for n in range(40)]
    assert places == sorted(places)
    (game / "data.rpa").write_bytes(after)
    result.unlink()
    assert loaded() == expected
