"""`seekless mount`: a pack set as a read-only folder has the assets' names, sizes and bytes, shows their places, sweeps
scenarios, and can be unmounted like any other."""
import concurrent.futures
import contextlib
import errno
import json
import os
import shutil
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest

from game import noise
from programs import build_preload
from test_play import ROOT_ONLY, WAIT_S, pytestmark  # noqa: F401, as what is needed is the same
from tool import FAILED, as_nobody, give_to_nobody, tree

NO_FUSERMOUNT = shutil.which("fusermount3") is None
needs_fusermount = pytest.mark.skipif(NO_FUSERMOUNT, reason="there is no fusermount3")


def scenarios_in(folder):
    """Maps each name to its folder; names may contain '/'."""
    top = folder / ".seekless" / "scenarios"
    return {order.parent.relative_to(top).as_posix(): order.parent for order in top.rglob("order.txt")}


def unmount(folder):
    return subprocess.run(["umount", folder], capture_output=True).returncode


@pytest.fixture
def folder(tmp_path):
    """Clears away mounts that are left on the folder."""
    place = tmp_path / "shown"
    place.mkdir()
    yield place
    while place.exists() and os.path.ismount(place) and unmount(place) == 0:
        pass


@pytest.fixture
def shown(tool, folder):
    def mount(packs, *options):
        tool.ok("mount", packs, folder, *options)
        return folder

    return mount


@pytest.mark.parametrize("codec", ["packs", "lz4_packs"])
def test_it_shows_every_asset_byte_for_byte(tool, made, shown, tmp_path, codec):
    packs = getattr(made, codec)
    tool.ok("extract", packs, "-o", tmp_path / "extracted")
    before = tree(packs)
    folder = shown(packs)
    assert tree(folder) == tree(tmp_path / "extracted")
    listed = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    assert listed == {path.relative_to(tmp_path / "extracted").as_posix() for path in (tmp_path / "extracted").rglob("*")}
    assert tree(packs) == before


def test_its_files_are_as_files_are(tool, made, shown):
    folder = shown(made.packs)
    sizes = {asset["path"]: asset["bytes"] for asset in tool.json("info", "--assets", made.packs)["assets"]}
    for path, size in sizes.items():
        status = (folder / path).stat()
        assert status.st_size == size and stat.S_IMODE(status.st_mode) == 0o444 and stat.S_ISREG(status.st_mode)
        assert status.st_uid == os.geteuid() and status.st_blocks == -(-size // 512)
        assert status.st_mtime_ns == made.packs.stat().st_mtime_ns
    assert len({path.stat().st_ino for path in folder.rglob("*")}) == len(list(folder.rglob("*")))
    space = os.statvfs(folder)
    assert space.f_blocks * space.f_frsize >= sum(path.stat().st_size for path in made.packs.glob("*-*.skl")) > 0
    assert space.f_bavail == 0 and space.f_flag & os.ST_RDONLY
    for call in (lambda: (folder / "new").write_text(""), lambda: (folder / "new").mkdir(),
                 lambda: os.unlink(folder / next(iter(sizes))), lambda: open(folder / next(iter(sizes)), "r+b")):
        with pytest.raises(OSError) as refused:
            call()
        assert refused.value.errno == 30
    with pytest.raises(FileNotFoundError):
        open(folder / "no such file")


def test_attributes_tell_where_an_asset_lies(tool, made, shown):
    folder = shown(made.packs)
    for asset in tool.json("info", "--assets", made.packs)["assets"]:
        file = folder / asset["path"]
        told = {name: os.getxattr(file, name).decode() for name in os.listxattr(file)}
        assert (made.packs / told["user.seekless.pack"]).exists()
        if asset["bytes"] == 0:
            assert told["user.seekless.offset"] == "none"
            continue
        with open(made.packs / told["user.seekless.pack"], "rb") as pack:
            pack.seek(int(told["user.seekless.offset"]))
            assert pack.read(asset["bytes"]) == file.read_bytes()
        assert len(told["user.seekless.hash"]) == 32
    with pytest.raises(OSError):
        os.getxattr(folder, "user.seekless.pack")
    scenarios = {os.getxattr(path, "user.seekless.scenarios").decode() for path in folder.rglob("*")
                 if path.is_file() and "user.seekless.scenarios" in os.listxattr(path)}
    assert {one for some in scenarios for one in some.split(",")} == set(scenarios_in(folder)) == {"menu", "map/one"}


@pytest.mark.parametrize("name", ["a/" * 300_000 + "b", "b" * 5000, "a//b"], ids=["deep", "long", "empty part"])
def test_a_scenario_that_no_folder_can_be_named_after_is_left_out(tool, made, folder, tmp_path, name):
    layout = json.loads(made.layout.read_text())
    left, = [scenario for scenario in layout["scenarios"] if scenario["name"] == "menu"]
    left["name"] = name
    (tmp_path / "layout.json").write_text(json.dumps(layout))
    tool.ok("pack", tmp_path / "layout.json", "-o", tmp_path / "packs")
    done = tool.ok("mount", tmp_path / "packs", folder)
    assert "1 scenario without a folder in '.seekless'" in done.err
    assert set(scenarios_in(folder)) == {"map/one"}
    assert tree(folder)


def test_a_scenario_as_deep_as_a_path_may_be_has_a_folder(tool, made, shown, tmp_path):
    layout = json.loads(made.layout.read_text())
    deep, = [scenario for scenario in layout["scenarios"] if scenario["name"] == "menu"]
    deep["name"] = "a/" * 1500 + "menu"
    (tmp_path / "layout.json").write_text(json.dumps(layout))
    tool.ok("pack", tmp_path / "layout.json", "-o", tmp_path / "packs")
    top = shown(tmp_path / "packs") / ".seekless" / "scenarios"
    assert (top / deep["name"] / "order.txt").read_text().splitlines()


def test_scenarios_are_folders_that_lists_do_not_show(made, shown):
    folder = shown(made.packs, "--always")
    assert ".seekless" not in os.listdir(folder)
    for scenario in scenarios_in(folder).values():
        order = (scenario / "order.txt").read_text().splitlines()
        assert order and all((folder / path).is_file() for path in order)
        assert (scenario / "order.txt").stat().st_size == len((scenario / "order.txt").read_bytes())
    for path in order:
        assert (folder / path).stat().st_size == len((folder / path).read_bytes())


def test_many_threads_read_at_once(tool, made, shown, tmp_path):
    tool.ok("extract", made.lz4_packs, "-o", tmp_path / "extracted")
    expected = tree(tmp_path / "extracted")
    folder = shown(made.lz4_packs, "--always")
    for scenario in scenarios_in(folder).values():
        os.listdir(scenario)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for name, content in pool.map(lambda name: (name, (folder / name).read_bytes()), list(expected) * 3):
            assert content == expected[name]


@needs_fusermount
def test_fusermount_unmounts_it_and_its_process_ends(tool, made, folder):
    answer = tool.json("mount", made.packs, folder)
    assert answer["files"] == len({asset["path"] for asset in tool.json("info", "--assets", made.packs)["assets"]})
    process = server_of(folder)
    assert os.readlink(f"/proc/{process}/cwd") == "/"
    subprocess.run(["fusermount3", "-u", folder], check=True)
    assert not os.path.ismount(folder) and os.listdir(folder) == []
    wait_until(lambda: not Path(f"/proc/{process}").exists())


def wait_until(true):
    end = time.monotonic() + WAIT_S
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM])
def test_in_the_foreground_a_signal_unmounts_it(tool, made, folder, ended_by):
    child = subprocess.Popen(tool.command("mount", "-f", made.packs, folder), stdout=subprocess.PIPE, text=True)
    assert "fusermount3 -u" in child.stdout.readline()
    wait_until(lambda: os.path.ismount(folder))
    assert tree(folder)
    child.send_signal(ended_by)
    assert child.wait(timeout=WAIT_S) == 0
    assert not os.path.ismount(folder)


def test_a_signal_that_comes_just_before_it_waits_unmounts_it(tool, made, folder, tmp_path):
    library = build_preload("signal_before_wait", tmp_path)
    child = subprocess.Popen(tool.command("mount", "-f", made.packs, folder), stdout=subprocess.DEVNULL,
                             env={**os.environ, "LD_PRELOAD": str(library)})
    assert child.wait(timeout=WAIT_S) == 0
    assert not os.path.ismount(folder)


def test_what_is_damaged_is_an_error_of_that_file_alone(tool, made, folder, tmp_path):
    packs = tmp_path / "packs"
    shutil.copytree(made.packs, packs)
    asset = next(asset for asset in tool.json("info", "--assets", packs)["assets"] if 1000 < asset["bytes"] < 5000)
    original = subprocess.run(tool.command("extract", "-o", "-", packs, asset["path"]), capture_output=True, check=True).stdout
    for pack in packs.glob("*.skl"):  # each copy
        content = pack.read_bytes()
        pack.write_bytes(content.replace(original, original[:10] + bytes([original[10] ^ 1]) + original[11:]))
    child = subprocess.Popen(tool.command("mount", "-f", packs, folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
    child.stdout.readline()
    with pytest.raises(OSError) as refused:
        (folder / asset["path"]).read_bytes()
    assert refused.value.errno == 5
    others = [path for path in folder.rglob("*") if path.is_file() and path != folder / asset["path"]]
    assert sum(len(path.read_bytes()) for path in others) > 1_000_000
    child.send_signal(signal.SIGINT)
    assert asset["path"] in child.communicate(timeout=WAIT_S)[1]


def server_of(folder):
    """Returns the process in the background that shows a set there."""
    return next(int(entry.parent.name) for entry in Path("/proc").glob("[0-9]*/cmdline")
                if str(folder).encode() in entry.read_bytes() and b"mount" in entry.read_bytes())


def test_a_mount_that_was_killed_is_cleared_and_mounted_again(tool, made, shown, folder):
    expected = tree(shown(made.packs))
    for _ in range(3):
        os.kill(server_of(folder), signal.SIGKILL)
        wait_until(lambda: is_dead(folder))
        shown(made.packs)
        assert tree(folder) == expected
    assert unmount(folder) == 0
    assert not os.path.ismount(folder) and os.listdir(folder) == [], "what was dead lies below"


def is_dead(folder):
    try:
        os.listdir(folder)
    except OSError as error:
        return error.errno == errno.ENOTCONN
    return False


KILLED_AND_MOUNTED_AGAIN = """
import errno, os, signal, subprocess, sys, time
seekless, packs, folder = sys.argv[1:]
found = []
for _ in range(3):
    child = subprocess.Popen([seekless, 'mount', '-f', packs, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not child.stdout.readline():
        sys.exit(child.communicate()[1].decode())
    found.append(sum(len(files) for _, _, files in os.walk(folder)))
    child.kill(), child.wait()
    time.sleep(0.1)
subprocess.run(['fusermount3', '-u', folder], check=True)
print(found, os.listdir(folder))
"""


@ROOT_ONLY
@needs_fusermount
def test_whoever_is_not_root_mounts_again_where_a_mount_was_killed(tool, made, folder, tmp_path, tmp_path_factory):
    packs = tmp_path / "packs"
    shutil.copytree(made.packs, packs)
    give_to_nobody(tmp_path, packs, folder)
    done = subprocess.run([*as_nobody(tmp_path_factory.mktemp("fuse")), "/usr/bin/python3", "-I", "-S", "-c", KILLED_AND_MOUNTED_AGAIN,
                           tool.binary, packs, folder], capture_output=True, text=True, timeout=WAIT_S)
    assert done.returncode == 0, done.stderr
    files = len({asset["path"] for asset in tool.json("info", "--assets", made.packs)["assets"]})
    assert done.stdout.strip() == f"{[files] * 3} []"


def test_what_cannot_be_mounted_is_told(tool, made, folder, tmp_path):
    tool.run("mount", made.packs, tmp_path / "none").says("none", "nothing", "mkdir")
    tool.run("mount", tmp_path / "nowhere", folder).says("nowhere")
    (tmp_path / "broken").write_bytes(noise(1, 5000))
    tool.run("mount", tmp_path / "broken", folder).says("broken")
    assert tool.run("mount", "-o", "nonsense", made.packs, folder).says("nonsense").code == FAILED
    assert not os.path.ismount(folder)
    for options in ([], ["-f"]):
        (tmp_path / "file").write_text("")
        tool.run("mount", *options, made.packs, tmp_path / "file").says("file", "no folder")


def test_a_single_pack_can_be_mounted(tool, made, shown):
    pack = max(made.packs.glob("*-*.skl"), key=lambda path: path.stat().st_size)
    folder = shown(pack)
    listed = {asset["path"]: asset["bytes"] for asset in tool.json("info", "--assets", pack)["assets"]}
    assert {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()} == listed


def test_a_set_that_is_replaced_meanwhile_stays_as_it_was(made, shown, tmp_path):
    packs = tmp_path / "packs"
    shutil.copytree(made.packs, packs)
    folder = shown(packs)
    names = sorted(path for path in folder.rglob("*") if path.is_file())
    shutil.rmtree(packs)
    assert sum(len(path.read_bytes()) for path in names) == sum(path.stat().st_size for path in names)


@ROOT_ONLY
def test_nobody_needs_root_in_a_name_space_of_their_own(tool, made, folder, tmp_path, tmp_path_factory):
    packs = tmp_path / "packs"
    shutil.copytree(made.packs, packs)
    give_to_nobody(tmp_path, packs, folder)
    script = f"'{tool.binary}' mount '{packs}' '{folder}' >/dev/null && find '{folder}' -type f | wc -l && umount '{folder}'"
    done = subprocess.run([*as_nobody(tmp_path_factory.mktemp("fuse")), "unshare", "-rm", "--propagation", "slave", "sh", "-c", script],
                          capture_output=True, text=True, timeout=WAIT_S, env={"PATH": os.environ["PATH"]})
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len({asset["path"] for asset in tool.json("info", "--assets", made.packs)["assets"]})
    with contextlib.suppress(OSError):
        assert os.listdir(folder) == []
