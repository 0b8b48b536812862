"""A user who may write to an output swaps its folders for links while a command works there. Nothing outside is ever
made, changed or removed, not even for a moment, which would change the outer folder's time.

SEEKLESS_LONG=1 makes twenty times as many runs."""
import errno
import os
import shutil
import subprocess

import pytest

from faults import Faults
from programs import build_preload
from project import Project, edit
from test_repack_in_place import Home
from tool import DAMAGED, DONE, FAILED, TOP, tree

RUNS = 120 if os.environ.get("SEEKLESS_LONG") == "1" else 6
NEW, OLD, ORIGINALS = ".seekless-new", ".seekless-old", ".seekless-originals"


@pytest.fixture(scope="session")
def swapper(tmp_path_factory):
    program = tmp_path_factory.mktemp("swapper") / "swap_links"
    subprocess.run(["cc", "-O1", "-o", program, TOP / "integration" / "swap_links.c"], check=True)
    return program


@pytest.fixture(scope="session")
def no_openat2(tmp_path_factory):
    return build_preload("no_openat2", tmp_path_factory.mktemp("preload"))


@pytest.fixture(params=["openat2", "ENOSYS", "EPERM"])
def env(request, no_openat2):
    """Runs with the kernel's own protection and without it: older kernels lack it, and a filter of calls may refuse
    it."""
    if request.param == "openat2":
        return {}
    return {"LD_PRELOAD": str(no_openat2), "NO_OPENAT2": str(getattr(errno, request.param))}


class Outside:
    """Makes another user's folders, with names that the command uses, and links to them."""

    def __init__(self, folder, names):
        self.folder, self.links = folder / "outside", folder / "links"
        self.links.mkdir()
        for name, like in names.items():
            theirs = self.folder / name
            if like is not None and like.is_dir():
                shutil.copytree(like, theirs)
            theirs.mkdir(parents=True, exist_ok=True)
            (theirs / "catalog.skl").write_bytes(b"theirs")
            (self.links / name).symlink_to(theirs)
        self.before = self.look()

    def look(self):
        """Returns every name, its content, and when the names in each folder last changed."""
        folders = [self.folder, *(path for path in self.folder.rglob("*") if path.is_dir())]
        return tree(self.folder), {str(path): path.stat().st_mtime_ns for path in folders}


class Race:
    """`swapped` maps the name of a link to the folder of the output that it replaces."""

    def __init__(self, swapper, tool, folder, swapped, like=None):
        self.tool, self.swapper = tool, swapper
        self.swapped = swapped
        self.outside = Outside(folder, {name: (like or {}).get(name) for name in swapped})

    def run(self, *arguments, env=None):
        words = [word for name, path in self.swapped.items() for word in (path, self.outside.links / name)]
        swapping = subprocess.Popen([self.swapper, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            answer = self.tool.run(*arguments, env=env)
        finally:
            self.swaps = int(swapping.communicate()[0])
        assert answer.code in (DONE, FAILED, DAMAGED), str(answer)
        assert self.outside.look() == self.outside.before, str(answer)
        # Puts everything back in its place.
        for name, path in self.swapped.items():
            link = self.outside.links / name
            if path.is_symlink():
                path.unlink()
                if link.is_dir() and not link.is_symlink():
                    shutil.move(link, path)
            elif not link.is_symlink() and link.is_dir():
                shutil.rmtree(link)
            link.unlink(missing_ok=True)
            link.symlink_to(self.outside.folder / name)
        return answer


def test_extract(tool, made, swapper, tmp_path, env):
    out = tmp_path / "out"
    tool.ok("extract", made.packs, "-o", out)
    whole = tree(out)
    folders = sorted({path.parent for path in out.rglob("*") if path.is_file() and path.parent != out})[:4]
    race = Race(swapper, tool, tmp_path, {f"f{number}": folder for number, folder in enumerate(folders)})
    swaps = 0
    for _ in range(RUNS):
        shutil.rmtree(out)
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
        answer = race.run("extract", made.packs, "-o", out, env=env)
        swaps += race.swaps
        # Between finding a link and examining it, the folder may have come back, so the message doesn't always mention
        # a link.
        if answer.code == FAILED:
            answer.says("found ")
    assert swaps > RUNS
    shutil.rmtree(out)
    tool.ok("extract", made.packs, "-o", out, env=env)
    assert tree(out) == whole


def homes(tool, folder):
    home = Home(tool, folder, archives=3)
    home.learn_new()
    return home


def test_repack_in_place_and_restore(tool, swapper, tmp_path, env):
    home = homes(tool, tmp_path)
    kept = {"sub": home.home / "sub", "originals": home.home / ORIGINALS, "new": home.home / ORIGINALS / "new",
            "files": home.home / ORIGINALS / "files", "new-sub": home.home / ORIGINALS / "new" / "sub"}
    race = Race(swapper, tool, tmp_path, kept, {"sub": home.home / "sub"})
    old, repacked = tmp_path / "old", tmp_path / "repacked"
    shutil.copytree(home.home, old)
    home.repack()
    shutil.copytree(home.home, repacked)
    for before, arguments in ((old, home.command), (repacked, ("restore", home.home, "--force"))):
        for _ in range(RUNS):
            shutil.rmtree(home.home)
            shutil.copytree(before, home.home)
            race.run(*arguments, env=env)


def test_repack_to_a_folder(tool, swapper, tmp_path, env):
    home = homes(tool, tmp_path)
    out = tmp_path / "out"
    arguments = ("repack", home.trace, "--content", home.home, "-o", out)
    race = Race(swapper, tool, tmp_path, {"new": out / NEW, "sub": out / "sub", "new-sub": out / NEW / "files" / "sub"})
    for _ in range(RUNS):
        shutil.rmtree(out, ignore_errors=True)
        tool.ok(*arguments)  # an earlier output, which is replaced
        race.run(*arguments, env=env)


def test_pack(tool, made, swapper, tmp_path, env):
    out = tmp_path / "out"
    race = Race(swapper, tool, tmp_path, {"new": out / NEW}, {"new": made.lz4_packs})
    for _ in range(RUNS):
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(made.lz4_packs, out)
        (out / NEW).mkdir()
        race.run("pack", made.layout, "-o", out, "--codec", "raw", env=env)
        tool.ok("verify", out)


def test_apply(tool, made, swapper, tmp_path, env):
    out, patch = tmp_path / "out", tmp_path / "patch"
    tool.ok("patch", made.packs, made.lz4_packs, "-o", patch)
    race = Race(swapper, tool, tmp_path, {"new": out / NEW, "old": out / OLD}, {"new": made.packs, "old": made.packs})
    for number in range(RUNS):
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(made.packs, out)
        (out / NEW).mkdir()
        if number % 3 == 1:
            tool.ok("apply", out, patch, "--keep-old")
            race.run("apply", out, "--rollback", env=env)
        else:
            race.run("apply", out, patch, *(["--keep-old"] if number % 3 == 0 else ["--file-by-file"]), env=env)


def test_build(tool, swapper, tmp_path, env):
    project = Project(tool, tmp_path / "game", assets=30)
    project.build()
    race = Race(swapper, tool, tmp_path, {"new": project.packs / NEW})
    for number in range(RUNS // 2):
        edit(project.asset(number), bytes([number]) * 3000)
        (project.packs / NEW).mkdir(exist_ok=True)
        race.run("build", project.folder, env=env)
    project.build()


# ---- at moments that are chosen -----------------------------------------------------------------

@pytest.mark.parametrize("number", [20, 100, 200])
def test_a_folder_that_is_swapped_before_a_file_is_made(tool, made, tmp_path, number):
    """The file is written into the original folder, even if that was renamed. The next file is refused, and the message
    names the link."""
    out, theirs, moved = tmp_path / "out", tmp_path / "theirs", tmp_path / "moved"
    faults = Faults(tmp_path)
    tool.ok("extract", made.packs, "-o", out)
    whole = tree(out)
    shutil.rmtree(out)
    theirs.mkdir()
    moved.mkdir()
    out.mkdir()
    swap = f"for f in {out}/*/; do f=${{f%/}}; mv $f {moved}/ && ln -s {theirs} $f; done"
    answer = tool.run("extract", made.packs, "-o", out,
                      env=faults.env(open=number, open_end=".tmp", open_do=swap))
    assert answer.code == FAILED
    answer.says(f"{out}/", "symbolic link", "remove it")
    assert not any(theirs.iterdir())
    for name, data in {**tree(moved), **tree(out)}.items():
        if data is not None:
            assert whole[name] == data and not name.endswith(".tmp")


@pytest.mark.parametrize("linked", ["folder", "file"])
def test_links_that_are_there_already(tool, made, tmp_path, linked):
    """A link to a folder is refused by its name; a link to a file is replaced, if anything is."""
    out, theirs = tmp_path / "out", tmp_path / "theirs"
    tool.ok("extract", made.packs, "-o", out)
    name = next(name for name in tree(out) if "/" in name)
    if linked == "folder":
        top = out / name.split("/")[0]
        shutil.move(top, theirs)
        top.symlink_to(theirs)
    else:
        theirs.mkdir()
        shutil.move(out / name, theirs / "file")
        (out / name).symlink_to(theirs / "file")
    before = tree(theirs)
    for options in ((), ("--overwrite",)):
        answer = tool.run("extract", made.packs, "-o", out, *options)
        if linked == "folder":
            assert answer.code == FAILED
            answer.says(top, "symbolic link", "remove it")
        else:
            assert answer.code == DONE
        assert tree(theirs) == before
    assert linked == "folder" or not (out / name).is_symlink()


def test_an_output_that_is_reached_by_a_link(tool, made, tmp_path):
    """The output itself is the user's choice, which may be a link to another disk."""
    real, named = tmp_path / "disk" / "real", tmp_path / "named"
    real.mkdir(parents=True)
    named.symlink_to(real)
    tool.ok("extract", made.packs, "-o", named)
    assert len(tree(real)) > 3
    shutil.rmtree(real)
    real.mkdir()
    for _ in range(2):
        tool.ok("pack", made.layout, "-o", named, "--codec", "raw")
        assert tree(real) == tree(made.packs)
    tool.ok("patch", made.packs, made.lz4_packs, "-o", named / "patch")
    shutil.move(real / "patch", tmp_path / "patch")
    tool.ok("apply", named, tmp_path / "patch")
    assert tree(real) == tree(made.lz4_packs)
    assert named.is_symlink()
