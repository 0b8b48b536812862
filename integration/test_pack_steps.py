"""The packs of a layout as separate steps, which build systems and farms run: they give the same bytes as one process,
in any order, place and environment, from their inputs only."""
import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from tool import DAMAGED, FAILED, USAGE, tree


def listed(tool, layout, **how):
    return tool.json("pack", layout, "--list-packs", **how)["packs"]


def names(tool, layout):
    return [pack["name"] for pack in listed(tool, layout)] + ["catalog"]


@pytest.mark.parametrize("codec", ["raw", "lz4"])
def test_packs_made_in_processes_of_their_own_are_those_of_one(tool, made, tmp_path, codec):
    """Runs all steps at once, the last one first, each in another folder, locale and time zone and with another
    umask."""
    out = tmp_path / "packs"
    out.mkdir()
    surroundings = [({"LC_ALL": "C", "TZ": "UTC"}, 0o22), ({"LC_ALL": "tr_TR.utf8", "TZ": "Asia/Tokyo"}, 0o77),
                    ({"LC_ALL": "de_DE.utf8", "COLUMNS": "7"}, 0o2), ({"HOME": "/nonexistent"}, 0)]

    def step(number, name):
        environment, umask = surroundings[number % len(surroundings)]
        cwd = tmp_path / f"cwd{number}"
        cwd.mkdir()
        layout = os.path.relpath(made.layout, cwd)
        return subprocess.run(
            tool.command("pack", layout, "--only", name, "-o", out, "--codec", codec, "--threads", 1 + number % 3),
            cwd=cwd, env={**os.environ, **environment}, umask=umask, capture_output=True)

    *packs, catalog = names(tool, made.layout)
    with ThreadPoolExecutor(4) as pool:
        for done in pool.map(step, range(len(packs)), reversed(packs)):
            assert done.returncode == 0, done.stderr
    done = step(len(packs), catalog)
    assert done.returncode == 0, done.stderr
    assert tree(out) == tree(made.packs if codec == "raw" else made.lz4_packs)
    tool.ok("verify", out)


def sandbox(folder, inputs):
    """Copies only the inputs, to the same place below `folder`."""
    for path in inputs:
        target = folder / os.path.relpath(path, "/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def test_a_pack_needs_nothing_but_what_is_listed(tool, made, tmp_path):
    """Runs each step in a sandbox with only its inputs. The layout's paths are relative, so they also work there."""
    game = os.path.relpath(made.game.folder, made.folder)
    layout = made.folder / "relative.json"
    tool.ok("plan", *made.traces, "--content", game, "-o", layout, "--block", "256K", "--budget", 1, cwd=made.folder)
    for pack in listed(tool, layout):
        box = tmp_path / pack["name"]
        for name in pack["inputs"]:
            (box / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(made.folder / name, box / name)
        shutil.copyfile(layout, box / "layout.json")
        before = set(tree(box))
        tool.ok("pack", "layout.json", "--only", pack["name"], "--codec", "raw", "-o", "out.skl", cwd=box)
        assert set(tree(box)) - before == {"out.skl"}
        assert (box / "out.skl").read_bytes() == (made.packs / pack["file"]).read_bytes()
    box = tmp_path / "of-the-catalog"
    shutil.copytree(made.packs, box / "packs")
    (box / "packs" / "catalog.skl").unlink()
    shutil.copyfile(layout, box / "layout.json")
    tool.ok("pack", "layout.json", "--only", "catalog", "--packs", "packs", "-o", "out.skl", cwd=box)
    assert (box / "out.skl").read_bytes() == (made.packs / "catalog.skl").read_bytes()


def test_each_listed_input_is_needed(tool, made, tmp_path):
    pack = min((p for p in listed(tool, made.layout) if len(p["inputs"]) > 1), key=lambda p: len(p["inputs"]))
    for missing in pack["inputs"]:
        if os.path.getsize(missing) == 0:  # nothing would be read from it
            continue
        hidden = missing + ".hidden"
        os.rename(missing, hidden)
        try:
            tool.run("pack", made.layout, "--only", pack["name"], "-o", tmp_path / "x.skl").says(missing)
        finally:
            os.rename(hidden, missing)
        assert tree(tmp_path) == {}


def test_the_list_names_packs_and_what_they_read(tool, made):
    layout = json.loads(made.layout.read_text())
    packs = listed(tool, made.layout)
    assert [p["name"] for p in packs] == [p["name"] for p in layout["packs"]]
    for pack, laid in zip(packs, layout["packs"]):
        assert pack["file"] == laid["name"] + ".skl" and pack["kind"] == laid["kind"]
        assert pack["assets"] == len(laid["assets"])
        assert pack["content_bytes"] == sum(asset["bytes"] for asset in laid["assets"])
        assert pack["inputs"] == [layout["sources"][n]["path"]
                                  for n in sorted({asset["source"] for asset in laid["assets"]})]
    text = tool.ok("pack", made.layout, "--list-packs").text.splitlines()
    assert [line.split()[0] for line in text] == [pack["name"] for pack in packs]


def test_the_answer_says_what_was_written(tool, made, tmp_path):
    whole = tool.json("pack", made.layout, "-o", tmp_path / "packs")["packs"]
    for expected, pack in zip(whole, listed(tool, made.layout)):
        answer = tool.json("pack", made.layout, "--only", pack["name"], "-o", tmp_path / "single.skl")
        assert answer["packs"] == [expected]
        assert answer["file"] == str(tmp_path / "single.skl")
    answer = tool.json("pack", made.layout, "--only", "catalog", "-o", tmp_path / "packs")
    assert answer["file"] == f"{tmp_path}/packs/catalog.skl"


def test_output_is_a_file_or_a_folder(tool, made, tmp_path):
    (tmp_path / "folder").mkdir()
    tool.ok("pack", made.layout, "--only", "menu", "-o", tmp_path / "folder")
    tool.ok("pack", made.layout, "--only", "menu", "-o", f"{tmp_path}/folder/")
    tool.ok("pack", made.layout, "--only", "menu", "-o", tmp_path / "other.name")
    assert set(tree(tmp_path)) == {"folder/menu.skl", "other.name"}
    tool.run("pack", made.layout, "--only", "menu", "-o", tmp_path / "none" / "menu.skl").says("none/menu.skl")


def test_wrong_usage_is_told(tool, made, tmp_path):
    answer = tool.run("pack", made.layout, "--only", "boot", "-o", tmp_path).says("'boot'", "'menu'", "--list-packs")
    assert answer.code == USAGE
    assert tool.run("pack", made.layout).says("--output", "--list-packs").code == USAGE
    assert tool.run("pack", made.layout, "--packs", tmp_path, "-o", tmp_path / "x").says("--only catalog").code == USAGE
    assert tool.run("pack", made.layout, "--only", "menu", "--list-packs").code == USAGE
    assert tree(tmp_path) == {}


def test_a_catalog_is_made_of_no_other_packs(tool, made, tmp_path):
    layout = json.loads(made.layout.read_text())
    packs = tmp_path / "packs"

    def refused(change, *said, code=FAILED):
        shutil.rmtree(packs, ignore_errors=True)
        shutil.copytree(made.packs, packs)
        changed = json.loads(json.dumps(layout))
        change(changed)
        (tmp_path / "layout.json").write_text(json.dumps(changed))
        (packs / "catalog.skl").unlink()
        answer = tool.run("pack", tmp_path / "layout.json", "--only", "catalog", "-o", packs).says(*said)
        assert answer.code == code
        assert not (packs / "catalog.skl").exists()
        assert not tool.run("verify", packs).code == 0

    last = layout["packs"][-1]["name"] + ".skl"
    refused(lambda changed: changed["packs"][-1]["assets"].pop(), last, "assets", code=DAMAGED)
    refused(lambda changed: changed["packs"][-1]["assets"][0].update(bytes=7), last, "of 7 bytes", code=DAMAGED)
    refused(lambda changed: (packs / last).unlink(), last)
    refused(lambda changed: (packs / last).write_bytes((packs / last).read_bytes()[:4000]), last, code=DAMAGED)
    refused(lambda changed: shutil.copyfile(packs / "menu.skl", packs / last), last, "expected", code=DAMAGED)
    refused(lambda changed: changed.update(block_bytes=65536), "blocks of 65536 bytes", "another layout")


def test_a_set_whose_pack_was_made_anew_is_refused_until_its_catalog_is(tool, made, tmp_path):
    """If a farm stops halfway, readers refuse the result instead of reading wrong data."""
    game = tmp_path / "game"
    shutil.copytree(made.game.folder, game)
    layout = tmp_path / "layout.json"
    tool.ok("plan", *made.traces, "--content", game, "-o", layout, "--map", f"{made.game.folder}={game}")
    tool.ok("pack", layout, "-o", tmp_path / "packs")
    music = game / "music" / "theme.ogg"
    music.write_bytes(bytes(music.stat().st_size))
    changed = [pack for pack in listed(tool, layout) if str(music) in pack["inputs"]]
    for pack in changed:
        tool.ok("pack", layout, "--only", pack["name"], "-o", tmp_path / "packs")
    tool.run("extract", tmp_path / "packs", "-o", tmp_path / "out").says(changed[0]["file"])
    tool.ok("pack", layout, "--only", "catalog", "-o", tmp_path / "packs")
    tool.ok("verify", tmp_path / "packs")


# Depfiles, as the programs themselves read them.

# Not each of these can be in an asset's name; the folder's name may contain any.
FOLDER = "odd: $one\\2\\ #"
HARD = ["a b", "c#d", "$e", "tex (1).png", "a[0]", "k{l}", "100%", "Zürich", "m!n,o@p+q~"]
LEFT_OUT = ["Don't", "x&y", "x;y", "x*y", "k=v", "r(s)"]


@pytest.fixture
def hard_names(tool, tmp_path):
    """Makes a layout of files whose names are hard to write in depfiles; returns its folder."""
    content = tmp_path / FOLDER
    content.mkdir()
    for name in HARD:
        (content / name).write_text(name)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "first.bin").write_text("first")
    (tmp_path / "menu.txt").write_text("plain/first.bin\n")
    plan_hard(tool, tmp_path)
    return tmp_path


def plan_hard(tool, folder):
    tool.ok("plan", "menu.txt", "--content", "plain", FOLDER, "-o", "layout.json", cwd=folder)


def test_a_depfile_of_a_pack_names_the_layout_and_what_it_reads(tool, made, tmp_path):
    pack = next(pack for pack in listed(tool, made.layout) if pack["name"] == "menu")
    tool.ok("pack", made.layout, "--only", "menu", "-o", tmp_path / "menu.skl", "--depfile", tmp_path / "d",
            "--stamp", tmp_path / "stamp")
    rule = (tmp_path / "d").read_text().split("\n\n")[0]
    target, *inputs = rule.split(" \\\n  ")
    assert target == f"{tmp_path}/stamp:"
    assert inputs == [name.replace(" ", "\\ ") for name in sorted([str(made.layout), *pack["inputs"]])]
    assert (tmp_path / "stamp").read_bytes() == b""


def test_ninja_reads_every_name_that_a_depfile_holds(tool, hard_names):
    if not shutil.which("ninja"):
        pytest.skip("there is no ninja here")
    (hard_names / "build.ninja").write_text(
        f"rule pack\n  command = {tool.binary} pack layout.json -o packs --depfile $out.d --stamp $out\n"
        "  depfile = $out.d\n  deps = gcc\nbuild stamp: pack layout.json\n")

    def ninja(*options):
        return subprocess.run(["ninja", *options], cwd=hard_names, check=True, capture_output=True, text=True).stdout

    ninja()
    read = {line.strip() for line in ninja("-t", "deps", "stamp").splitlines() if line.startswith("    ")}
    assert read == {"layout.json", "plain/first.bin", *(f"{FOLDER}/{name}" for name in HARD)}
    assert "no work to do" in ninja()
    for name in HARD:
        os.utime(hard_names / FOLDER / name)
        assert "no work to do" not in ninja(), name
        assert "no work to do" in ninja(), name


def test_make_reads_every_name_that_a_depfile_holds(tool, hard_names):
    if not shutil.which("make"):
        pytest.skip("there is no make here")
    (hard_names / "Makefile").write_text(
        f"stamp: layout.json\n\t{tool.binary} pack layout.json -o packs --depfile stamp.d --stamp stamp\n-include stamp.d\n")

    def is_made():
        done = subprocess.run(["make", "-s"], cwd=hard_names, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return "packs" in done.stdout

    assert is_made() and not is_made()
    for name in HARD:
        later = (hard_names / "stamp").stat().st_mtime_ns + 10**9
        os.utime(hard_names / FOLDER / name, ns=(later, later))
        assert is_made(), name
        os.utime(hard_names / "stamp", ns=(later, later))
        assert not is_made(), name


def test_a_name_that_no_depfile_can_hold_is_told_and_its_folder_watched(tool, hard_names):
    for name in LEFT_OUT:
        (hard_names / FOLDER / name).write_text(name)
    plan_hard(tool, hard_names)
    answer = tool.ok("pack", "layout.json", "-o", "packs", "--depfile", "d", cwd=hard_names)
    assert f"{len(LEFT_OUT)} names can't be told to Ninja and Make" in answer.err
    rule = (hard_names / "d").read_text().split("\n\n")[0]
    assert rule.startswith("packs/catalog.skl: \\\n  layout.json \\\n  odd\\:\\ $$one\\2\\\\\\ \\# \\\n")
    assert not any(name in rule for name in LEFT_OUT)
