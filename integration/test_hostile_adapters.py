"""The example programs of the adapters meet damaged, truncated and missing packs, a lack of descriptors or memory, and
a closed standard error. They report the error, or continue without the asset, and end by themselves; no pack is written
to."""
import os
import random
import shutil
import subprocess

import pytest

from programs import build_preload, build_program, run
from test_adapters import MCS, Game
from tool import TOP, tree

TIMEOUT_S = 60


class Program:
    """A command, in which PACKS stands for the packs."""

    def __init__(self, name, command, env):
        self.name, self.command, self.env = name, command, env

    def run(self, packs, prefix=(), **env):
        words = [*prefix, *[str(word).replace("PACKS", str(packs)) for word in self.command]]
        done = subprocess.run(words, capture_output=True, timeout=TIMEOUT_S, env={**os.environ, **self.env, **env})
        assert done.returncode >= 0, (self.name, done.returncode, done.stderr)  # no signal
        return done


@pytest.fixture(scope="module")
def game(tool, tmp_path_factory):
    return Game(tool, tmp_path_factory.mktemp("hostile"))


def has(*packages):
    return subprocess.run(["pkg-config", "--exists", *packages], timeout=20).returncode == 0


def sdl(prefix, folder, libraries):
    if not has("sdl2", "SDL2_image", "SDL2_mixer") or not (prefix / "include/seekless_sdl.h").exists():
        pytest.skip("SDL_image or SDL_mixer isn't installed (libsdl2-image-dev, libsdl2-mixer-dev)")
    build_program("sdl_program", folder, prefix)
    return Program("sdl", [folder / "play_pack", "PACKS", "sky.png", "shot.wav", "shot.wav"],
                   {**libraries, "SDL_AUDIODRIVER": "dummy", "SDL_VIDEODRIVER": "dummy"})


def c_program(prefix, folder, libraries):
    build_program("c_program", folder, prefix)
    return Program("c", [folder / "sweep_shared", "PACKS", "menu"], libraries)


def rust(prefix, folder, libraries):
    if not shutil.which("cargo"):
        pytest.skip("cargo isn't installed")
    env = {**libraries, "SEEKLESS_LIB_DIR": libraries["LD_LIBRARY_PATH"], "CARGO_TARGET_DIR": str(folder)}
    run("cargo", "build", "--offline", "--locked", "--quiet", "--example", "list", env=env, cwd=TOP / "bindings/rust")
    return Program("rust", [folder / "debug/examples/list", "PACKS"], libraries)


def csharp(prefix, folder, libraries):
    if not shutil.which("mcs") or not shutil.which("mono"):
        pytest.skip("Mono isn't installed (mono-mcs, mono-runtime)")
    run("mcs", *MCS, f"-out:{folder}/read.exe", *sorted((TOP / "bindings/csharp/Seekless.Stream").glob("*.cs")),
        TOP / "bindings/csharp/example/Program.cs")
    return Program("csharp", ["mono", folder / "read.exe", "PACKS", "menu"], libraries)


MAKERS = {"sdl": sdl, "c": c_program, "rust": rust, "csharp": csharp}


@pytest.fixture(scope="module")
def programs(install_prefix, tmp_path_factory):
    """Returns the adapters' programs by name; each is made once."""
    made = {}
    libraries = {"LD_LIBRARY_PATH": str(next(install_prefix.rglob("libseekless.so")).parent)}

    def get(name):
        if name not in made:
            made[name] = MAKERS[name](install_prefix, tmp_path_factory.mktemp(name), libraries)
        return made[name]
    return get


def copy_of(game, folder):
    shutil.copytree(game.packs, folder)
    return folder


def flip(path, seed, places):
    data = bytearray(path.read_bytes())
    for _ in range(places):
        data[random.Random(seed).randrange(len(data))] ^= 0x40
        seed += 1
    path.write_bytes(data)


def spoil(packs, how):
    others = [path for path in packs.glob("*.skl") if path.name != "catalog.skl"]
    if how == "a spoiled catalog":
        flip(packs / "catalog.skl", 1, 9)
    for number, path in enumerate(others):
        if how == "spoiled packs":
            flip(path, number, 2000)
        elif how == "cut packs":
            os.truncate(path, path.stat().st_size // 2)
        elif how == "packs that are folders":
            path.unlink()
            path.mkdir()
        elif how == "vanished packs":
            path.unlink()
        elif how == "empty packs":
            path.write_bytes(b"")


@pytest.mark.parametrize("name", MAKERS)
def test_bad_packs_are_told_with_the_file_and_the_reason(game, programs, tmp_path, name):
    program = programs(name)
    whole = program.run(game.packs)
    assert whole.returncode == 0, whole.stderr
    for how in ("a spoiled catalog", "spoiled packs", "cut packs", "packs that are folders", "vanished packs", "empty packs"):
        packs = copy_of(game, tmp_path / how.replace(" ", "-"))
        spoil(packs, how)
        before = tree(packs)
        done = program.run(packs)
        assert done.returncode != 0, (how, done)
        # For content that SDL_image can't read, SDL_image says that it doesn't know the format; the program names the
        # asset.
        said = b"sky.png: " if name == "sdl" and b".skl" not in done.stderr else b".skl: "
        assert said in done.stderr, (how, done.stderr)
        # With a closed standard error, the first opened file gets descriptor 2, and must not be written to.
        silent = program.run(packs, prefix=["sh", "-c", 'exec "$@" 2>&-', "sh"])
        if name != "csharp":  # Mono's behaviour isn't ours
            assert silent.returncode == done.returncode, (how, silent)
        assert tree(packs) == before, how


@pytest.mark.parametrize("name", MAKERS)
def test_without_descriptors_they_end_with_a_reason(game, programs, name):
    program = programs(name)
    whole = program.run(game.packs)
    worked = 0
    for most in (12, 20, 40) if name == "csharp" else (4, 5, 7, 10):
        done = program.run(game.packs, prefix=["sh", "-c", f'ulimit -n {most}; exec "$@"', "sh"])
        assert done.returncode != 0 or done.stdout == whole.stdout, (most, done)
        assert done.returncode == 0 or done.stderr, most
        worked += done.returncode == 0
    assert worked > 0


@pytest.fixture(scope="module")
def no_memory(tmp_path_factory):
    library = build_preload("no_memory", tmp_path_factory.mktemp("no_memory"))
    return {"LD_PRELOAD": str(library), "NO_MEMORY_OF": "libseekless.so.0"}


@pytest.mark.parametrize("name", ["sdl", "c"])
def test_without_memory_they_end_with_a_reason(game, programs, no_memory, tmp_path, name):
    """Refuses allocations of the library and of the adapter, which is a part of the program. Rust and Mono end a
    program themselves."""
    program = programs(name)
    whole = program.run(game.packs, **no_memory, NO_MEMORY_COUNT=str(tmp_path / "count"))
    count = int((tmp_path / "count").read_text())
    assert whole.returncode == 0 and count > 30
    refused = 0
    for variable in ("NO_MEMORY_FROM", "NO_MEMORY_ONE"):
        for nth in sorted({1, 2, 3, *random.Random(4).sample(range(4, count), min(6, count - 4))}):
            done = program.run(game.packs, **no_memory, **{variable: str(nth)})
            assert done.returncode != 0 or done.stdout == whole.stdout, (variable, nth, done)
            assert done.returncode == 0 or done.stderr, (variable, nth)
            refused += done.returncode != 0
    assert refused >= 9
