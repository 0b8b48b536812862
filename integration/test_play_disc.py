"""`seekless play IMAGE`: a disc image, and the files that its sheet names, are served alone; everything else of their folder
stays as it is. `seekless place IMAGE` puts its pieces together."""
import hashlib
import json
import random
import subprocess

import pytest

import measure_emulators
import own_disks
import page_cache
from game import noise
from own_disks import MIB, NEEDS_EMULATED_DISK
from test_play import PYTHON, pytestmark  # noqa: F401
from tool import DONE, USAGE, tree

HASHES = "import hashlib, sys\nfor name in sys.argv[1:]: print(hashlib.sha256(open(name, 'rb').read()).hexdigest())"
PLACE_NEEDS_DISK = pytest.mark.skipif(own_disks.why_not() is not None, reason=own_disks.why_not() or "")


@pytest.fixture
def discs(tmp_path):
    """Two discs of one game, and another game beside them."""
    folder = tmp_path / "discs"
    folder.mkdir()
    for number in (1, 2):
        (folder / f"game (disc {number}).bin").write_bytes(noise(number, 2 * MIB))
        (folder / f"disc{number}.cue").write_text(f'FILE "game (disc {number}).bin" BINARY\n  TRACK 01 MODE1/2048\n')
    (folder / "game.m3u").write_text("disc1.cue\r\n# a remark\r\ndisc2.cue\r\nno such.cue\r\n")
    (folder / "other.iso").write_bytes(noise(3, MIB))
    return folder


@pytest.fixture
def played(tool, tmp_path):
    def run(image, *command, options=(), code=DONE):
        answer = tool.run("play", "--always", "--state", tmp_path / "state", "--json", tmp_path / "r.json", *options, image,
                          "--", *command, cwd=tmp_path)
        assert answer.code == code, answer.err
        return json.loads((tmp_path / "r.json").read_text()), answer
    return run


def learned_files(tmp_path):
    return json.loads(next((tmp_path / "state").glob("*/learned.json")).read_text())["files"]


def test_only_the_discs_own_files_are_served(played, discs, tmp_path):
    before = tree(discs)
    result, answer = played(discs / "disc1.cue", "sh", "-c", f"cat {discs}/* | sha256sum; ls {discs}; cat /proc/mounts")
    hashed, *names = answer.text.splitlines()
    assert hashed.split()[0] == hashlib.sha256(b"".join(file.read_bytes() for file in sorted(discs.iterdir()))).hexdigest()
    assert [line.split()[1] for line in names if line.startswith("seekless ")] == \
        [f"{discs}/disc1.cue", f"{discs}/game\\040(disc\\0401).bin"]
    assert result["folder"] == f"{discs}/disc1.cue" and result["was_served"]
    assert sorted(learned_files(tmp_path)) == ["disc1.cue", "game (disc 1).bin"]
    assert tree(discs) == before


def test_a_list_brings_all_discs(played, discs, tmp_path):
    image = discs / "game (disc 2).bin"
    for _ in range(2):
        result, answer = played(discs / "game.m3u", *PYTHON, "-c", HASHES, image)
    assert answer.text.strip() == hashlib.sha256(image.read_bytes()).hexdigest()
    assert result["folders"] == [f"{discs}/{name}" for name in
                                 ("game.m3u", "disc1.cue", "game (disc 1).bin", "disc2.cue", "game (disc 2).bin")]
    assert learned_files(tmp_path) == ["game (disc 2).bin"] and "unread_folders" not in result


def test_a_disc_is_laid_out_and_only_pages_that_were_read_are_kept(played, discs, tmp_path):
    image = discs / "other.iso"
    read = f"import hashlib, sys\nfile = open('{image}', 'rb')\nfile.seek(300_000)\nprint(hashlib.sha256(file.read(80_000)).hexdigest())"
    plain = hashlib.sha256(image.read_bytes()[300_000:380_000]).hexdigest()
    for options in ([], [], ["--lay-out"], []):
        result, answer = played(image, *PYTHON, "-c", read, options=options)
        assert answer.text.strip() == plain
    assert result["foreseen"]["shadow_reads"] > 0
    assert 80_000 <= result["foreseen"]["fetched_bytes"] <= 300_000


def test_what_an_emulator_writes_is_in_the_image_at_once(played, discs):
    image = discs / "other.iso"
    text = f"with open('{image}', 'r+b') as file: file.seek(5); file.write(b'saved'); file.seek(1 << 21); file.write(b'!')"
    played(image, *PYTHON, "-c", text)
    assert image.read_bytes()[5:10] == b"saved" and image.stat().st_size == (1 << 21) + 1


def test_it_is_shown_and_forgotten_by_its_path_also_when_it_is_gone(played, tool, discs, tmp_path):
    image = discs / "other.iso"
    for _ in range(2):
        played(image, *PYTHON, "-c", HASHES, image)
    asked = ("play", "--state", tmp_path / "state")
    assert f"{image}: 1 scenario learned" in tool.ok(*asked, "--status", image).text
    assert str(image) in tool.ok(*asked, "--status").text
    image.unlink()
    assert "forgotten" in tool.ok(*asked, "--forget", image).text
    assert not list((tmp_path / "state").iterdir())


def test_what_is_neither_file_nor_folder_is_refused_and_the_program_runs(played, tmp_path):
    (tmp_path / "pipe").touch()
    (tmp_path / "pipe").unlink()
    subprocess.run(["mkfifo", tmp_path / "pipe"], check=True)
    _, answer = played(tmp_path / "pipe", "true")
    assert "expected the folder that the game lies in, or a disc image, found neither" in answer.err


@PLACE_NEEDS_DISK
def test_place_puts_an_images_pieces_together_without_recordings(tool, tmp_path):
    with own_disks.mounted(tmp_path, "ext4", 512) as disk:
        image, between = disk.folder / "game.bin", []
        (disk.folder / "game.cue").write_text('FILE "game.bin" BINARY\n')
        for number in range(24):
            with open(image, "ab") as file:
                file.write(noise(number, MIB))
            between.append(disk.folder / f"between{number}")
            between[-1].write_bytes(bytes(MIB))
            page_cache.write_back(disk.folder)
        for file in random.Random(1).sample(between, 12):
            file.unlink()
        page_cache.write_back(disk.folder)

        def pieces():
            return tool.json("where", image)["fragments"]
        before, plain = pieces(), image.read_bytes()
        state = ("--state", tmp_path / "placed")
        result = tool.json("place", *state, disk.folder / "game.cue")
        assert [scenario["name"] for scenario in result["scenarios"]] == ["game.bin", "game.cue"]
        assert pieces() * 8 <= before and image.read_bytes() == plain
        assert tool.json("place", *state, "--undo", image)["put_back"] == 1
        disk.check()


class ReadsImage:
    """Stands for an emulator: starts for a second, and then reads 30 pieces of 64 KiB, in no order."""

    def make(self, folder, image_bytes):
        (folder / "game.img").write_bytes(noise(1, image_bytes))
        return folder / "game.img"

    def named(self, image):
        return image

    def command(self, image, _):
        read = "import os, sys, time\ntime.sleep(1)\nfile = os.open(sys.argv[1], os.O_RDONLY)\nfor at in sys.argv[2:]: os.pread(file, 65536, int(at))"
        return [*PYTHON, "-c", read, image, *random.Random(1).sample(range(0, 40 * MIB, MIB), 30)]


def marked(test):
    for mark in NEEDS_EMULATED_DISK:
        test = mark(test)
    return test


@marked
def test_on_a_disk_an_image_in_pieces_costs_fewer_seeks_and_no_more_memory(tmp_path):
    options = ("--tables", "usual", "--drive", "wd-black-1tb", "--scale", "0.05")
    with measure_emulators.Disk(tmp_path / "disk", *options) as disk:
        on_disk = measure_emulators.OnDisk(disk, ReadsImage(), tmp_path, 40 * MIB, 20)
        assert on_disk.pieces() >= 15
        plain = on_disk.run()
        learned = [on_disk.play() for _ in range(3)][-1]
        on_disk.play("--lay-out")
        laid_out = on_disk.play()
        on_disk.place()
        placed = on_disk.run()
        # Each piece still costs a seek, shorter ones, and what was learned is read from the same disk.
        assert learned["busy_s"] <= 1.2 * plain["busy_s"] and placed["busy_s"] <= plain["busy_s"]
        assert laid_out["seeks"] * 2 <= plain["seeks"] and laid_out["busy_s"] * 2 <= plain["busy_s"]
        assert 30 << 16 <= learned["fetched_bytes"] <= 1.1 * on_disk.used_bytes()


@PLACE_NEEDS_DISK
def test_place_asks_for_recordings_of_a_folder(tool, tmp_path):
    answer = tool.run("place", tmp_path).says("found a folder and no recordings")
    assert answer.code == USAGE
