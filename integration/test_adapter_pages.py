"""The code on the adapters' pages works unchanged: it is put into a program in an empty folder, built against the
installed package as the page says, and run beside the packs that its examples name. (Bevy's: test_adapters.py.)"""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from game import noise
from programs import code_of, run
from test_adapters import bmp_of, png_of, write_wav
from tool import TOP

FLAGS = ("-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror")


@pytest.fixture(scope="module")
def game_folder(tool, tmp_path_factory):
    """Makes `packs` with a scenario, and `assets`, the same as loose files."""
    folder = tmp_path_factory.mktemp("shown")
    assets = folder / "assets"
    picture, pixels = png_of(16, 16, seed=1)
    files = {"textures/sky.png": picture, "textures/rock.png": bmp_of(16, 16, pixels), "scripts/start.lua": b"one\ntwo\n"}
    for name, data in files.items():
        (assets / name).parent.mkdir(parents=True, exist_ok=True)
        (assets / name).write_bytes(data)
    for name in ("sounds/shot.wav", "music/title.wav"):
        (assets / name).parent.mkdir()
        write_wav(assets / name, 0.3)
    (assets / "music/title.ogg").write_bytes((assets / "music/title.wav").read_bytes())  # SDL_mixer checks the content
    (assets / "bundles").mkdir()
    (assets / "bundles/level1").write_bytes(noise(4, 70_000))
    order = folder / "order.txt"
    order.write_text("textures/sky.png\ntextures/rock.png\nbundles/level1\n")
    tool.ok("import", order, "--format", "list", "--scenario", "map/lakeville", "-o", folder / "order.jsonl")
    tool.ok("plan", folder / "order.jsonl", "--content", assets, "-o", folder / "layout.json")
    tool.ok("pack", folder / "layout.json", "-o", folder / "packs")
    return folder


@pytest.fixture(scope="module")
def libraries(install_prefix):
    return str(next(install_prefix.rglob("libseekless.so")).parent)


def built_by_cmake(folder, prefix, cmake, source):
    """Builds a project with the page's own CMake lines and the one program `game`."""
    (folder / source[0]).write_text(source[1])
    (folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.16)\nproject(page LANGUAGES C CXX)\n"
                                           f"set(CMAKE_CXX_STANDARD 17)\nadd_executable(game {source[0]})\n{cmake}")
    run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_FLAGS={' '.join(FLAGS)}",
        f"-DCMAKE_CXX_FLAGS={' '.join(FLAGS)}")
    run("cmake", "--build", folder / "build")
    return folder / "build/game"


def blocks_with(page, language, *words):
    found = [code for code in code_of(page, language) if all(word in code for word in words)]
    assert found, f"docs/{page} has no {language} with {words}"
    return found


# --- C and C++ ------------------------------------------------------------------------------------------------

def test_sdl_2(game_folder, install_prefix, tmp_path):
    if subprocess.run(["pkg-config", "--exists", "sdl2", "SDL2_image", "SDL2_mixer"]).returncode != 0:
        pytest.skip("SDL_image or SDL_mixer isn't installed (libsdl2-image-dev, libsdl2-mixer-dev)")
    if not (install_prefix / "include/seekless_sdl.h").exists():
        pytest.skip("this build has no adapter for SDL (libsdl2-dev)")
    first, music = blocks_with("streams.md", "c", "Mix_")
    include, code = first.split("\n", 1)
    cmake = blocks_with("streams.md", "cmake", "sdl2")[0] + (
        "find_package(PkgConfig)\npkg_check_modules(SDL REQUIRED IMPORTED_TARGET sdl2 SDL2_image SDL2_mixer)\n"
        "target_link_libraries(game PRIVATE PkgConfig::SDL)\n")
    program = built_by_cmake(tmp_path, install_prefix, cmake, ("game.c", f"""
#include <SDL.h>
#include <SDL_image.h>
#include <SDL_mixer.h>
{include}
int main(int argc, char** argv) {{
  (void)argc, (void)argv;
  SDL_Init(SDL_INIT_AUDIO);
  Mix_OpenAudio(44100, AUDIO_S16SYS, 2, 2048);
{code}
  if (sky == NULL || shot == NULL || music == NULL) return 1;
  Mix_FreeMusic(music);
{music.replace("Mix_Music* music", "music")}
  if (music == NULL) return 2;
  Mix_FreeMusic(music);
  SDL_FreeSurface(sky);
  Mix_FreeChunk(shot);
  skl_context_destroy(context);
  return 0;
}}"""))
    run(program, cwd=game_folder, env={"SDL_AUDIODRIVER": "dummy", "SDL_VIDEODRIVER": "dummy"})


def test_sdl_3(game_folder, install_prefix, tmp_path):
    if subprocess.run(["pkg-config", "--exists", "sdl3", "sdl3-image"], timeout=20).returncode != 0:
        pytest.skip("SDL 3 or its SDL_image isn't installed (Debian 13: libsdl3-dev, libsdl3-image-dev)")
    include, code = blocks_with("streams.md", "c", "IMG_Load_IO")[0].split("\n", 1)
    cmake = ("find_package(seekless REQUIRED)\nfind_package(PkgConfig)\ntarget_link_libraries(game PRIVATE seekless::sdl3)\n"
             "pkg_check_modules(SDL REQUIRED IMPORTED_TARGET sdl3 sdl3-image)\n"
             "target_link_libraries(game PRIVATE PkgConfig::SDL)\n")
    program = built_by_cmake(tmp_path, install_prefix, cmake, ("game.c", f"""
#include <SDL3/SDL.h>
#include <SDL3_image/SDL_image.h>
{include}
int main(int argc, char** argv) {{
  skl_context* context = NULL;
  (void)argc, (void)argv;
  if (skl_context_create(NULL, &context, NULL) < 0 || skl_mount(context, "packs", NULL, NULL, NULL) < 0) return 1;
{code}
  if (sky == NULL) return 2;
  SDL_DestroySurface(sky);
  skl_context_destroy(context);
  return 0;
}}"""))
    run(program, cwd=game_folder)


def test_physfs(game_folder, install_prefix, tmp_path):
    if not (install_prefix / "include/seekless_physfs.h").exists():
        pytest.skip("this build has no adapter for PhysFS (libphysfs-dev)")
    include, code = code_of("physfs.md", "c")[0].split("\n", 1)
    cmake = code_of("physfs.md", "cmake")[0].replace("...", "physfs")
    program = built_by_cmake(tmp_path, install_prefix, cmake, ("game.c", f"""
#include <physfs.h>
{include}
int main(int argc, char** argv) {{
  char line[5] = {{0}};
  PHYSFS_File* file;
  (void)argc;
{code}
  file = PHYSFS_openRead("scripts/start.lua");
  if (file == NULL || PHYSFS_readBytes(file, line, 4) != 4) return 1;
  PHYSFS_close(file);
  PHYSFS_deinit();
  return strcmp(line, "one\\n");
}}""".replace("#include <physfs.h>", "#include <physfs.h>\n#include <string.h>")))
    if not (game_folder / "data").exists():
        (game_folder / "data").symlink_to("packs")
    run(program, cwd=game_folder)


UNREAL = """
#include <fstream>
#include <iostream>
#include <vector>
#include "HAL/PlatformFileManager.h"
#include "Misc/Paths.h"
#include "system_files.h"
%s
// What the page's code has of the engine beside that.
template <typename T> struct TArray : std::vector<T> {};
FString operator/(const FString& folder, const TCHAR* name) { return folder + name; }
struct FFileHelper {
  static bool LoadFileToArray(TArray<uint8>& into, const TCHAR* path) {
    std::unique_ptr<IFileHandle> file(FPlatformFileManager::Get().GetPlatformFile().OpenRead(path));
    if (!file) return false;
    into.resize(static_cast<size_t>(file->Size()));
    return file->Read(into.data(), file->Size());
  }
};
struct Game;
struct UGameplayStatics {
  static void OpenLevel(Game*, const char* name) { std::cout << "opens " << name << "\\n"; }
};
struct Game {
  size_t first() { %s return Bytes.size(); }
  void enter() { %s }
};
int main() {
  SystemFiles system;
  FPlatformFileManager::Get().SetPlatformFile(system);
  std::cout << Game().first() << "\\n";
  FSeeklessModule::Get().StartupModule();
  std::cout << Game().first() << "\\n";
  Game().enter();
  FSeeklessModule::Get().ShutdownModule();
  %s
  std::cout << Game().first() << "\\n";
}
"""


def test_unreal(tool, game_folder, install_prefix, tmp_path):
    """Uses the stand-in for the engine. The project has the stand-in's name, Game."""
    content, program = tmp_path / "Game/Content", tmp_path / "Engine/Binaries/Linux"
    (content / "Movies").mkdir(parents=True)
    program.mkdir(parents=True)
    (content / "Movies/intro.mp4").write_bytes(noise(3, 70_000))
    (tmp_path / "traces").mkdir()
    (tmp_path / "order").write_text("Movies/intro.mp4\n")
    tool.ok("import", tmp_path / "order", "--format", "list", "--scenario", "map/lakeville", "-o", tmp_path / "traces/one.jsonl")
    shutil.copytree(TOP / "bindings/unreal/Seekless", tmp_path / "Game/Plugins/Seekless")  # steps 1 and 2
    plugin = tmp_path / "Game/Plugins/Seekless"
    shutil.copytree(install_prefix, plugin / "ThirdParty", symlinks=True)
    commands = "".join(code_of("unreal.md", "sh")).replace("YourGame", "Game")
    run("sh", "-ec", commands, cwd=tmp_path, env={"PATH": f"{Path(tool.binary).parent}:{os.environ['PATH']}"})
    (content / "Movies/intro.mp4").write_bytes(b"loose")

    first, level, own = code_of("unreal.md", "cpp")
    include, level = level.split("\n", 1)
    own = own.replace("D:/Game/Packs", str(tmp_path / "Game/Packs")).replace("YourGame", "Game")
    (tmp_path / "page.cpp").write_text(UNREAL % (include, first, level, own))
    source, stub = plugin / "Source/Seekless", TOP / "integration/unreal_program"
    libraries = next((plugin / "ThirdParty").rglob("libseekless.so")).parent
    run("c++", "-std=c++20", "-Wno-deprecated-declarations", *(f"-I{folder}" for folder in (
        stub / "stub", stub, source, plugin / "ThirdParty/include")), tmp_path / "page.cpp", *source.glob("*.cpp"),
        "-o", tmp_path / "page", f"-L{libraries}", "-lseekless")
    said = run(tmp_path / "page", cwd=program, env={"LD_LIBRARY_PATH": str(libraries)})
    assert said.splitlines() == ["5", "70000", "opens Lakeville", "70000"]


def test_istream(game_folder, install_prefix, tmp_path):
    include, code = blocks_with("streams.md", "cpp", "AssetStream")[0].split("\n", 1)
    program = built_by_cmake(tmp_path, install_prefix, CMAKE, ("game.cpp", f"""
#include <iostream>
#include <string>
{include}
static void run(const std::string& line) {{ std::cout << line << "\\n"; }}
static void report(const std::string& why) {{ std::cerr << why << "\\n"; }}
static void play(skl_context* context) {{
{code}
}}
int main() {{
  skl_context* context = nullptr;
  if (skl_context_create(nullptr, &context, nullptr) < 0 || skl_mount(context, "packs", nullptr, nullptr, nullptr) < 0) return 1;
  play(context);
  skl_context_destroy(context);
}}"""))
    assert run(program, cwd=game_folder) == "one\ntwo\n"


CMAKE = next(block for block in code_of("engine.md", "cmake") if "find_package" in block)


# --- Rust -----------------------------------------------------------------------------------------------------

RUST = """
#![allow(dead_code, unused_imports)]
use seekless::*;
use std::time::Duration;
fn decode(_: String, bytes: &[u8]) { assert!(!bytes.is_empty()); }
fn play(bytes: &[u8]) { assert!(!bytes.is_empty()); }
fn main() -> seekless::Result<()> {
    let packs = Packs::open("packs")?;
    %s
    Ok(())
}
"""


def test_rust(game_folder, libraries, tmp_path):
    if not shutil.which("cargo"):
        pytest.skip("cargo isn't installed")
    first, *others = code_of("rust.md", "rust")
    dependency = code_of("rust.md", "toml")[0].replace("seekless/bindings", str(TOP / "bindings"))
    (tmp_path / "src/bin").mkdir(parents=True)
    (tmp_path / "Cargo.toml").write_text(f'[package]\nname = "page"\nversion = "0.1.0"\nedition = "2021"\n{dependency}')
    (tmp_path / "src/bin/first.rs").write_text(first)
    (tmp_path / "src/bin/others.rs").write_text(RUST % "\n".join(others))
    env = {"SEEKLESS_LIB_DIR": libraries, "LD_LIBRARY_PATH": libraries}
    run("cargo", "build", "--offline", "--quiet", cwd=tmp_path, env=env)
    size = (game_folder / "assets/textures/sky.png").stat().st_size
    assert run(tmp_path / "target/debug/first", cwd=game_folder, env=env) == f"{size} bytes\n"
    run(tmp_path / "target/debug/others", cwd=game_folder, env=env)


# --- C# -------------------------------------------------------------------------------------------------------

CSHARP = """using System;
using System.IO;
using System.Threading.Tasks;
using Seekless;
internal static class Page
{
    private static void Load(Stream stream) { if (stream.Length < 6) throw new Exception("too short"); }
    private static void Decode(string path, long offset, byte[] bytes) { if (bytes.Length == 0) throw new Exception(path + offset); }
    private static void First()
    {
        %s
    }
    private static async Task Others()
    {
        using (var packs = new Packs("packs"))
        {
            %s
        }
    }
    private static void Main()
    {
        First();
        Others().Wait();
    }
}
"""


def test_csharp(game_folder, libraries, tmp_path):
    if not shutil.which("mcs") or not shutil.which("mono"):
        pytest.skip("Mono isn't installed (mono-mcs, mono-runtime)")
    # The one with AssetBundle is for Unity.
    first, *others = [code for code in code_of("csharp.md", "csharp") if "AssetBundle" not in code]
    (tmp_path / "Game.cs").write_text(CSHARP % (first, "".join(others)))
    compiler = next(line for line in "".join(code_of("csharp.md", "sh")).splitlines() if line.startswith("mcs "))
    run("sh", "-c", compiler.replace("seekless/bindings", str(TOP / "bindings")), cwd=tmp_path)
    run("mono", tmp_path / "Game.exe", cwd=game_folder, env={"LD_LIBRARY_PATH": libraries})
