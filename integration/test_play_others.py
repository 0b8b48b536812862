"""`seekless play` while other programs are at work: in the served folder, around the tool, and with the same Wine prefix."""
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from test_play import PYTHON, WAIT_S, folder, play, pytestmark, script  # noqa: F401

READY = "print('ready', flush=True); input()\n"


def begin(tool, folder, text, *front, **how):
    words = tool.command("play", "--always", folder, "--", *PYTHON, "-c", text)
    return subprocess.Popen([*front, *words], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, **how)


def when_ready(tool, folder, text, act):
    """Runs the text, and `act` here when it prints that it is ready. Returns what it prints afterwards."""
    game = begin(tool, folder, text)
    assert game.stdout.readline() == "ready\n"
    act(game)
    out, err = game.communicate("\n", timeout=WAIT_S)
    assert game.returncode == 0, err
    return out.splitlines()


USE_OPEN = """
import os
file = os.open('data', os.O_RDWR)
again = os.open('data', os.O_RDONLY)
os.close(os.open('data', os.O_RDONLY)), os.close(again)  # the first one stays
""" + READY + """
os.pwrite(file, b'X', 0)
print(os.fstat(file).st_nlink)
os.ftruncate(file, 4)
print(os.fstat(file).st_size)
os.truncate('data', 3)
print(len(os.pread(file, 100, 0)), open('data', 'rb').read())
"""


def test_it_ends_with_the_game_after_another_program_has_moved_the_folder(tool, folder):
    """An updater renames the game's folder, and makes a new one."""
    game = begin(tool, folder, READY + "import sys; sys.exit(7)")
    assert game.stdout.readline() == "ready\n"
    folder.rename(folder.with_name("old"))
    folder.mkdir()
    _, err = game.communicate("\n", timeout=WAIT_S)
    assert game.returncode == 7, err


@pytest.mark.parametrize("what", ["moved", "replaced", "removed"])
def test_what_a_game_has_open_can_be_used_after_another_program_has(tool, folder, tmp_path, what):
    def act(_):
        (folder / "data").rename(tmp_path / "old") if what != "removed" else (folder / "data").unlink()
        (tmp_path / "next").write_bytes(b"the next")
        (tmp_path / "next").rename(folder / "data")

    links, told, read = when_ready(tool, folder, USE_OPEN, act)
    assert links == ("0" if what == "removed" else "1")
    assert told == "4"
    assert read == "4 b'the'", "a call by name finds the new file"
    assert (folder / "data").read_bytes() == b"the"


LISTS = """
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)

def entries(file):
    into, found, at = ctypes.create_string_buffer(4000), [], 0
    got = libc.syscall(217, file, into, 4000)
    while at < got:
        _, place, length, _ = struct.unpack_from('QqHB', into.raw, at)
        found.append((into.raw[at + 19:at + length].split(b'\\0')[0].decode(), place))
        at += length
    return found

def rest(file):
    return [entry for piece in iter(lambda: entries(file), []) for entry in piece]

first = os.open('.', os.O_RDONLY)
begun = entries(first)
other = os.open('.', os.O_RDONLY)  # reads on where the kernel has nothing of the list
os.lseek(other, begun[-1][1], 0)
all_ = begun + rest(first)
print(len({name for name, _ in all_}), len(all_), max(place for _, place in all_) < 2**31)
print(rest(other) == all_[len(begun):])
os.lseek(first, all_[700][1], 0)
print(entries(first)[0] == all_[701])
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="getdents64's number is that of x86-64")
def test_the_places_in_a_list_fit_programs_of_32_bits(tool, folder):
    for number in range(1500):
        (folder / f"name-{number}").touch()
    answer = script(tool, folder, LISTS)
    there = len(list(folder.iterdir())) + 2  # and "." and ".."
    assert answer.text == f"{there} {there} True\nTrue\nTrue\n"


def test_what_the_shell_has_started_before_is_not_waited_for(tool, folder):
    """As in a start script with `exec > >(tee log)`, or with a helper in the background, which ends in `exec seekless play`."""
    words = tool.command("play", "--always", folder, "--", "sh", "-c", "exit 3")
    began = time.monotonic()
    done = subprocess.Popen(["sh", "-c", 'sleep 3000 >/dev/null 2>&1 & echo $!; exec "$@"', "sh", *words], stdout=subprocess.PIPE, text=True)
    helper = int(done.stdout.readline())
    try:
        assert done.wait(timeout=WAIT_S) == 3
        os.kill(helper, 0)  # it goes on
    finally:
        done.kill()
        os.kill(helper, signal.SIGKILL)
    assert time.monotonic() - began < WAIT_S


def test_nor_if_the_server_is_lost(tool, folder):
    text = "import os, signal\n" + READY + "raise SystemExit(6)\n"
    words = tool.command("play", "--always", folder, "--", *PYTHON, "-c", text)
    game = subprocess.Popen(["sh", "-c", 'sleep 3000 >/dev/null 2>&1 & echo $!; exec "$@"', "sh", *words], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True)
    helper = int(game.stdout.readline())
    try:
        assert game.stdout.readline() == "ready\n"
        children = [int(child) for child in Path(f"/proc/{game.pid}/task/{game.pid}/children").read_text().split()]
        server, = [child for child in children if Path(f"/proc/{child}/comm").read_text() == "seekless-serve\n"]
        os.kill(server, signal.SIGKILL)
        game.communicate("\n", timeout=WAIT_S)
        assert game.returncode == 6
    finally:
        game.kill()
        os.kill(helper, signal.SIGKILL)


READ_WHEN_UNCOVERED = """
import sys, time
for _ in range(300):
    try:
        print(len(open(sys.argv[1] + '/data', 'rb').read()))
        break
    except OSError:
        time.sleep(0.1)
"""


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="there is no bwrap, as Steam's container uses it")
def test_a_container_reads_the_files_when_the_server_is_lost(tool, folder):
    text = READY + READ_WHEN_UNCOVERED
    words = tool.command("play", "--always", folder, "--", "bwrap", "--dev-bind", "/", "/", *PYTHON, "-c", text, folder)
    game = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert game.stdout.readline() == "ready\n"
    inside = [int(each) for each in Path(f"/proc/{game.pid}/task/{game.pid}/children").read_text().split()]
    server = [each for each in inside if "bwrap" not in Path(f"/proc/{each}/comm").read_text()]
    assert len(server) == 1
    os.kill(server[0], signal.SIGKILL)
    out, err = game.communicate("\n", timeout=WAIT_S)
    assert out == "3000001\n", err


def test_a_prefix_that_wine_uses_is_not_served(tool, folder, tmp_path):
    """Wine would start a second server on it, and each would write the registry over the other's."""
    prefix = tmp_path / "steam" / "pfx"
    prefix.mkdir(parents=True)
    (prefix / "system.reg").write_text("WINE REGISTRY Version 2\n")
    server = tmp_path / "wineserver64"
    shutil.copy(shutil.which("sleep"), server)
    mounts = ("grep", "-c", "^seekless ", "/proc/mounts")

    def mounted():
        answer = tool.run("play", "--always", folder, prefix.parent, "--", *mounts)
        return answer.text, answer.err

    assert mounted()[0] == "2\n"
    opened = os.open(prefix, os.O_RDONLY)
    at_work = subprocess.Popen([server, "1000"], pass_fds=[opened])
    os.close(opened)
    try:
        served, err = mounted()
        assert served == "1\n"
        assert f"{prefix.parent}: expected a prefix that nobody uses, found a Wine server at work" in err
        assert "wineserver -k" in err
    finally:
        at_work.kill()
        at_work.wait()
    assert mounted()[0] == "2\n"
