"""The recipes in packaging/ and debian/: each has the form that its package manager reads, and names files that
exist."""
import ast
import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zipfile

import pytest

from tool import TOP

FOLDER = TOP / "packaging"
VERSION = re.search(r"^project\(seekless VERSION ([\d.]+)", (TOP / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


def test_every_recipe_is_named_in_the_readme():
    text = (FOLDER / "README.md").read_text()
    for folder in FOLDER.iterdir():
        assert not folder.is_dir() or f"[{folder.name}/](" in text, folder.name
    for target in re.findall(r"\]\(([^)]+)\)", text):
        assert (FOLDER / target).is_file(), target


@pytest.mark.parametrize("name", ["scoop/seekless.json", "vcpkg/seekless/vcpkg.json"])
def test_json_is_json(name):
    assert json.loads((FOLDER / name).read_text())["version"] == "@VERSION@"


def test_the_conan_recipe_is_python():
    ast.parse((FOLDER / "conan/conanfile.py").read_text())


@pytest.mark.parametrize("name", ["aur/PKGBUILD", "ossfuzz/build.sh", "fill"])
def test_shell_is_shell(name):
    subprocess.run(["bash", "-n", FOLDER / name], check=True)


@pytest.mark.parametrize("name", ["github/release.yml", "winget/seekless.yaml", "ossfuzz/project.yaml"])
def test_yaml_is_yaml(name):
    yaml = pytest.importorskip("yaml")
    assert isinstance(yaml.safe_load((FOLDER / name).read_text()), dict)


def test_the_description_for_nuget_has_what_nuget_demands():
    description = ElementTree.parse(FOLDER / "nuget/Seekless.Stream.nuspec").getroot()
    names = {element.tag.rpartition("}")[2]: element.text for element in description[0]}
    assert {"id", "version", "authors", "description"} <= set(names)
    assert names["id"] == "Seekless.Stream" and names["version"] == "@VERSION@"
    endings = {element.get("Extension") for element in ElementTree.parse(FOLDER / "nuget/[Content_Types].xml").getroot()}
    # NuGet refuses a package with an unlisted extension.
    assert {"rels", "nuspec", "dll", "xml", "0", "txt"} <= endings
    target = ElementTree.parse(FOLDER / "nuget/_rels/.rels").getroot()[0].get("Target")
    assert (FOLDER / "nuget" / target.lstrip("/")).is_file()


def test_tools_for_wheels_have_versions_and_hashes():
    lines = [line for line in (FOLDER / "wheel-tools.txt").read_text().splitlines() if not line.startswith("#")]
    assert len(lines) >= 5
    for line in lines:
        assert re.fullmatch(r"[\w-]+==[\d.]+ --hash=sha256:[0-9a-f]{64}", line), line


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="needs dpkg-query")
def test_a_wheel_gets_licences_and_stays_a_wheel(tmp_path):
    wheel, made = tmp_path / "a-1-py3-none-any.whl", tmp_path / "b.whl"
    library = next(line.split(" => ")[1] for line in subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True)
                   .stdout.splitlines() if "libz.so.1 " in line)
    with zipfile.ZipFile(wheel, "w") as new:
        new.writestr(zipfile.ZipInfo("a.libs/libz-0a1b2c3d.so.1", (2026, 1, 2, 3, 4, 6)), b"copied from " + library.encode())
        new.writestr("a-1.dist-info/METADATA", "Name: a\n")
        new.writestr("a-1.dist-info/RECORD", "a.libs/libz-0a1b2c3d.so.1,,\na-1.dist-info/METADATA,,\na-1.dist-info/RECORD,,\n")
    for _ in range(2):
        subprocess.run([sys.executable, FOLDER / "wheel_licences.py", wheel, made, "libc6"], check=True)
        if not (first := tmp_path / "first").exists():
            made.rename(first)
    assert made.read_bytes() == first.read_bytes()
    with zipfile.ZipFile(made) as found:
        names = found.namelist()
        assert names[-1] == "a-1.dist-info/RECORD"
        assert [name for name in names if "/licenses/" in name] == [
            f"a-1.dist-info/licenses/libraries/{package}.txt" for package in ("libc6", "zlib1g")]
        record = found.read("a-1.dist-info/RECORD").decode().splitlines()
        assert sorted(line.split(",")[0] for line in record) == sorted(names)
        assert b"zlib" in found.read("a-1.dist-info/licenses/libraries/zlib1g.txt")


def test_recipes_name_options_and_scripts_that_there_are():
    options = set(re.findall(r"option\((SEEKLESS_\w+)", (TOP / "CMakeLists.txt").read_text()))
    for path in FOLDER.rglob("*"):
        if not path.is_file():
            continue
        for name in re.findall(r"-D(SEEKLESS_\w+)=", path.read_text()):
            assert name in options, f"{path}: {name}"
        for name in re.findall(r"\bscript/[\w-]+", path.read_text()):
            assert (TOP / name).exists(), f"{path}: {name}"


def test_recipes_of_debian_name_each_library_that_bootstrap_installs():
    wanted = subprocess.run([TOP / "script/bootstrap", "--list", "build"], capture_output=True, text=True, check=True).stdout.split()
    libraries = [name for name in wanted if name.endswith("-dev")]
    assert len(libraries) >= 14
    for recipe, without in ("debian/control", ()), ("packaging/ossfuzz/Dockerfile", ("libfuse3-dev",)):
        text = (TOP / recipe).read_text()
        assert [name for name in libraries if name not in without and not re.search(rf"\b{name}\b", text)] == [], recipe


def test_every_place_that_names_the_version_names_the_same():
    assert (TOP / "debian/changelog").read_text().startswith(f"seekless ({VERSION}) ")
    assert json.loads((TOP / "vcpkg.json").read_text())["version"] == VERSION
    assert f"\n## {VERSION} " in (TOP / "CHANGELOG.md").read_text()
    for path in [*TOP.glob("bindings/rust/*/Cargo.toml"), TOP / "bindings/csharp/Seekless.Stream/Seekless.Stream.csproj"]:
        assert re.search(rf'^version = "{VERSION}"|<Version>{VERSION}<', path.read_text(), re.MULTILINE), path
