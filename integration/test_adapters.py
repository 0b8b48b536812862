"""Tests the reader inside other libraries and languages, with the installed package: SDL_image and SDL_mixer, SDL 3,
Rust and Bevy, C# on Mono, and the layer for Unreal. Each is skipped, with the reason, where its tools aren't
installed."""
import contextlib
import fcntl
import hashlib
import math
import os
import random
import re
import shutil
import struct
import subprocess
import wave
import zlib
from pathlib import Path

import lz4.frame
import pytest

from game import noise
from programs import build_program, code_of, run
from tool import TOP

MCS = ("-langversion:7", "-warnaserror+", "-optimize+", "-unsafe+")


def png_of(width, height, seed):
    """Makes the file, and returns its pixels as RGBA."""
    rows = [random.Random(seed + y).randbytes(4 * width) for y in range(height)]

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""), b"".join(rows))


def bmp_of(width, height, rgba):
    """Removes the transparency."""
    row_bytes = (3 * width + 3) // 4 * 4
    rows = b"".join(b"".join(rgba[4 * (y * width + x):][:3][::-1] for x in range(width)).ljust(row_bytes, b"\0")
                    for y in reversed(range(height)))
    header = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(rows), 2835, 2835, 0, 0)
    return struct.pack("<2sIHHI", b"BM", 54 + len(rows), 0, 0, 54) + header + rows


def write_wav(path, seconds):
    """Writes sound in the mixer's own format, so that nothing is converted; returns its samples."""
    samples = b"".join(struct.pack("<hh", *2 * (int(9000 * math.sin(i * i / 3e6)),)) for i in range(int(44100 * seconds)))
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(44100)
        file.writeframes(samples)
    return samples


def fnv(data):
    value = 14695981039346656037
    for byte in data:
        value = (value ^ byte) * 1099511628211 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


class Game:
    """Packed pictures, sounds and bytes; `files` has the packed content by path."""

    def __init__(self, tool, folder):
        content = folder / "content"
        (content / "deep" / "er").mkdir(parents=True)
        picture, self.pixels = png_of(61, 47, seed=1)
        (content / "sky.png").write_bytes(picture)
        (content / "sky.bmp").write_bytes(bmp_of(61, 47, self.pixels))
        self.samples = write_wav(content / "shot.wav", 0.3)
        write_wav(content / "music.wav", 5)
        (content / "deep" / "er" / "noise").write_bytes(random.Random(3).randbytes(1_000_003))
        (content / "empty").write_bytes(b"")
        (content / "word").write_bytes(b"a word")
        self.files = {path.relative_to(content).as_posix(): path.read_bytes()
                      for path in content.rglob("*") if path.is_file()}
        order = folder / "menu.txt"
        order.write_text("".join(path + "\n" for path in ("word", "deep/er/noise", "sky.png")))
        tool.ok("import", order, "--format", "list", "--scenario", "menu", "-o", folder / "menu.jsonl")
        tool.ok("plan", folder / "menu.jsonl", "--content", content, "-o", folder / "layout.json")
        self.packs = folder / "packs"
        tool.ok("pack", folder / "layout.json", "-o", self.packs)

    def lines(self):
        """Returns the lines that the programs must print for the files that they read."""
        return sorted(f"{path} {len(data)} {hashlib.sha256(data).hexdigest()}" for path, data in self.files.items())


@pytest.fixture(scope="module")
def game(tool, tmp_path_factory):
    return Game(tool, tmp_path_factory.mktemp("adapted"))


@pytest.fixture(scope="module")
def libraries(install_prefix):
    return {"LD_LIBRARY_PATH": str(next(install_prefix.rglob("libseekless.so")).parent)}


def test_sdl_shows_pictures_and_plays_music_from_packs(game, install_prefix, tmp_path):
    if subprocess.run(["pkg-config", "--exists", "sdl2", "SDL2_image", "SDL2_mixer"]).returncode != 0:
        pytest.skip("SDL_image or SDL_mixer isn't installed (libsdl2-image-dev, libsdl2-mixer-dev)")
    if not (install_prefix / "include/seekless_sdl.h").exists():
        pytest.skip("this build has no adapter for SDL (libsdl2-dev)")
    build_program("sdl_program", tmp_path, install_prefix)
    silent = {"SDL_AUDIODRIVER": "dummy", "SDL_VIDEODRIVER": "dummy"}
    said = run(tmp_path / "play_pack", game.packs, "sky.png", "shot.wav", "music.wav", env=silent)
    assert said == (f"picture: 61 x 47, {fnv(game.pixels)}\nsound: {len(game.samples)} bytes, {fnv(game.samples)}\n"
                    "music: playing after a second\n")
    done = subprocess.run([tmp_path / "play_pack", game.packs, "no.png", "shot.wav", "music.wav"],
                          capture_output=True, text=True, env={**os.environ, **silent})
    assert done.returncode == 1 and "no.png: not found" in done.stderr


def test_sdl3_loads_from_packs(game, install_prefix, tmp_path):
    if subprocess.run(["pkg-config", "--exists", "sdl3"]).returncode != 0:
        pytest.skip("SDL 3 isn't installed (Debian 13: libsdl3-dev)")
    if not (install_prefix / "include/seekless_sdl3.h").exists():
        pytest.skip("this build has no adapter for SDL 3 (libsdl3-dev, before configuring)")
    build_program("sdl3_program", tmp_path, install_prefix)
    said = run(tmp_path / "play_pack3", game.packs, "sky.bmp", "shot.wav", "deep/er/noise")
    opaque = b"".join(game.pixels[at:at + 3] + b"\xff" for at in range(0, len(game.pixels), 4))
    large = game.files["deep/er/noise"]
    assert said == (f"picture: 61 x 47, {fnv(opaque)}\nsound: {len(game.samples)} bytes, {fnv(game.samples)}\n"
                    f"large: {len(large)} bytes, {fnv(large)}\nseek: 1, 1\nend: 0, 1\nwrite: 0, 1\n")
    done = subprocess.run([tmp_path / "play_pack3", game.packs, "no.bmp", "shot.wav", "word"], capture_output=True, text=True)
    assert done.returncode == 1 and "no.bmp: not found" in done.stderr


def test_csharp_reads_packs_as_streams(game, libraries, tmp_path):
    if not shutil.which("mcs") or not shutil.which("mono"):
        pytest.skip("Mono isn't installed (mono-mcs, mono-runtime)")
    sources = sorted((TOP / "bindings/csharp/Seekless.Stream").glob("*.cs"))
    run("mcs", *MCS, f"-out:{tmp_path}/read.exe", *sources,
        TOP / "bindings/csharp/example/Program.cs")
    said = run("mono", tmp_path / "read.exe", game.packs, "menu", env=libraries)
    read, _, swept = said.partition("--\n")
    assert sorted(read.splitlines()) == game.lines()
    assert sorted(swept.splitlines()) == [line for line in game.lines()
                                          if line.split()[0] in ("word", "deep/er/noise", "sky.png")]
    run("mcs", *MCS, f"-out:{tmp_path}/background.exe", *sources, TOP / "bindings/csharp/example/Background.cs")
    assert run("mono", tmp_path / "background.exe", tmp_path / "loose", env=libraries) == "all is well\n"
    expect_in_turn(tmp_path / "loose.trace", "menu", "small7", "map/one", "small8")


def expect_in_turn(trace, *words):
    """Expects these words in this order in the reader's own recording, which is LZ4."""
    text = lz4.frame.decompress(trace.read_bytes()).decode()
    places = [text.find(f'"{word}"') for word in words]
    assert places[0] > 0 and places == sorted(set(places)), text


def test_rust_reads_and_sweeps_packs(game, libraries, install_prefix, tmp_path):
    if not shutil.which("cargo"):
        pytest.skip("cargo isn't installed")
    env = {**libraries, "SEEKLESS_LIB_DIR": libraries["LD_LIBRARY_PATH"], "CARGO_TARGET_DIR": str(tmp_path),
           "SEEKLESS_TEST_PACKS": str(game.packs), "SEEKLESS_TEST_TRACE": str(tmp_path / "recorded")}
    rust = TOP / "bindings/rust"
    run("cargo", "test", "--offline", "--locked", "--quiet", "--workspace", env=env, cwd=rust)
    expect_in_turn(tmp_path / "recorded", "menu", "deep/7", "map/one", "deep/8")
    said = run("cargo", "run", "--offline", "--locked", "--quiet", "--example", "list", "--", game.packs, env=env, cwd=rust)
    assert sorted(said.splitlines()) == sorted(f"{path} {len(data)}" for path, data in game.files.items())


class Levels:
    """Makes two levels of Bevy. Each is a scene whose entities refer to models, some of which both use."""

    def __init__(self, tool, folder):
        content = folder / "content"
        (content / "map").mkdir(parents=True)
        (content / "models").mkdir()
        self.models = {f"models/{number}.bin": noise(number + 1, 90_000 + 7_001 * number) for number in range(30)}
        self.models["models/29.bin"] = noise(99, 5_000_003)  # larger than a block: it comes in parts
        for name, data in self.models.items():
            (content / name).write_bytes(data)
        self.levels = {"map/one": list(self.models)[:20], "map/two": list(self.models)[10:]}
        traces = []
        for name, models in self.levels.items():
            scene = content / f"{name}.scn.ron"
            scene.write_text(self.scene(models))
            order = random.Random(name).sample(models, len(models))
            listed = folder / "list"
            listed.write_text("".join(path + "\n" for path in [f"{name}.scn.ron", *order]))
            traces.append(folder / f"{scene.stem}.jsonl")
            tool.ok("import", listed, "--format", "list", "--scenario", name, "-o", traces[-1])
        tool.ok("plan", *traces, "--content", content, "-o", folder / "layout.json")
        self.packs = folder / "packs"
        tool.ok("pack", folder / "layout.json", "-o", self.packs)

    @staticmethod
    def scene(models):
        """Returns a scene as Bevy writes it."""
        entities = "".join(f'{4294967000 + number}: (components: {{"levels::Model": (Path("{path}"))}}),\n'
                           for number, path in enumerate(models))
        return f"(resources: {{}}, entities: {{\n{entities}}})\n"

    def said_of(self, name):
        models = self.levels[name]
        return [*sorted(f"{path} {len(self.models[path])} {fnv(self.models[path])}" for path in models),
                f"{name}: {len(models) + 1} swept, 0 read"]


@contextlib.contextmanager
def kept_crate():
    """Yields a copy of the crates, and a folder for cargo's output, both outside of the clone. Compiling Bevy takes
    minutes, so it is done only once. Several clones use the folder one at a time."""
    kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "seekless-tests"
    kept.mkdir(parents=True, exist_ok=True)
    with open(kept / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make_alike(TOP / "bindings/rust", kept / "rust")
        yield kept / "rust/bevy_seekless", kept / "target"


def make_alike(source, copy):
    """Copies files, but keeps the time of those that are equal, so that cargo doesn't rebuild them; cargo's own lock
    files stay."""
    names = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    for name in names:
        data = (source / name).read_bytes()
        if not (copy / name).exists() or (copy / name).read_bytes() != data:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes(data)
    for path in [path for path in copy.rglob("*") if path.is_file()]:
        if path.relative_to(copy) not in names and path.name != "Cargo.lock":
            path.unlink()


def skip_without_bevy(crate):
    if not shutil.which("cargo"):
        pytest.skip("cargo isn't installed")
    needed = re.search(r'rust-version = "([0-9.]+)"', (crate / "Cargo.toml").read_text())[1]
    found = run("cargo", "--version").split()[1]
    if tuple(map(int, found.split(".")[:2])) < tuple(map(int, needed.split("."))):
        pytest.skip(f"Bevy needs Rust {needed}, found {found}")
    if subprocess.run(["cargo", "fetch", "--offline"], cwd=crate, capture_output=True).returncode != 0:
        fetched = subprocess.run(["cargo", "fetch"], cwd=crate, capture_output=True, text=True)
        if fetched.returncode != 0:
            pytest.skip(f"cargo can't get Bevy: {fetched.stderr.strip().splitlines()[-1]}")


def test_bevy_loads_scenes_from_packs_by_a_sweep_each(tool, libraries, tmp_path):
    with kept_crate() as (crate, target):
        skip_without_bevy(crate)
        made = Levels(tool, tmp_path)
        env = {**libraries, "SEEKLESS_LIB_DIR": libraries["LD_LIBRARY_PATH"], "CARGO_TARGET_DIR": str(target),
               "SEEKLESS_TEST_PACKS": str(made.packs)}
        run("cargo", "test", "--offline", "--quiet", env=env, cwd=crate)
        levels = ["cargo", "run", "--offline", "--quiet", "--example", "levels", "--", made.packs, "map/one", "map/two"]
        # On a busy machine the ten models that both levels use may still be loaded when the second begins.
        said = run(*levels, env=env, cwd=crate).replace("map/two: 11 swept", "map/two: 21 swept")
        assert said.splitlines() == [*made.said_of("map/one"), *made.said_of("map/two")]
        # This is the page's code, with the parts of Bevy that run without a window.
        (crate / "examples/page.rs").write_text(BEVY + "".join(code_of("bevy.md", "rust")))
        run("cargo", "build", "--offline", "--quiet", "--example", "page", env=env, cwd=crate)
        run(target / "debug/examples/page", env=env, cwd=made.packs.parent)
        for pack in made.packs.glob("*.skl"):
            if pack.name != "catalog.skl":
                spoil_the_middle(pack)
        done = subprocess.run([str(word) for word in levels], env={**os.environ, **env}, cwd=crate, capture_output=True, text=True)
        assert done.returncode == 1 and "expected" in done.stderr and "found" in done.stderr, done.stderr


BEVY = """#![allow(dead_code, unused_imports)]
use bevy_app::{prelude::*, TaskPoolPlugin};
use bevy_asset::*;
use bevy_ecs::prelude::*;
use bevy_reflect::TypePath;
use bevy_seekless::GamePacks;
use bevy_world_serialization::*;
struct DefaultPlugins;
impl Plugin for DefaultPlugins {
    fn build(&self, app: &mut App) {
        app.add_plugins((TaskPoolPlugin::default(), AssetPlugin::default(), WorldSerializationPlugin)).init_asset::<Image>();
    }
}
#[derive(Asset, TypePath)]
struct Image;
#[derive(Resource)]
struct Title(Handle<Image>);
"""


def spoil_the_middle(path):
    with open(path, "r+b") as file:
        file.seek(path.stat().st_size // 2)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))


def test_the_layer_for_unreal_shows_packs_over_the_files_below(game, install_prefix, tmp_path):
    """Runs with a stand-in for the engine's interface beside the program, not with the engine."""
    build_program("unreal_program", tmp_path / "build", install_prefix, "-Wall -Wextra -Wshadow -Werror")
    project, program = tmp_path / "Game", tmp_path / "Engine/Binaries/Linux"
    program.mkdir(parents=True)
    (project / "Content/deep").mkdir(parents=True)
    loose = {"word": b"hidden by the packs", "loose": b"of this folder", "deep/loose": noise(8, 70_000)}
    for name, data in loose.items():
        (project / "Content" / name).write_bytes(data)

    def lines(files):
        return sorted(f"../../../Game/Content/{name} {len(data)} {int(fnv(data), 16):x}" for name, data in files.items())

    without = run(tmp_path / "build/unreal_program", cwd=program).splitlines()
    assert without[0] == "layer: PhysicalFile"
    shutil.copytree(game.packs, project / "Packs")
    said = run(tmp_path / "build/unreal_program", cwd=program).splitlines()
    assert said[0] == "layer: Seekless" and said[-1] == "layer: PhysicalFile"
    assert sorted(said[1:-4]) == lines({**loose, **game.files})
    assert said[-4:-1] == ["word is, none isn't, outside is", "deep is a folder", "word wasn't deleted, doesn't open for writing"]
    spoil_the_middle(project / "Packs/catalog.skl")
    done = subprocess.run([tmp_path / "build/unreal_program"], cwd=program, capture_output=True, text=True)
    assert "LogSeekless: " in done.stderr and "catalog.skl" in done.stderr and "layer: PhysicalFile" in done.stdout
