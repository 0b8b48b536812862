"""Tests `seekless build` and `init`: which work each change repeats, that the result always equals a build from
nothing, and the messages."""
import json
import os
import random
import re
import shutil
import subprocess
import zipfile

import pytest

from project import Project, edit, settle, stamps
from tool import DAMAGED, FAILED, USAGE, check_schema, strace_can_inject, tree

needs_strace = pytest.mark.skipif(not strace_can_inject(), reason="needs strace and the right to trace")


@pytest.fixture
def project(tool, tmp_path):
    made = Project(tool, tmp_path / "game")
    settle()
    return made


def assert_like_a_fresh_build(project, folder):
    """Checks that the packs equal those of a build that knows only the lock and its packs."""
    fresh = project.copy(folder)
    if (fresh.folder / "layout.lock").exists():
        shutil.copytree(project.packs, fresh.packs)
    fresh.build()
    assert tree(fresh.packs) == tree(project.packs)
    assert (fresh.folder / "layout.lock").exists() == (project.folder / "layout.lock").exists()
    if (fresh.folder / "layout.lock").exists():
        assert (fresh.folder / "layout.lock").read_bytes() == (project.folder / "layout.lock").read_bytes()


# ---- the first build --------------------------------------------------------------------------

def test_the_first_build_makes_all_and_the_second_nothing(project):
    first = project.build()
    assert first["changed"] and first["changes"]["is_first"]
    assert {pack["fate"] for pack in first["packs"]} == {"written"}
    assert first["inputs"]["assets"] == 96 and first["inputs"]["traces"] == 6
    assert {scenario["name"] for scenario in first["scenarios"]} == {"menu", "north", "south"}
    project.tool.ok("verify", project.packs)
    for number in (0, 30, 89):
        path = project.asset(number)
        name = path.relative_to(project.content).as_posix()
        assert project.tool.ok("extract", "-o", "-", project.packs, name).out == path.read_bytes()
    before = stamps(project.packs)
    state = stamps(project.folder / ".seekless")
    second = project.build()
    assert not second["changed"] and second["reasons"] == [] and second["written_bytes"] == 0
    assert second["bytes"] == first["bytes"] and second["scenarios"] == first["scenarios"]
    assert stamps(project.packs) == before
    assert stamps(project.folder / ".seekless") == state
    project.tool.ok("build", project.folder, "--check")


def test_recordings_of_what_is_gone_keep_the_locked_layout(project):
    project.build()
    before = {path: data for path, data in tree(project.packs).items() if path != "catalog.skl"}
    for number in range(12):
        project.asset(number).unlink()
    answer = project.build()
    assert any("of 2 recordings nothing is left in the content" in warning for warning in answer["warnings"])
    assert tree(project.packs).keys() - {"catalog.skl"} <= before.keys()
    assert {scenario["name"] for scenario in answer["scenarios"]} == {"menu", "north", "south"}
    for path in (project.folder / "traces").iterdir():
        if not path.name.startswith("menu"):
            path.unlink()
    project.build()
    (project.folder / "layout.lock").unlink()
    project.tool.run("build", project.folder).says("none of them there any more", "record it again")


def test_another_program_of_the_same_version_decides_again(project, tmp_path):
    """The tool is identified by its bytes: an equal program in another place is the same tool, and one with other bytes
    isn't, even if --version is the same."""
    project.build()
    before = stamps(project.packs)
    same, other = tmp_path / "same", tmp_path / "other"
    for binary in (same, other):
        shutil.copy(project.tool.binary, binary)
    with open(other, "ab") as file:
        file.write(b"built from other sources")
    assert not json.loads(subprocess.run([same, "build", project.folder, "--json", "-"], check=True,
                                         capture_output=True).stdout)["changed"]
    again = json.loads(subprocess.run([other, "build", project.folder, "--json", "-"], check=True,
                                      capture_output=True).stdout)
    assert any("the program" in reason for reason in again["reasons"]), again["reasons"]
    assert {pack["fate"] for pack in again["packs"]} != {"written"}
    assert stamps(project.packs) == before  # the result is the same


def test_without_a_lock_and_with_lz4(project, tmp_path):
    project.configure(lock=None, outputs={"packs": {"folder": "packs", "codec": "lz4"}})
    assert project.build()["lock"] is None
    assert not project.build()["changed"]
    edit(project.asset(3), b"other" * 1000)
    assert project.build()["changed"]
    assert_like_a_fresh_build(project, tmp_path / "fresh")


def test_the_stages_can_be_run_alone_on_what_a_build_leaves(project, tmp_path):
    project.build("--layout", tmp_path / "layout.json")
    state = project.folder / ".seekless"
    assert (state / "layout.json").read_bytes() == (tmp_path / "layout.json").read_bytes()
    check_schema(json.loads((state / "layout.json").read_text()), "layout")
    check_schema(json.loads((state / "profile.json").read_text()), "profile")
    check_schema(json.loads((state / "build.json").read_text()), "results/build")
    project.tool.ok("pack", tmp_path / "layout.json", "-o", tmp_path / "packs", cwd=tmp_path)
    assert tree(tmp_path / "packs") == tree(project.packs)


def test_it_is_the_same_from_everywhere_and_with_any_threads(project, tmp_path):
    project.build("--threads", 1, cwd=project.folder.parent)
    expected = tree(project.packs)
    elsewhere = project.copy(tmp_path / "far/away")
    os.remove(elsewhere.folder / "layout.lock")
    elsewhere.tool.ok("build", "--threads", 8, cwd=elsewhere.folder)
    assert tree(elsewhere.packs) == expected
    assert (elsewhere.folder / "layout.lock").read_bytes() == (project.folder / "layout.lock").read_bytes()
    assert not project.build(cwd="/")["changed"]
    relative = os.path.relpath(project.folder, tmp_path)
    assert project.tool.ok("build", relative, "--check", cwd=tmp_path).code == 0


def test_a_load_that_seems_slower_from_packs_is_explained(project):
    """Reads files in the order of their paths; the other run knows only a few of them."""
    project.record("menu", 1, range(0, 88, 4))
    project.record("menu", 2, range(0, 12, 4))
    told = " ".join(project.tool.ok("build", project.folder).text.split())
    menu = next(scenario for scenario in project.build()["scenarios"] if scenario["name"] == "menu")
    assert menu["today"]["seconds"] < menu["predicted"]["sweep_s"]
    assert "where they really lie can't be told" in told


def test_a_load_that_is_faster_needs_no_explanation(project):
    """The loads read files from all over the content."""
    for name, numbers in {"menu": range(0, 12), "north": range(12, 50), "south": range(50, 90)}.items():
        for run in (1, 2):
            project.record(name, run, random.Random(name).sample(numbers, len(numbers)))
    assert "where they really lie" not in project.tool.ok("build", project.folder).text


# ---- what is done again -----------------------------------------------------------------------

def touch(project):
    os.utime(project.asset(30))
    return set()


def same_bytes_anew(project):
    path = project.asset(30)
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)
    return set()


def invert(project, number):
    path = project.asset(number)
    edit(path, bytes(255 - byte for byte in path.read_bytes()))


def same_size(project):
    invert(project, 30)
    return project.pack_of(30)


def same_size_and_time(project):
    path = project.asset(30)
    status = path.stat()
    edit(path, bytes(255 - byte for byte in path.read_bytes()))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    return project.pack_of(30)


def clock_going_backwards(project):
    path = project.asset(30)
    edit(path, bytes(255 - byte for byte in path.read_bytes()))
    os.utime(path, ns=(0, 0))
    return project.pack_of(30)


def smaller(project):
    path = project.asset(30)
    edit(path, path.read_bytes()[:-50])
    return project.pack_of(30)


def larger(project):
    edit(project.asset(30), b"more" * 20_000)
    return project.pack_of(30)


def in_the_archive(project):
    with open(project.content / "base.zip", "r+b") as file:
        data = file.read()
    import zipfile
    with zipfile.ZipFile(project.content / "base.zip", "w") as archive:
        for number in range(6):
            archive.writestr(zipfile.ZipInfo(f"zipped/z{number}.txt"),
                             f"entry {number} " * (401 if number == 2 else 400))
    assert data != (project.content / "base.zip").read_bytes()
    return {"cold.skl"}


def archive_rewritten_with_the_same_entries(project):
    import zipfile
    with zipfile.ZipFile(project.content / "base.zip", "a") as archive:
        archive.comment = b"another comment"
    return set()


@pytest.mark.parametrize("change", [touch, same_bytes_anew, same_size, same_size_and_time,
                                    clock_going_backwards, smaller, larger, in_the_archive,
                                    archive_rewritten_with_the_same_entries],
                         ids=lambda change: change.__name__)
def test_an_edit_rewrites_only_the_packs_it_is_in(project, tmp_path, change):
    project.configure(lock=None)
    project.build()
    before = stamps(project.packs)
    expected = change(project)
    settle()
    answer = project.build()
    assert {pack["file"] for pack in answer["packs"] if pack["fate"] == "written"} == expected
    assert answer["changed"] == bool(expected)
    after = stamps(project.packs)
    touched = {name for name in before if before[name] != after.get(name)}
    assert touched == (expected | {"catalog.skl"} if expected else set())
    project.tool.ok("verify", project.packs)
    assert not project.build()["changed"]
    assert_like_a_fresh_build(project, tmp_path / "fresh")


def opened_content(project, *options):
    """Builds, and returns the files of the content that were opened, folders left out."""
    log = project.folder.parent / "opened.txt"
    subprocess.run(["strace", "-f", "-qq", "-y", "-e", "trace=openat,openat2", "-o", log,
                    *project.tool.command("build", project.folder, *options)],
                   check=True, capture_output=True)
    return {path for path in re.findall(r"= \d+<([^>]+)>", log.read_text())
            if path.startswith(f"{project.content}/") and os.path.isfile(path)}


@needs_strace
def test_an_edit_opens_only_what_is_written(project):
    project.build()
    settle()
    invert(project, 80)
    settle()
    opened = opened_content(project)
    written = {str(project.asset(number)) for number in range(90)
               if project.pack_of(number) & project.pack_of(80)}
    archive = str(project.content / "base.zip")  # the archive is opened to read its directory
    assert str(project.asset(80)) in opened
    assert opened <= written | {archive} and len(written) < 60
    invert(project, 30)
    settle()
    assert len(opened_content(project, "--paranoid")) > 90


@needs_strace
def test_a_file_that_becomes_an_archive_is_taken_apart(project, tmp_path):
    project.build()
    settle()
    with zipfile.ZipFile(project.asset(80), "w") as archive:
        archive.writestr("inside.txt", "a file in what was a file")
    settle()
    before = project.build()["inputs"]["assets"]
    assert "d0/inside.txt" in project.tool.ok("info", project.packs, "--assets").out.decode()
    assert before == 96
    assert_like_a_fresh_build(project, tmp_path / "fresh")


@pytest.mark.parametrize("opaque", [["**/*.bin"], None])
def test_files_that_were_opaque_are_looked_into(project, tmp_path, opaque):
    """A build's findings about files hold only for builds with the same settings."""
    with zipfile.ZipFile(project.asset(80), "w") as archive:
        archive.writestr("inside.txt", "a file in a file")
    project.configure(opaque=opaque)
    project.build()
    settle()
    project.configure(opaque=None if opaque else ["**/*.bin"])
    project.build()
    assert_like_a_fresh_build(project, tmp_path / "fresh")


def renamed(project):
    project.asset(70).rename(project.content / "d1" / "renamed.bin")


def added(project):
    (project.content / "new.bin").write_bytes(b"new" * 3000)


def removed(project):
    project.asset(70).unlink()


def exclude_told(project):
    project.configure(exclude=["a07*"])


def trace_removed(project):
    (project.folder / "traces" / "north.2.strace").unlink()


@pytest.mark.parametrize("lock", ["layout.lock", None], ids=["lock", "no lock"])
@pytest.mark.parametrize("change", [renamed, added, removed, exclude_told, trace_removed],
                         ids=lambda change: change.__name__)
def test_any_change_gives_what_a_fresh_build_gives(project, tmp_path, change, lock):
    project.configure(lock=lock)
    project.build()
    if change is exclude_told and lock is None:
        project.configure(lock=None, exclude=["a07*"])
    else:
        change(project)
    settle()
    project.build()
    project.tool.ok("verify", project.packs)
    assert not project.build()["changed"]
    assert_like_a_fresh_build(project, tmp_path / "fresh")


def test_one_more_recording_changes_nothing_that_is_locked(project):
    project.build()
    before = tree(project.packs)
    project.record("north", 3, range(39, 8, -1))
    settle()
    answer = project.build()
    assert not answer["changed"] and tree(project.packs) == before
    assert answer["patch"]["chunk_bytes"] == 0
    project.configure(lock=None)
    project.build()


def test_relayout_makes_a_new_layout(project, tmp_path):
    project.build()
    project.record("east", 1, range(60, 80))
    settle()
    assert "east" not in [scenario["name"] for scenario in project.build()["scenarios"]]
    answer = project.build("--relayout")
    assert "east" in [scenario["name"] for scenario in answer["scenarios"]]
    assert answer["changed"] and answer["patch"]["chunk_bytes"] > 0
    assert not project.build()["changed"]
    assert_like_a_fresh_build(project, tmp_path / "fresh")


def row_of(text, scenario):
    """Returns its row in the table of loads: runs, MB, before, after, times faster."""
    [row] = re.findall(rf"^{scenario} +(\d+) +([\d.]+) +([\d.]+) s +([\d.]+) s +([\d.]+)x$", text, re.MULTILINE)
    return [float(cell) for cell in row]


def test_a_typical_scenario_stays_as_locked(project, tmp_path):
    """Four maps share most of their assets; the assets that a fifth one would need are swept, build after build."""
    for number, name in enumerate(["isle", "gorge", "ridge", "fen"]):
        project.record(name, 1, [*range(10, 60, 2), 60 + number])
    project.configure(runs=[f"{name}*=map/{name}" for name in ("isle", "gorge", "ridge", "fen")])
    settle()
    made = project.build()
    names = [scenario["name"] for scenario in made["scenarios"]]
    assert "map/typical" in names
    edit(project.asset(30), b"x" * 5000)
    settle()
    told = project.tool.ok("build", project.folder, "--json", tmp_path / "again.json").text
    again = json.loads((tmp_path / "again.json").read_text())
    check_schema(again, "results/build")
    assert [scenario["name"] for scenario in again["scenarios"]] == names
    assert "typical" not in "".join(line for line in told.splitlines() if "warning" in line)
    layout = json.loads((project.folder / ".seekless/layout.json").read_text())
    swept = {number for number, readers in enumerate(layout["scenario_sets"])
             if names.index("map/typical") in readers}
    typical = {asset["path"] for pack in layout["packs"] for asset in pack["assets"] if asset["set"] in swept}
    shared = {project.asset(number).relative_to(project.folder / "content").as_posix() for number in range(10, 60, 2)}
    assert shared <= typical
    assert project.build()["changed"] is False


def seconds_by_demand(project):
    """Maps each scenario to its seconds if each asset is read on demand: the recordings are replayed."""
    replayed = json.loads(project.tool.ok(
        "simulate", project.folder / ".seekless/layout.json", *sorted((project.folder / "traces").iterdir()),
        "--content", project.folder / "content", "--policy", "demand", "--json", "-").out)
    return {scenario["name"]: scenario["after_seconds"] for scenario in replayed["verdict"]["scenarios"]}


def test_a_fresh_clone_with_a_lock_tells_what_loads_take(project, tmp_path):
    """In CI, the state of the build that made the lock is missing."""
    project.configure(report={"markdown": "build.md", "html": "build.html"})
    project.record("menu", 3, [*range(0, 10), 70, 71])  # noise that the other runs don't read
    settle()
    made = project.build()
    clone = project.copy(tmp_path / "clone")
    told = clone.tool.ok("build", clone.folder, "--json", tmp_path / "clone.json").text
    answer = json.loads((tmp_path / "clone.json").read_text())
    check_schema(answer, "results/build")
    assert [scenario["name"] for scenario in answer["scenarios"]] == ["menu", "north", "south"]
    demanded = seconds_by_demand(clone)
    for here, there in zip(made["scenarios"], answer["scenarios"], strict=True):
        assert there["today"] == here["today"] and there["runs"] == here["runs"]
        for key in ("needed_bytes", "bound_s", "held_out", "unseen_assets"):
            assert there["predicted"][key] == here["predicted"][key]
        # One prediction is for layouts made for the load, the other for the rest of this layout.
        assert there["predicted"]["sweep_s"] == pytest.approx(here["predicted"]["sweep_s"], rel=0.25)
        # A seek is a third of such a load, and layouts differ in seeks, so this compares with a replay of this layout.
        assert there["predicted"]["demand_s"] == pytest.approx(demanded[there["name"]], rel=0.25)
        row = row_of(told, there["name"])
        assert row[0] == here["runs"]
        assert row[2:4] == pytest.approx([there["today"]["seconds"], there["predicted"]["sweep_s"]], abs=0.006)
    assert answer["scenarios"][0]["predicted"]["unseen_assets"] > 0
    assert answer["prediction"]["seconds"] == pytest.approx(made["prediction"]["seconds"], rel=0.25)
    assert answer["verdict"] == made["verdict"]
    for page in ("build.md", "build.html"):
        text = (clone.folder / page).read_text()
        assert "No load was measured" not in text and "north" in text


def test_a_relayout_right_after_a_recording_tells_all_loads(project, tmp_path):
    project.build()
    project.record("east", 1, range(60, 80))
    project.record("menu", 3, range(0, 20))
    settle()
    kept = project.build()
    assert all(scenario["today"] and scenario["predicted"] for scenario in kept["scenarios"])
    told = project.tool.ok("build", project.folder, "--relayout", "--json", tmp_path / "answer.json").text
    answer = json.loads((tmp_path / "answer.json").read_text())
    for scenario in answer["scenarios"]:
        assert row_of(told, scenario["name"])[2:4] == pytest.approx(
            [scenario["today"]["seconds"], scenario["predicted"]["sweep_s"]], abs=0.006)
    menu = answer["scenarios"][[scenario["name"] for scenario in answer["scenarios"]].index("menu")]
    assert menu["runs"] == 3 and menu["today"] == kept["scenarios"][0]["today"]
    # The figures are for the present packs, not for the earlier ones.
    assert [load["name"] for load in answer["verdict"]["scenarios"]] == ["east", "menu", "north", "south"]
    fresh = project.copy(tmp_path / "fresh")
    assert fresh.build()["verdict"] == answer["verdict"]


# ---- outputs and state that others touched ----------------------------------------------------

def flip(path, at):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1]))


@pytest.mark.parametrize("name", ["cold.skl", "catalog.skl"])
@pytest.mark.parametrize("how", ["gone", "cut", "flipped", "replaced"])
def test_an_output_that_was_touched_is_made_again(project, name, how):
    project.build()
    expected = tree(project.packs)
    path = project.packs / name
    if how == "gone":
        path.unlink()
    elif how == "cut":
        os.truncate(path, path.stat().st_size // 2)
    elif how == "flipped":
        flip(path, path.stat().st_size - 100)
    else:
        path.write_bytes(b"not a pack at all" * 100)
    assert project.tool.run("build", project.folder, "--check").code == FAILED
    assert name in str(project.build()["reasons"])
    assert tree(project.packs) == expected
    assert not project.build()["changed"]


def test_an_output_that_was_copied_back_is_kept(project, tmp_path):
    project.build()
    shutil.copytree(project.packs, tmp_path / "saved")
    shutil.rmtree(project.packs)
    shutil.copytree(tmp_path / "saved", project.packs)
    assert project.written() == set()
    assert not project.build()["changed"]


def test_outputs_that_are_gone_are_made_again(project):
    project.build()
    expected = tree(project.packs)
    shutil.rmtree(project.packs)
    assert project.build()["changed"]
    assert tree(project.packs) == expected


@pytest.mark.parametrize("how", ["gone", "empty", "cut", "flipped", "another"])
def test_a_state_that_is_gone_or_damaged_costs_only_time(project, how):
    project.build()
    expected = tree(project.packs)
    state = project.folder / ".seekless"
    path = state / "state"
    if how == "gone":
        shutil.rmtree(state)
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "cut":
        os.truncate(path, path.stat().st_size // 3)
    elif how == "flipped":
        flip(path, 500)
    else:
        path.write_text("something else")
    answer = project.build()
    assert tree(project.packs) == expected
    assert any(str(path) in warning for warning in answer["warnings"]) == (how != "gone")
    assert not project.build()["changed"]


def test_a_profile_of_recordings_that_are_gone_again_is_made_anew(project):
    """A build leaves this state if it is killed after making the profile, before it stores the profile's inputs."""
    project.configure(lock=None)
    settle()
    project.build()
    expected, state = tree(project.packs), (project.folder / ".seekless" / "state").read_bytes()
    project.record("east", 1, range(60, 80))
    settle()
    project.build()
    assert tree(project.packs) != expected
    (project.folder / "traces" / "east.1.strace").unlink()
    (project.folder / ".seekless" / "state").write_bytes(state)
    assert "east" not in [scenario["name"] for scenario in project.build()["scenarios"]]
    assert tree(project.packs) == expected
    assert not project.build()["changed"]


def test_paranoid_reads_everything(project):
    project.build()
    size = sum(path.stat().st_size for path in project.content.rglob("*.bin"))
    answer = project.build("--paranoid")
    assert answer["inputs"]["hashed_bytes"] >= size and not answer["changed"]


# ---- what is said -----------------------------------------------------------------------------

def test_explain_names_what_changed(project):
    project.configure(lock=None)
    project.build()
    edit(project.asset(30), b"x" * 77)
    settle()
    text = project.tool.ok("build", "--explain", cwd=project.folder).text
    assert "d2/a030.bin: size" in text and "-> 77" in text
    assert "1 asset changed, such as 'd2/a030.bin'" in text
    assert max(len(line) for line in text.splitlines() if not line.startswith("next: ")) <= 80


def test_check_writes_nothing(project):
    project.build()
    edit(project.asset(30), b"x" * 77)
    settle()
    before = tree(project.folder)
    refused = project.tool.run("build", project.folder, "--check")
    assert refused.says("seekless.json", "up to date").code == FAILED
    assert tree(project.folder) == before
    fresh = project.copy(project.folder.parent / "fresh")
    assert fresh.tool.run("build", fresh.folder, "--check").code == FAILED
    assert not (fresh.folder / ".seekless").exists() and not fresh.packs.exists()


@pytest.mark.parametrize("text, parts", [
    ('{"contant": ["content"]}', ["'contant'", "'content'?"]),
    ('{"content": []}', ["content", "none"]),
    ('{"content": "content"}', ["content", "a list"]),
    ('{"content": ["content"]}', ["outputs", "nothing"]),
    ('{"content": ["content"], "outputs": {"pakcs": {}}}', ["outputs", "'packs'?"]),
    ('{"content": ["content"], "outputs": {"packs": {"folder": "content/p"}}}', ["outputs", "'p/**'"]),
    ('{"content": ["content"], "outputs": {"packs": {"folder": "p", "codec": "zip"}}}', ["codec", "'zip'"]),
    ('{"content": ["content"], "threads": 0, "outputs": {"packs": {"folder": "p"}}}', ["threads", "1 to 64"]),
    ('{"content": ["none"], "outputs": {"packs": {"folder": "p"}}}', ["none", "nothing of that name"]),
    ('{"content": ["content"], "traces": ["t/*.x"], "outputs": {"packs": {"folder": "p"}}}', ["t/*.x", "record"]),
    ('{', ["seekless.json", "schemas/build.schema.json"]),
])
def test_a_wrong_build_file_is_refused(project, text, parts):
    (project.folder / "seekless.json").write_text(text)
    assert project.tool.run("build", project.folder).says(*parts).code == USAGE
    assert not project.packs.exists()


def test_no_build_file(tool, tmp_path):
    assert tool.run("build", tmp_path).says("seekless.json", "seekless init").code == USAGE


def test_recordings_of_other_content_are_refused(project):
    project.configure(content=["traces"], traces=["traces/*.strace"])
    assert project.tool.run("build", project.folder).says("expected").code == DAMAGED


def test_a_folder_that_holds_something_else_is_left_alone(project):
    project.packs.mkdir()
    (project.packs / "thesis.txt").write_text("mine")
    project.tool.run("build", project.folder).says("thesis.txt")
    assert (project.packs / "thesis.txt").read_text() == "mine"


def test_plan_reads_the_same_build_file(project, tmp_path):
    traces = sorted((project.folder / "traces").iterdir())
    answer = project.tool.json("plan", *traces, "--content", project.content, "--build",
                               project.folder / "seekless.json", "-o", tmp_path / "layout.json")
    assert answer["packs"]
    assert json.loads((tmp_path / "layout.json").read_text())["block_bytes"] == 65536


# ---- two at once ------------------------------------------------------------------------------

def holder(folder):
    return subprocess.Popen(["python3", "-c", "import fcntl, os, sys, time\n"
                             "fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX)\n"
                             "print(flush=True)\ntime.sleep(60)", folder], stdout=subprocess.PIPE)


@pytest.mark.parametrize("where", [".seekless", "packs"])
def test_a_second_build_names_the_first(project, where):
    project.build()
    edit(project.asset(30), b"x" * 77)
    settle()
    before = tree(project.packs)
    first = holder(project.folder / where)
    try:
        first.stdout.readline()
        refused = project.tool.run("build", project.folder)
        assert refused.says(str(project.folder / where), f"process {first.pid}", "wait").code == FAILED
        if where == "packs":
            layout = project.folder / ".seekless/layout.json"
            project.tool.run("pack", layout, "-o", project.packs).says(f"process {first.pid}")
        assert tree(project.packs) == before
    finally:
        first.kill()
        first.wait()
    assert project.build()["changed"]


# ---- init -------------------------------------------------------------------------------------

def test_init_writes_a_file_that_builds(project):
    os.remove(project.folder / "seekless.json")
    answer = project.tool.json("init", project.folder)
    assert answer["content"] == "content" and answer["recordings"] == 6
    assert answer["traces"] == ["traces/*.strace"]
    project.build()
    assert not project.build()["changed"]
    project.tool.run("init", project.folder).says("one", "edit it")


def test_init_of_a_folder_with_content_right_in_it(tool, tmp_path):
    (tmp_path / "a.bin").write_bytes(b"a" * 1000)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.bin").write_bytes(b"c" * 1000)
    answer = tool.json("init", cwd=tmp_path)
    assert answer["content"] == "." and answer["files"] == 2
    settle()
    made = tool.ok("build", cwd=tmp_path)
    assert "no recordings" in made.err
    listed = tool.ok("info", "--assets", tmp_path / "packs").text
    assert "a.bin" in listed and "b/c.bin" in listed and "seekless.json" not in listed
    assert "nothing to do" in tool.ok("build", cwd=tmp_path).text


def test_init_of_an_empty_folder_is_refused(tool, tmp_path):
    tool.run("init", tmp_path).says("content")
    assert list(tmp_path.iterdir()) == []


# ---- zips -------------------------------------------------------------------------------------

def test_zips_are_made_too_and_only_where_need_be(project):
    """Puts the archive's recorded entries in load order; an edit elsewhere leaves the archive unchanged."""
    archive = project.content / "base.zip"
    (project.folder / "traces" / "zip.1.strace").write_text(
        f'7 1.0 openat(AT_FDCWD, "{archive}", O_RDONLY) = 3<{archive}> <0.00001>\n'
        f'7 1.1 pread64(3<{archive}>, ""..., 60000, 0) = 60000 <0.00001>\n')
    project.configure(outputs={"packs": {"folder": "packs"}, "zips": {"folder": "zips"}})
    settle()
    first = project.build()
    assert first["zips"]["fate"] == "written"
    assert [of["name"] for of in first["zips"]["archives"]] == ["base.zip"]
    made = tree(project.folder / "zips")
    assert "base.zip" in made
    assert project.build()["zips"]["fate"] == "kept"
    edit(project.asset(30), b"x" * 77)
    settle()
    assert project.build()["zips"]["fate"] == "kept"
    (project.folder / "zips" / "base.zip").unlink()
    assert project.build()["zips"]["fate"] == "written"
    assert tree(project.folder / "zips") == made
    assert not project.build()["changed"]


@pytest.mark.parametrize("outputs", [("zips",), ("packs", "zips")])
def test_zips_of_content_without_an_archive_are_none(project, outputs):
    (project.content / "base.zip").unlink()
    project.configure(outputs={name: {"folder": name} for name in outputs})
    first = project.build()
    assert first["changed"]
    assert not project.build()["changed"]
    assert not (project.folder / "zips" / ".seekless-new").exists()
    with zipfile.ZipFile(project.content / "late.zip", "w") as archive:
        archive.writestr("a.txt", "late " * 1000)
    project.build()
    assert (project.folder / "zips" / "late.zip").exists()
    (project.content / "late.zip").unlink()
    project.build()
    assert not (project.folder / "zips" / "late.zip").exists()


@pytest.mark.parametrize("key, told", [("lock", {"lock": "packs/layout.lock"}),
                                       ("report, html", {"report": {"html": "packs/report.html"}}),
                                       ("state", {"state": "packs/state"})])
def test_nothing_else_is_written_into_the_packs(project, key, told):
    """Otherwise the next build would find the file there, and refuse."""
    project.configure(**told)
    project.tool.run("build", project.folder).says("seekless.json", key, "outside of the")
    assert not project.packs.exists()
    project.configure(rules=[{"match": "a001.bin", "pack": "p"}, {"match": "a002.bin", "pack": "P"}])
    project.tool.run("build", project.folder).says("seekless.json", "rules, number 2", "case")
    project.configure(rules=[{"match": "a001.bin", "pack": "CATALOG"}])
    project.tool.run("build", project.folder).says("seekless.json", "rules, number 1", "catalog")
