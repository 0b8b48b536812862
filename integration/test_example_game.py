"""The example game, built as a newcomer would: find_package on the installed library, a base, a patch that
replaces, a mod that replaces and deletes."""
import os
import re
import shutil
import subprocess

import pytest

import skl_reader
from faults import Faults
from game import noise
from tool import TOP

SOURCES = TOP / "integration" / "example_game"
STRICT = "-Wall -Wextra -Wpedantic -Wshadow -Werror"


def built(prefix, folder, flags=STRICT):
    for command in (["cmake", "-S", SOURCES, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
                     "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_FLAGS={flags}"],
                    ["cmake", "--build", folder]):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "example_game"


@pytest.fixture(scope="module")
def example(install_prefix, tmp_path_factory):
    return built(install_prefix, tmp_path_factory.mktemp("example"))


class Mounted:
    """The game's mounts, and the paths and contents that it must load for the map."""

    def __init__(self, tool, made, folder):
        content = made.game.one_name_space()
        self.map = {path: content[path] for path in [*made.game.MAP, "mods/script.js"]}
        self.base = made.packs
        self.patched = {"features/f023.pie": noise(71, 5_000), "textures/wall.png": noise(72, 100_000)}
        loose = folder / "patched"
        for path, data in self.patched.items():
            (loose / path).parent.mkdir(parents=True, exist_ok=True)
            (loose / path).write_bytes(data)
        listed = folder / "patch.strace"
        listed.write_text("".join(
            f'7 {i}.000000 openat(AT_FDCWD, "{loose / path}", O_RDONLY) = 3<{loose / path}> <0.000010>\n'
            f'7 {i}.100000 read(3<{loose / path}>, ""..., 100) = 100 <0.000010>\n'
            for i, path in enumerate(self.patched, start=1)))
        tool.ok("plan", listed, "--content", loose, "-o", folder / "patch.json")
        self.patch = folder / "patch"
        tool.ok("pack", folder / "patch.json", "-o", self.patch)
        self.mod = folder / "mod"
        (self.mod / "textures").mkdir(parents=True)
        (self.mod / "textures" / "wall.png").write_bytes(noise(73, 90_000))
        (self.mod / ".skl-deleted").write_text("features/f026.pie\n")
        self.map |= self.patched
        self.map["textures/wall.png"] = noise(73, 90_000)
        self.map.pop("features/f026.pie")

    def command(self, example, *more):
        return [example, self.base, self.patch, self.mod, "map/one", "music/theme.ogg", *more]


@pytest.fixture(scope="module")
def mounted(tool, made, tmp_path_factory):
    return Mounted(tool, made, tmp_path_factory.mktemp("mounted"))


def run(command, **env):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60,
                          env={**os.environ, **env})


def test_the_files_are_short():
    for path in SOURCES.iterdir():
        assert len(path.read_text().splitlines()) < 150, path


def test_a_map_is_loaded_as_patch_and_mod_have_it(example, mounted):
    done = run(mounted.command(example))
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert sorted(line for line in lines if line.startswith("replaced: ")) == [
        "replaced: features/f023.pie", "replaced: textures/wall.png"]
    assert "deleted: features/f026.pie" in lines
    size_bytes = sum(map(len, mounted.map.values()))
    assert f"loaded: {len(mounted.map)} assets, {size_bytes} bytes" in lines
    assert any(re.match(r"\[#{40}\] 100 %", line) for line in lines)


def test_what_is_wanted_now_comes_early(example, mounted):
    done = run(mounted.command(example, "cutscene.ogg"))
    assert done.returncode == 0, done.stderr
    assert re.search(r"^wanted: there after \d+ others$", done.stdout, re.MULTILINE), done.stdout


@pytest.mark.alone  # its music has deadlines
def test_music_plays_meanwhile(example, mounted):
    done = run(mounted.command(example))
    played, late = map(int, re.search(r"music: (\d+) bytes, (\d+) late", done.stdout).groups())
    assert late == 0 and played > 0


def test_it_ends_while_music_is_read(install_prefix, mounted, tmp_path):
    checked = built(install_prefix, tmp_path / "checked", f"{STRICT} -g -fsanitize=address -static-libasan")
    done = run(mounted.command(checked), **Faults(tmp_path).env(slow_ms=20))
    assert done.returncode == 0, done.stderr


def test_damage_costs_its_block_and_no_more(example, mounted, tmp_path):
    shutil.copytree(mounted.base, tmp_path / "base")
    pack = next((tmp_path / "base").glob("map*.skl"))
    data = bytearray(pack.read_bytes())
    data[skl_reader.Pack(pack).blocks[0].offset_bytes] ^= 1
    pack.write_bytes(data)
    done = run([example, tmp_path / "base", *mounted.command(example)[2:]])
    assert done.returncode == 1
    assert f"failed: " in done.stdout and pack.name in done.stdout
    assert int(re.search(r"loaded: (\d+) assets", done.stdout)[1]) > 0


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_missing_mount_is_named(example, mounted, tmp_path, place):
    command = mounted.command(example)
    command[1 + place] = tmp_path / "gone"
    done = run(command)
    assert done.returncode == 1 and f"{tmp_path}/gone" in done.stderr


def test_usage(example):
    assert run([example]).returncode == 2
    assert os.access(example, os.X_OK)
