"""Runs every example of docs/build-systems.md that can be run, unchanged."""
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tool import TOP, tree

TEXT = (TOP / "docs" / "build-systems.md").read_text()


def examples(language, section):
    """The code of a section, one text a block."""
    part = re.split(r"^##+ ", TEXT, flags=re.MULTILINE)
    text = next(text for text in part if text.startswith(section))
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def game(tmp_path):
    """The project that the page describes."""
    content = tmp_path / "content"
    content.mkdir()
    for name, count in (("menu", 6), ("rush", 9), ("other", 4)):
        for number in range(count):
            (content / f"{name}{number}.bin").write_bytes(random.Random(name).randbytes(20_000 + number))
    (tmp_path / "traces").mkdir()
    for trace, name, count in (("menu.1", "menu", 6), ("rush.1", "rush", 9)):
        (tmp_path / "traces" / f"{trace}.txt").write_text("".join(f"{content}/{name}{n}.bin\n" for n in range(count)))
    described = re.search(r"seekless\.json +(\{.*\})\n", TEXT).group(1)
    (tmp_path / "seekless.json").write_text(described)
    return tmp_path


def run(tool, folder, *command, **more):
    environment = {**os.environ, "PATH": f"{Path(tool.binary).parent}:{os.environ['PATH']}", **more}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def shell(tool, folder, text, **more):
    return run(tool, folder, "bash", "-euo", "pipefail", "-c", text, **more)


@pytest.mark.skipif(not shutil.which("ninja"), reason="there is no ninja here")
def test_ninja(tool, game):
    (game / "build.ninja").write_text(*examples("ninja", "Ninja"))
    run(tool, game, "ninja")
    tool.ok("verify", game / "packs")
    assert "no work to do" in run(tool, game, "ninja")
    (game / "content" / "menu1.bin").write_bytes(b"another")
    assert "no work to do" not in run(tool, game, "ninja")
    (game / "content" / "new.bin").write_bytes(b"new")
    assert "no work to do" not in run(tool, game, "ninja")
    assert "new.bin" in tool.ok("info", "--assets", game / "packs").text
    assert "no work to do" in run(tool, game, "ninja")


@pytest.mark.parametrize("number", [0, 1])
def test_cmake(tool, install_prefix, game, number):
    blocks = examples("cmake", "CMake")
    assert len(blocks) == 2
    (game / "CMakeLists.txt").write_text(blocks[number])
    tool.ok("plan", *sorted((game / "traces").iterdir()), "--content", game / "content", "-o", "layout.json", cwd=game)
    run(tool, game, "cmake", "-S", ".", "-B", "out", f"-DCMAKE_PREFIX_PATH={install_prefix}")
    run(tool, game, "cmake", "--build", "out")
    tool.ok("verify", game / "out" / "packs")


def test_a_farm(tool, game):
    shell(tool, game, *examples("sh", "Farms"))
    tool.ok("pack", game / "layout.json", "-o", game / "whole", cwd=game)
    assert tree(game / "farm") == tree(game / "whole")


def test_the_commands_of_the_bazel_rules(tool, game):
    """Runs each command at a workspace's root with access to only the inputs that the rule declares. Bazel itself runs
    the rules in test_bazel.py."""
    rules = (TOP / "packer/bazel/seekless.bzl").read_text()
    compile(rules, "seekless.bzl", "exec")
    words, = re.findall(r'\["pack", ctx\.file\.layout, (.*?), out\]', rules)
    assert words == '"--only", name, "-o"'
    compile(*examples("python", "Bazel"), "BUILD", "exec")
    tool.ok("plan", *sorted((game / "traces").iterdir()), "--content", "content", "-o", "layout.json", cwd=game)
    listing = next(text for text in examples("sh", "Bazel") if "packs.bzl" in text)
    shell(tool, game, listing)
    told = {}
    exec((game / "packs.bzl").read_text(), told)  # Bazel reads it like this
    root = game / "root"
    out = root / "bazel-out"
    out.mkdir(parents=True)
    shutil.copyfile(game / "layout.json", root / "layout.json")
    for pack in told["PACKS"]["packs"]:
        for file in pack["inputs"]:
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(game / file, root / file)
        tool.ok("pack", "layout.json", "--only", pack["name"], "-o", f"bazel-out/{pack['file']}", cwd=root)
        shutil.rmtree(root / "content")
    tool.ok("pack", "layout.json", "--only", "catalog", "-o", "bazel-out/catalog.skl", cwd=root)
    tool.ok("pack", "layout.json", "-o", "whole", cwd=game)
    assert tree(out) == tree(game / "whole")


def test_after_a_cook_and_on_a_job_s_page(tool, game):
    cooked = game / "Saved" / "Cooked" / "Windows" / "Game" / "Content"
    cooked.parent.mkdir(parents=True)
    shutil.move(game / "content", cooked)
    shell(tool, game, *examples("sh", "After a cook"))
    assert (game / "cooked.lock").exists()
    assert "<title>Build of cooked.json</title>" in (game / "Saved" / "packs.html").read_text()
    shell(tool, game, *examples("sh", "On a CI job's page"), GITHUB_STEP_SUMMARY="summary.md")
    assert (game / "summary.md").read_text().startswith("## Build of cooked.json\n")
    tool.ok("build", "cooked.json", "--check", cwd=game)
    (cooked / "menu1.bin").write_bytes(b"another")
    assert tool.run("build", "cooked.json", "--check", cwd=game).code == 1
