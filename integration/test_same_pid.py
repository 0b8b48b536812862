"""Several independent programs write to one folder: with the same process number, as in containers or on the machines
of a farm; with links planted where they write; into files that others may not read."""
import contextlib
import os
import shutil
import stat
import subprocess
import threading
import time

import pytest

from test_repack_in_place import Home
from tool import DONE, tree

ROUNDS = 10


def own_numbers():
    """Returns a prefix that runs a command as process 1 of a new pid name space."""
    return ["unshare", "-pf"] if os.geteuid() == 0 else ["unshare", "-Urpf"]


def can_have_own_numbers():
    return subprocess.run([*own_numbers(), "true"], capture_output=True).returncode == 0


needs_numbers = pytest.mark.skipif(not can_have_own_numbers(), reason="needs the right to unshare")


def at_once(commands):
    running = [subprocess.Popen([*own_numbers(), *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
               for command in commands]
    return [(process.communicate(timeout=120)[1], process.returncode) for process in running]


def left_in(folder):
    return [path for path in folder.rglob("*") if path.name.endswith(".tmp")]


@needs_numbers
def test_processes_of_one_number_make_the_packs_of_one_farm(tool, made, tmp_path):
    packs = [pack["name"] for pack in tool.json("pack", made.layout, "--list-packs")["packs"]][:3]
    assert len(packs) == 3
    for number in range(ROUNDS):
        farm = tmp_path / f"farm{number}"
        farm.mkdir()
        ends = at_once([tool.command("pack", made.layout, "--only", name, "--codec", "raw", "-o", farm / f"{name}.skl")
                        for name in packs])
        assert [code for _, code in ends] == [DONE] * 3, ends
        assert left_in(farm) == []
        for name in packs:
            assert (farm / f"{name}.skl").read_bytes() == (made.packs / f"{name}.skl").read_bytes(), name


@needs_numbers
def test_processes_of_one_number_may_write_the_same_file(tool, made, tmp_path):
    name = tool.json("pack", made.layout, "--list-packs")["packs"][0]["name"]
    output = tmp_path / "farm" / "one.skl"
    output.parent.mkdir()
    for _ in range(ROUNDS):
        ends = at_once([tool.command("pack", made.layout, "--only", name, "--codec", "raw", "-o", output)] * 3)
        assert [code for _, code in ends] == [DONE] * 3, ends
        assert output.read_bytes() == (made.packs / f"{name}.skl").read_bytes()
        assert left_in(output.parent) == []


@needs_numbers
def test_links_that_are_planted_lead_nowhere(tool, made, tmp_path):
    """Earlier versions wrote to names that anybody could predict."""
    farm, victim = tmp_path / "farm", tmp_path / "victim"
    farm.mkdir()
    victim.write_text("mine")
    for process in (1, 2, 3):
        for count in range(4):
            (farm / f".seekless-{process}-{count}.tmp").symlink_to(victim)
    name = tool.json("pack", made.layout, "--list-packs")["packs"][0]["name"]
    (_, code), = at_once([tool.command("pack", made.layout, "--only", name, "--codec", "raw", "-o", farm / "a.skl")])
    assert code == DONE
    assert victim.read_text() == "mine"
    assert (farm / "a.skl").read_bytes() == (made.packs / f"{name}.skl").read_bytes()


@pytest.mark.parametrize("linked", ["folder", "folder within"])
def test_a_patch_in_place_removes_nothing_through_a_link(tool, made, tmp_path, linked):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "other.skl").write_bytes(b"mine")
    packs = tmp_path / "packs"
    shutil.copytree(made.packs, packs)
    tool.ok("patch", made.packs, made.lz4_packs, "-o", tmp_path / "to-lz4")
    if linked == "folder":
        (packs / ".seekless-new").symlink_to(mine)
    else:
        (packs / ".seekless-new").mkdir()
        (packs / ".seekless-new" / "sub").symlink_to(mine)
    old = tree(packs)
    tool.run("apply", packs, tmp_path / "to-lz4").says(".seekless-new", "symbolic link", "remove it")
    assert tree(mine) == {"other.skl": b"mine"}
    assert tree(packs) == old
    if linked == "folder":
        (packs / ".seekless-new").unlink()
    else:
        shutil.rmtree(packs / ".seekless-new")
    tool.ok("apply", packs, tmp_path / "to-lz4")
    assert tree(packs) == tree(made.lz4_packs)


# ---- who may read what ------------------------------------------------------------------------

def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def access(path):
    status = path.stat()
    return stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid


class Watcher(threading.Thread):
    """Keeps examining every file below a folder, and notes the mode, owner and group of temporary files."""

    def __init__(self, folder):
        super().__init__()
        self.folder, self.seen, self.ends = folder, set(), False

    def run(self):
        while not self.ends:
            with contextlib.suppress(OSError):  # the folder comes and goes; temporary files are renamed
                for path in left_in(self.folder):
                    self.seen.add(access(path))
            time.sleep(0)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        self.join()


@pytest.mark.parametrize("given", [0o600, 0o640])
def test_an_archive_that_others_may_not_read_is_never_open_to_them(tool, tmp_path, given):
    home = Home(tool, tmp_path, archives=2, size=1_000_000)
    for path in home.home.rglob("*.pk3"):
        path.chmod(given)
        given_access = access(path)
    seen = set()
    for _ in range(20):
        with Watcher(home.home / ".seekless-originals" / "new") as watcher:
            home.repack()
        seen |= watcher.seen
        assert {mode(path) for path in home.home.rglob("*.pk3")} == {given}
        home.restore()
        if any(one[0] == 0o600 for one in seen):
            break
    assert any(one[0] == 0o600 for one in seen)
    # It gets the owner and group of the file that it replaces, then the mode, and then the name.
    assert {one for one in seen if one[0] != 0o600} <= {given_access}


def test_a_file_keeps_its_mode_when_it_is_replaced(tool, made, tmp_path):
    packs = tmp_path / "packs"
    tool.ok("pack", made.layout, "-o", packs)
    for path in packs.iterdir():
        path.chmod(0o600)
    tool.ok("pack", made.layout, "-o", packs, "--codec", "lz4")
    assert {mode(path) for path in packs.iterdir()} == {0o600}
    tool.ok("patch", made.lz4_packs, made.packs, "-o", tmp_path / "to-raw")
    tool.ok("apply", packs, tmp_path / "to-raw")
    assert {mode(path) for path in packs.iterdir()} == {0o600}
    assert tree(packs) == tree(made.packs)
    layout = tmp_path / "layout.json"
    layout.write_text("{}")
    layout.chmod(0o604)
    tool.ok("plan", *made.traces, "--content", made.game.folder, "-o", layout)
    assert mode(layout) == 0o604


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_file_keeps_its_owner_when_it_is_replaced(tool, made, tmp_path):
    layout = tmp_path / "layout.json"
    layout.write_text("{}")
    layout.chmod(0o640)
    os.chown(layout, 1234, 4321)
    tool.ok("plan", *made.traces, "--content", made.game.folder, "-o", layout)
    status = layout.stat()
    assert (status.st_uid, status.st_gid, mode(layout)) == (1234, 4321, 0o640)
    # If the user can't give the file to its group, the group gets no more rights than everybody had.
    os.chown(tmp_path, 1234, 1234)
    for above in tmp_path.parents:
        if above.stat().st_mode & 0o005 != 0o005:
            return  # the other user can't enter this folder
    done = subprocess.run(["setpriv", "--reuid", "1234", "--regid", "1234", "--clear-groups", *tool.command(
        "plan", *made.traces, "--content", made.game.folder, "-o", layout)], capture_output=True)
    if done.returncode == DONE:
        assert (layout.stat().st_uid, layout.stat().st_gid, mode(layout)) == (1234, 1234, 0o600)
