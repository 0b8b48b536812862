"""`seekless play` where user name spaces are missing, but FUSE's setuid fusermount3 works: the game is served by it."""
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from test_play import PYTHON, ROOT_ONLY, WAIT_S, folder, pytestmark, server_of  # noqa: F401
from tool import as_nobody, give_to_nobody

# Makes user name spaces fail for the program and its children, as a system does that allows none. Root may set
# such a filter without giving up setuid programs; then the program becomes nobody.
NO_NAME_SPACES = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
unshare = {'x86_64': 272, 'aarch64': 97}[os.uname().machine]
rules = [(0x20, 0, 0, 0), (0x15, 0, 3, unshare), (0x20, 0, 0, 16), (0x45, 0, 1, 0x10000000), (0x06, 0, 0, 0x50000 | 1), (0x06, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *rule) for rule in rules))
program = ctypes.create_string_buffer(struct.pack('HxxxxxxP', len(rules), ctypes.addressof(code)))
if libc.prctl(22, 2, program, 0, 0) != 0: sys.exit(77)
os.setgroups([]), os.setgid(65534), os.setuid(65534)
os.execv(sys.argv[1], sys.argv[1:])
"""

pytestmark = [*pytestmark, ROOT_ONLY, pytest.mark.skipif(shutil.which("fusermount3") is None, reason="there is no fusermount3")]


@pytest.fixture
def command(tool, folder, tmp_path, tmp_path_factory):
    give_to_nobody(folder.parent, folder.parent, folder, *folder.rglob("*"))
    place = tmp_path_factory.mktemp("fuse")
    # The device for everybody, and the folder with which the system ends connections.
    device = [*as_nobody(place)[:4], ('mount -t tmpfs none "$0" && mknod -m 666 "$0/fuse" c 10 229 && mount --bind "$0/fuse" /dev/fuse && '
                                      'mount -t fusectl none /sys/fs/fuse/connections && exec "$@"'), place]

    def words(*options, to_run, folders=(folder,)):
        return [*map(str, device), "/usr/bin/python3", "-I", "-c", NO_NAME_SPACES,
                *tool.command("play", "--always", "--state", tmp_path / "state", "--json", tmp_path / "r.json", *options, *folders, "--", *to_run)]
    return words


def result(tmp_path):
    return json.loads((tmp_path / "r.json").read_text())


def mounts(text):
    return [line for line in text.splitlines() if " fuse.seekless " in line]


def test_it_is_served_by_fusermount3(command, folder, tmp_path):
    text = "cat sub/note; echo mine > sub/new; grep seekless /proc/mounts; id -u; exit 5"
    done = subprocess.run(command(to_run=["sh", "-c", text]), cwd=folder, capture_output=True, text=True, timeout=WAIT_S)
    if done.returncode == 77:
        pytest.skip("no filter of calls may be set here")
    assert done.returncode == 5, done.stderr
    assert result(tmp_path)["was_served"], done.stderr
    assert done.stdout.startswith("hello") and len(mounts(done.stdout)) == 1 and done.stdout.endswith("65534\n")
    assert (folder / "sub" / "new").read_text() == "mine\n"
    assert (folder / "sub" / "new").stat().st_uid == 65534
    again = subprocess.run(command(to_run=["cat", "data"]), cwd=folder, capture_output=True, timeout=WAIT_S)
    assert again.stdout == (folder / "data").read_bytes() and result(tmp_path)["scenarios"] >= 1
    assert str(folder) not in Path("/proc/mounts").read_text()


def test_several_folders_are_served_by_it(command, folder, tmp_path):
    beside = tmp_path / "beside"
    beside.mkdir()
    (beside / "file").write_text("beside")
    give_to_nobody(tmp_path, beside, beside / "file")
    done = subprocess.run(command(to_run=["sh", "-c", f"cat sub/note {beside}/file; grep -c seekless /proc/mounts"], folders=[folder, beside]),
                          cwd=folder, capture_output=True, text=True, timeout=WAIT_S)
    assert done.stdout == "hellobeside2\n", done.stderr
    assert result(tmp_path)["folders"] == [str(folder), str(beside)]


def test_a_folder_of_somebody_else_is_not_served_and_the_game_runs(command, folder, tmp_path):
    os.chown(folder, 0, 0)
    done = subprocess.run(command(to_run=["sh", "-c", "cat sub/note; exit 5"]), cwd=folder, capture_output=True, text=True, timeout=WAIT_S)
    assert (done.returncode, done.stdout) == (5, "hello")
    assert "user name space" in done.stderr and "the game is run without being served" in done.stderr


def test_who_else_keeps_it_open_does_not_hold_up_the_end(command, folder, tmp_path):
    """A process outside of the game has its working folder in the mount, and stays."""
    outside = ["sh", "-c", f'"$@" & game=$!; while ! grep -q " fuse.seekless " /proc/mounts && kill -0 $game; do sleep 0.05; done; '
               f'setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "cd {folder} && touch {tmp_path}/in && exec sleep 30" & '
               f'outside=$!; wait $game; code=$?; kill $outside; exit $code', "sh"]
    words = command(to_run=["sh", "-c", f"while [ ! -e {tmp_path}/in ]; do sleep 0.05; done; cat sub/note; exit 5"])
    split = words.index("/usr/bin/python3")
    tmp_path.chmod(0o777)
    began = time.monotonic()
    done = subprocess.run([*words[:split], *outside, *words[split:]], cwd=folder, capture_output=True, text=True, timeout=WAIT_S)
    assert (done.returncode, done.stdout) == (5, "hello"), done.stderr
    assert result(tmp_path)["was_served"] and (tmp_path / "in").exists()
    assert time.monotonic() - began < 25  # it didn't wait for the process outside


def test_if_all_of_it_is_killed_the_folder_is_plain_again(command, folder, tmp_path):
    listing = ["sh", "-c", '"$@"; for i in 1 2 3 4 5 6 7 8 9 10; do grep -q " fuse.seekless " /proc/mounts || break; sleep 0.2; done; '
               f'grep -c " fuse.seekless " /proc/mounts; cat {folder}/sub/note', "sh"]
    kill = ("import os, signal\nfor name in os.listdir('/proc'):\n"
            "    try: comm = open(f'/proc/{name}/comm').read().strip() if name.isdigit() else ''\n"
            "    except OSError: continue\n"
            "    if comm == 'seekless-serve' and open(f'/proc/{name}/stat').read().rsplit(')', 1)[1].split()[1] == str(os.getppid()): os.kill(int(name), 9)\n"
            "os.kill(os.getppid(), 9)")
    words = command(to_run=[*PYTHON, "-c", kill])
    split = words.index("/usr/bin/python3")
    done = subprocess.run([*words[:split], *listing, *words[split:]], capture_output=True, text=True, timeout=WAIT_S)
    assert done.stdout == "0\nhello", done.stderr
