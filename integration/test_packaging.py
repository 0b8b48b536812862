"""The recipes in packaging/ and debian/: whether each has the form that its package manager reads, and names what there is."""
import ast
import json
import re
import subprocess

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
