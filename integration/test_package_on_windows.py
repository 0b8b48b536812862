"""The zip for Windows: what is in it, and programs that are built against it alone by mingw-w64 and read packs under
Wine: the example game and one on PhysFS. (A C program is built by script/test-windows.)

SEEKLESS_WINDOWS_PACKAGE  a folder with the zip, or where one is made [build/windows-package]"""
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from test_example_game import SOURCES, mounted  # noqa: F401
from tool import TOP, tree, windows_environment

TOOLCHAIN = TOP / "cmake" / "mingw-w64.cmake"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """Unpacked as people do it."""
    if shutil.which("wine") is None or not (TOP / "build/windows/bin/seekless.exe").exists():
        pytest.skip("needs Wine and build/windows (script/test windows)")
    folder = Path(os.environ.get("SEEKLESS_WINDOWS_PACKAGE", TOP / "build/windows-package"))
    if not list(folder.glob("*.zip")):
        subprocess.run(["cpack", "-B", folder], cwd=TOP / "build/windows", check=True, capture_output=True)
    into = tmp_path_factory.mktemp("package")
    with zipfile.ZipFile(next(folder.glob("*.zip"))) as archive:
        archive.extractall(into)
    return next(into.iterdir())


def built(package, source, folder):
    """Only the package's own files are found, and what the compiler brings; PhysFS comes from the libraries' folder."""
    libraries = os.environ.get("SEEKLESS_WINDOWS_LIBRARIES", TOP / "build/windows-libraries")
    env = {**os.environ, "SEEKLESS_WINDOWS_LIBRARIES": str(libraries)}
    for command in (["cmake", "-S", source, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                     f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}", f"-DCMAKE_PREFIX_PATH={package}",
                     f"-DCMAKE_FIND_ROOT_PATH={package}"],
                    ["cmake", "--build", folder]):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stdout + done.stderr
    shutil.copy(package / "bin" / "seekless.dll", folder)
    return folder


def run(program, *arguments):
    return subprocess.run(["wine", program, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          encoding="utf-8", env={**os.environ, **windows_environment()}, stdin=subprocess.DEVNULL)


def test_it_holds_one_tool_and_what_a_game_needs(package):
    names = {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}
    assert {"bin/seekless.exe", "bin/seekless.dll", "lib/libseekless.dll.a", "include/seekless.h",
            "include/seekless.hpp", "lib/cmake/seekless/seekless-config.cmake"} <= names
    assert sorted(name for name in names if name.endswith((".exe", ".dll"))) == ["bin/seekless.dll", "bin/seekless.exe"]
    imports = subprocess.run(["x86_64-w64-mingw32-objdump", "-p", package / "bin/seekless.exe"], check=True,
                             capture_output=True, text=True).stdout
    dlls = {name.lower() for name in re.findall(r"DLL Name: (\S+)", imports)}
    assert dlls <= {"kernel32.dll", "msvcrt.dll", "advapi32.dll", "shell32.dll", "ntdll.dll"}


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
