"""The reader inside other libraries and languages, by the installed package: SDL_image and SDL_mixer, Rust, C#
on Mono. Each is skipped, with the reason, where its tools aren't installed."""
import hashlib
import math
import os
import random
import shutil
import struct
import subprocess
import wave
import zlib

import pytest

from tool import TOP


def run(*command, env=None, **how):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          env={**os.environ, **(env or {})}, **how)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def png_of(width, height, seed):
    """The file, and its pixels as RGBA."""
    rows = [random.Random(seed + y).randbytes(4 * width) for y in range(height)]

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""), b"".join(rows))


def write_wav(path, seconds):
    """In the mixer's own format, so that nothing is converted; returns its samples."""
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
    """Pictures, sounds and bytes, packed; `files` has what was packed, by path."""

    def __init__(self, tool, folder):
        content = folder / "content"
        (content / "deep" / "er").mkdir(parents=True)
        picture, self.pixels = png_of(61, 47, seed=1)
        (content / "sky.png").write_bytes(picture)
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
        """As the programs print what they have read."""
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
    run("cmake", "-S", TOP / "integration/sdl_program", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={install_prefix}",
        "-DCMAKE_C_FLAGS=-Wall -Wextra -Wno-missing-field-initializers -Werror")
    run("cmake", "--build", tmp_path)
    silent = {"SDL_AUDIODRIVER": "dummy", "SDL_VIDEODRIVER": "dummy"}
    said = run(tmp_path / "play_pack", game.packs, "sky.png", "shot.wav", "music.wav", env=silent)
    assert said == (f"picture: 61 x 47, {fnv(game.pixels)}\nsound: {len(game.samples)} bytes, {fnv(game.samples)}\n"
                    "music: playing after a second\n")
    done = subprocess.run([tmp_path / "play_pack", game.packs, "no.png", "shot.wav", "music.wav"],
                          capture_output=True, text=True, env={**os.environ, **silent})
    assert done.returncode == 1 and "no.png: not found" in done.stderr


def test_csharp_reads_packs_as_streams(game, libraries, tmp_path):
    if not shutil.which("mcs") or not shutil.which("mono"):
        pytest.skip("Mono isn't installed (mono-mcs, mono-runtime)")
    sources = sorted((TOP / "bindings/csharp/Seekless.Stream").glob("*.cs"))
    run("mcs", "-langversion:7", "-warnaserror+", "-optimize+", "-unsafe+", f"-out:{tmp_path}/read.exe", *sources,
        TOP / "bindings/csharp/example/Program.cs")
    said = run("mono", tmp_path / "read.exe", game.packs, "menu", env=libraries)
    read, _, swept = said.partition("--\n")
    assert sorted(read.splitlines()) == game.lines()
    assert sorted(swept.splitlines()) == [line for line in game.lines()
                                          if line.split()[0] in ("word", "deep/er/noise", "sky.png")]


def test_rust_reads_and_sweeps_packs(game, libraries, install_prefix, tmp_path):
    if not shutil.which("cargo"):
        pytest.skip("cargo isn't installed")
    env = {**libraries, "SEEKLESS_LIB_DIR": libraries["LD_LIBRARY_PATH"], "CARGO_TARGET_DIR": str(tmp_path),
           "SEEKLESS_TEST_PACKS": str(game.packs)}
    rust = TOP / "bindings/rust"
    run("cargo", "test", "--offline", "--locked", "--quiet", "--workspace", env=env, cwd=rust)
    said = run("cargo", "run", "--offline", "--locked", "--quiet", "--example", "list", "--", game.packs, env=env, cwd=rust)
    assert sorted(said.splitlines()) == sorted(f"{path} {len(data)}" for path, data in game.files.items())
