"""Tests the zip for Windows: its files, and programs that mingw-w64 builds against it alone and that read packs under
Wine: the example game and a game on PhysFS. (A C program is built by script/test-windows.)"""
import re
import subprocess
import sys
from pathlib import Path

import pytest

from test_example_game import SOURCES, mounted  # noqa: F401
from tool import TOP, tree

sys.path.insert(0, str(Path(__file__).resolve().parent / "windows"))
from on_package import built, run, unpacked, why_not


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    if why_not():
        pytest.skip(why_not())
    return unpacked(tmp_path_factory.mktemp("package"))


def test_it_holds_one_tool_and_what_a_game_needs(package):
    names = {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}
    assert {"README.txt", "seekless.exe", "bin/seekless.dll", "lib/libseekless.dll.a", "include/seekless.h",
            "include/seekless.hpp", "lib/cmake/seekless/seekless-config.cmake"} <= names
    assert sorted(name for name in names if name.endswith((".exe", ".dll"))) == ["bin/seekless.dll", "seekless.exe"]
    imports = subprocess.run(["x86_64-w64-mingw32-objdump", "-p", package / "seekless.exe"], check=True,
                             capture_output=True, text=True).stdout
    dlls = {name.lower() for name in re.findall(r"DLL Name: (\S+)", imports)}
    assert dlls <= {"kernel32.dll", "msvcrt.dll", "advapi32.dll", "shell32.dll", "ntdll.dll", "iphlpapi.dll", "ws2_32.dll"}
    assert sorted(path.name for path in package.iterdir() if path.is_file()) == ["README.txt", "seekless.exe"]


def test_it_holds_the_licence_of_all_that_is_linked_in(package):
    licences = {path.stem: path.read_text(errors="replace") for path in (package / "licences").iterdir()}
    assert {"seekless", "cli11", "cpp-httplib", "fmtlib", "libdeflate", "libzip", "libzstd", "lz4", "minhook",
            "nlohmann-json3", "xxhash", "zlib"} <= licences.keys()
    assert {"g++-mingw-w64-x86-64-posix", "mingw-w64-x86-64-dev"} <= licences.keys()  # the compiler's own parts
    assert not {"googletest", "physfs"} & licences.keys()  # they are only for tests
    assert all("copyright" in text.lower() for text in licences.values())


def test_its_readme_names_files_that_are_there_and_commands_that_work(package):
    text = (package / "README.txt").read_bytes()
    assert b"\r\n" in text and text.count(b"\n") == text.count(b"\r\n") and b"@" not in text
    for name in re.findall(r"share\\[\w\\.-]+", text.decode()):
        assert (package / name.replace("\\", "/")).exists(), name
    assert all(len(line) <= 100 for line in text.decode().splitlines())


def test_the_example_game_loads_its_map(package, mounted, tmp_path):  # noqa: F811
    program = built(package, SOURCES, tmp_path / "game") / "example_game.exe"
    done = run(*mounted.command(program))
    assert done.returncode == 0, done.stdout + done.stderr
    size_bytes = sum(map(len, mounted.map.values()))
    assert f"loaded: {len(mounted.map)} assets, {size_bytes} bytes" in done.stdout.splitlines()
    assert "replaced: textures/wall.png" in done.stdout and "deleted: features/f026.pie" in done.stdout


def fnv_1a(data):
    sum_ = 0xcbf29ce484222325
    for byte in data:
        sum_ = (sum_ ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return sum_


def test_a_game_on_physfs_reads_every_asset(tool, package, made, tmp_path):
    if not (package / "lib/libseekless_physfs.a").exists():
        pytest.skip("the package was built without PhysFS")
    program = built(package, TOP / "integration/windows/physfs_program", tmp_path / "program") / "physfs_program.exe"
    packs = made.packs if made.packs.is_dir() else made.packs.parent
    done = run(program, packs / "catalog.skl")
    assert done.returncode == 0, done.stdout + done.stderr
    tool.ok("extract", packs, "-o", tmp_path / "out")
    expected = {f"{len(data)} {fnv_1a(data):016x} {path}" for path, data in tree(tmp_path / "out").items() if data is not None}
    assert set(done.stdout.splitlines()) == expected
