"""The install tree, used as a game would: CMake's package, pkg-config, the header alone, and a C
program that sweeps a scenario and checks every hash."""
import os
import re
import shutil
import subprocess

import pytest

import skl_reader
from tool import TOP

PROGRAM = TOP / "integration" / "c_program"
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror"]


def run(*command, env=None, **how):
    return subprocess.run(list(map(str, command)), env={**os.environ, **(env or {})}, check=True,
                          capture_output=True, text=True, **how).stdout


def library_folder(prefix):
    return next(prefix.rglob("libseekless.so")).parent


@pytest.fixture(scope="module")
def programs(install_prefix, tmp_path_factory):
    """Builds the program three times: name -> path."""
    build = tmp_path_factory.mktemp("c_program")
    run("cmake", "-S", PROGRAM, "-B", build, f"-DCMAKE_PREFIX_PATH={install_prefix}",
        "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS=" + " ".join(STRICT))
    run("cmake", "--build", build)
    libraries = library_folder(install_prefix)
    flags = pkg_config(install_prefix, "--cflags", "--libs")
    run("cc", "-std=c99", *STRICT, PROGRAM / "main.c", *flags, f"-Wl,-rpath,{libraries}",
        "-o", build / "sweep_pkg_config")
    return {name: build / f"sweep_{name}" for name in ("shared", "static", "pkg_config")}


def pkg_config(prefix, *options):
    libraries = library_folder(prefix)
    return run("pkg-config", *options, "seekless",
               env={"PKG_CONFIG_PATH": str(libraries / "pkgconfig")}).split()


def link_static(prefix, program):
    """Links the program so that it needs none of the machine's shared libraries."""
    run("cc", "-std=c99", PROGRAM / "main.c", "-static",
        *pkg_config(prefix, "--static", "--cflags", "--libs"), "-o", program)
    assert "statically linked" in run("file", program)
    return program


@pytest.fixture(scope="module")
def prefix_without_uring(tmp_path_factory):
    folder = tmp_path_factory.mktemp("without_uring")
    run("cmake", "-S", TOP, "-B", folder / "build", "-G", "Ninja", "-DSEEKLESS_PACKER=OFF",
        "-DSEEKLESS_TESTS=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_uring=ON", "-DCMAKE_BUILD_TYPE=None",
        "-DCMAKE_UNITY_BUILD=ON")
    run("cmake", "--build", folder / "build")
    run("cmake", "--install", folder / "build", "--prefix", folder / "prefix")
    return folder / "prefix"


def test_pkg_config_names_all_that_a_static_program_needs(install_prefix, made, tmp_path):
    assert "-luring" in pkg_config(install_prefix, "--static", "--libs")
    assert "-luring" not in pkg_config(install_prefix, "--libs")
    program = link_static(install_prefix, tmp_path / "sweep")
    assert run(program, made.packs, "menu").startswith("menu: ")


@pytest.mark.thorough
def test_pkg_config_names_no_more_than_was_built_in(prefix_without_uring, made, tmp_path):
    assert "-luring" not in pkg_config(prefix_without_uring, "--static", "--libs")
    program = link_static(prefix_without_uring, tmp_path / "sweep")
    assert run(program, made.packs, "menu").startswith("menu: ")


def test_licence_docs_schemas_and_examples_are_installed(install_prefix):
    folder = install_prefix / "share" / "doc" / "seekless"
    for name in ["LICENSE", "README.md", "CHANGELOG.md"]:
        assert (folder / name).read_bytes() == (TOP / name).read_bytes()
    for kind, there in {"docs": "docs", "schemas": "schemas", "examples": "integration"}.items():
        installed = {path.relative_to(folder / kind): path for path in (folder / kind).rglob("*.*") if path.is_file()}
        tracked = run("git", "ls-files", f"{there}/*.*", cwd=TOP).split()
        wanted = {os.path.relpath(name, there): name for name in tracked
                  if not name.startswith("docs/reference/") and
                  (kind != "examples" or name.startswith(("integration/c_program/", "integration/example_game/")))}
        assert {str(name) for name in installed} == set(wanted)
        for name, path in installed.items():
            assert path.read_bytes() == (TOP / wanted[str(name)]).read_bytes()


@pytest.mark.parametrize("name", ["c_program", "example_game"])
def test_the_installed_examples_build(install_prefix, tmp_path, name):
    examples = tmp_path / "copied"
    shutil.copytree(install_prefix / "share" / "doc" / "seekless" / "examples" / name, examples)
    run("cmake", "-S", examples, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={install_prefix}")
    run("cmake", "--build", tmp_path / "build")


def test_the_program_is_short():
    assert len((PROGRAM / "main.c").read_text().splitlines()) < 100


def test_everything_is_installed(install_prefix):
    found = {path.relative_to(install_prefix).as_posix() for path in install_prefix.rglob("*")}
    for name in ["bin/seekless", "include/seekless.h", "libseekless.so", "libseekless.a",
                 "cmake/seekless/seekless-config.cmake", "pkgconfig/seekless.pc"]:
        assert any(path.endswith(name) for path in found), name
    headers = {path for path in found if path.startswith("include/")}
    assert headers - {"include/seekless_physfs.h", "include/seekless_sdl.h"} == {
        "include/seekless.h", "include/seekless.hpp", "include/seekless_before_cpp23.hpp", "include/seekless_stream.hpp"}


@pytest.mark.parametrize("kind", ["shared", "static", "pkg_config"])
@pytest.mark.parametrize("codec", ["raw", "lz4"])
def test_a_c_program_sweeps_a_scenario(programs, made, kind, codec):
    packs = made.packs if codec == "raw" else made.lz4_packs
    lines = run(programs[kind], packs, "menu", "map/one").splitlines()
    content = made.game.one_name_space()
    needed = {"menu": made.game.MENU, "map/one": [*made.game.MAP, "mods/script.js"]}
    for line, (name, paths) in zip(lines, needed.items()):
        size_bytes = sum(len(content[path]) for path in paths)
        assert line.startswith(f"{name}: {len(paths)} assets, {size_bytes} bytes, in ")
    reads, jumps = map(int, re.search(r"in (\d+) reads and (\d+) jumps", lines[0]).groups())
    assert 3 <= reads <= 6 and 1 <= jumps <= 2


def test_the_c_program_notices_damage(programs, made, tmp_path):
    shutil.copytree(made.packs, tmp_path / "packs")
    block = skl_reader.Pack(made.packs / "menu.skl").blocks[0]
    data = bytearray((made.packs / "menu.skl").read_bytes())
    data[block.offset_bytes] ^= 1
    (tmp_path / "packs" / "menu.skl").write_bytes(data)
    done = subprocess.run([programs["shared"], tmp_path / "packs", "menu"], capture_output=True, text=True)
    assert done.returncode == 1 and "damaged: " in done.stderr and "menu.skl: block 0 " in done.stderr
    for arguments in [(tmp_path / "packs", "no such"), (tmp_path / "gone", "menu")]:
        done = subprocess.run([programs["shared"], *arguments], capture_output=True, text=True)
        assert done.returncode == 1 and "not found" in done.stderr.replace("_", " ")


def test_the_shared_program_needs_the_shared_library_alone(programs):
    needed = run("readelf", "-d", programs["shared"])
    assert "libseekless.so.0" in needed
    assert "libseekless" not in run("readelf", "-d", programs["static"])


def test_nothing_but_skl_symbols_leaves_the_library(install_prefix):
    lines = run("nm", "-D", "--defined-only", library_folder(install_prefix) / "libseekless.so")
    symbols = {line.split()[-1].split("@")[0] for line in lines.splitlines()}
    declared = set(re.findall(r"\b(skl_\w+)\(", (TOP / "runtime/include/seekless.h").read_text()))
    assert symbols == declared


def test_the_library_needs_little(install_prefix):
    needed = run("readelf", "-d", library_folder(install_prefix) / "libseekless.so")
    libraries = set(re.findall(r"Shared library: \[(.*?)\.so", needed))
    assert libraries <= {"liblz4", "libxxhash", "libstdc++", "libgcc_s", "libc", "libm", "ld-linux-x86-64"}


def test_compiling_needs_nothing_that_only_tests_need(tmp_path):
    """A fresh machine has no GoogleTest when script/demo configures the release build."""
    run("cmake", "--preset", "release", "-B", tmp_path, "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON",
        "-DCMAKE_DISABLE_FIND_PACKAGE_benchmark=ON", cwd=TOP)


@pytest.mark.parametrize("compiler", [["cc", "-x", "c", "-std=c99"], ["c++", "-x", "c++", "-std=c++98"],
                                      ["c++", "-x", "c++", "-std=c++20"]], ids=lambda c: c[-1])
def test_the_header_compiles_alone(install_prefix, tmp_path, compiler):
    (tmp_path / "alone.txt").write_text("#include <seekless.h>\nint main(void) { return SKL_OK; }\n")
    if "98" in compiler[-1]:
        compiler = [*compiler, "-Wno-long-long"]
    run(*compiler, *STRICT, f"-I{install_prefix}/include", "-fsyntax-only", tmp_path / "alone.txt")


def test_another_minor_version_is_refused_by_cmake(install_prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES C CXX)\nfind_package(seekless 99.0 REQUIRED)\n")
    done = subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / "b",
                           f"-DCMAKE_PREFIX_PATH={install_prefix}"], capture_output=True, text=True)
    assert done.returncode != 0 and "seekless" in done.stderr
