"""`seekless play` in folders of all kinds: the game reads the same bytes as in the plain folder, and its failing writes
fail alike."""
import json
import pathlib
import subprocess
import tempfile

import pytest

import served_campaign
from game import noise
from measure_play import memory_group
from test_play import ROOT_ONLY, WAIT_S, folder, pytestmark  # noqa: F401
from tool import OWN_MOUNTS, as_nobody, give_to_nobody, tree

# Reads all files, then tries to write; prints the results.
GAME = """
import hashlib, os
for at, folders, names in sorted(os.walk('.')):
    for name in sorted(names): print(name, hashlib.sha256(open(at + '/' + name, 'rb').read()).hexdigest())
for file in ('data', 'new'):
    try: open(file, 'ab').write(b'saved'); print(file, 'written', os.stat(file).st_size)
    except OSError as error: print(file, error.errno)
try: os.unlink('new')
except OSError: pass
"""

MOUNTS = {
    "read only": 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && exec "$@"',
    "overlay": 'mkdir -p "$0.t" && mount -t tmpfs none "$0.t" && mkdir "$0.t/u" "$0.t/w" && chown --reference="$0" "$0.t/u" && '
               'mount -t overlay overlay -o "lowerdir=$0,upperdir=$0.t/u,workdir=$0.t/w" "$0" && cd "$0" && exec "$@"',
    "plain": 'cd "$0" && exec "$@"',
}
# Saves as games do: writes beside the old file and renames; also appends to a log, and makes the next slot.
SAVES = """
import os
assert open('data', 'rb').read()[:9] == open('data', 'rb').read(9)
with open('save.tmp', 'wb') as file:
    file.write(bytes(range(256)) * 5000); file.flush(); os.fsync(file.fileno())
os.replace('save.tmp', 'save')
open('log', 'a').write('saved\\n')
os.makedirs('slots/2'); os.rename('slots/2', 'slots/3'); open('slots/3/new', 'w').write('slot')
os.truncate('save', 1_000_000)
try: os.utime('save', (1e9, 1e9)); print(os.stat('save').st_mtime)
except OSError as error: print(error)
raise SystemExit(7)
"""


def compared(tool, folder, tmp_path, prefix):
    """Runs the game in the served and in the plain folder; checks that it was served, and printed the same."""
    game = ["/usr/bin/python3", "-I", "-S", "-c", GAME]
    words = tool.command("play", "--always", "--state", tmp_path / "state", "--json", tmp_path / "r.json", folder, "--", *game)
    plain, served = (subprocess.run([*map(str, prefix), *words], cwd="/", capture_output=True, text=True, timeout=WAIT_S)
                     for words in (game, words))
    assert served.returncode == plain.returncode == 0, served.stderr + plain.stderr
    if "data written" in plain.stdout:  # it got longer in the first run
        plain.stdout, served.stdout = (len(one.stdout.splitlines()) for one in (plain, served))
    assert served.stdout == plain.stdout
    assert json.loads((tmp_path / "r.json").read_text())["was_served"], served.stderr


@ROOT_ONLY
@pytest.mark.parametrize("kind", MOUNTS)
@pytest.mark.parametrize("who", ["root", "user"])
def test_a_game_reads_and_fails_as_in_the_plain_folder(tool, folder, tmp_path, tmp_path_factory, who, kind):
    mounting = [*OWN_MOUNTS, "sh", "-c", MOUNTS[kind], folder]
    if who == "user":
        give_to_nobody(tmp_path, tmp_path, folder, *folder.rglob("*"))
        mounting += as_nobody(tmp_path_factory.mktemp("fuse"))
    compared(tool, folder, tmp_path, mounting)


@ROOT_ONLY
def test_a_folder_that_the_player_may_only_read_is_served(tool, folder, tmp_path, tmp_path_factory):
    give_to_nobody(tmp_path, tmp_path)
    compared(tool, folder, tmp_path, ["sh", "-c", MOUNTS["plain"], folder, *as_nobody(tmp_path_factory.mktemp("fuse"))])
    assert not (folder / "new").exists() and (folder / "data").stat().st_size == 3_000_001


@ROOT_ONLY
def test_in_a_control_group_of_a_gigabyte_it_is_served(tool, folder, tmp_path):
    with memory_group(1024) as enter:
        compared(tool, folder, tmp_path, ["sh", "-c", f'{enter}; {MOUNTS["plain"]}', folder])


@ROOT_ONLY
@pytest.mark.parametrize("who, options", [("root", "umask=0"), ("user", "umask=0"), ("user", "uid=65534,gid=65534,umask=077")])
def test_a_game_saves_on_a_drive_that_windows_uses_too(tool, tmp_path_factory, who, options):
    """On NTFS by ntfs-3g, all files belong to root or to the player, regardless of who makes them."""
    with tempfile.TemporaryDirectory(prefix="seekless-ntfs-") as parent:
        state = pathlib.Path(parent, "state")
        state.mkdir()
        give_to_nobody(pathlib.Path(parent), *([state] if who == "user" else []))
        try:
            with served_campaign.on_ntfs(pathlib.Path(parent), options=options) as disk:
                folder, plain = disk / "game", disk / "plain"
                for one in folder, plain:
                    one.mkdir()
                    for name, content in ("data", noise(1, 3_000_001)), ("save", b"old" * 9), ("log", b"begun\n"):
                        (one / name).write_bytes(content)
                game = ["/usr/bin/python3", "-I", "-S", "-c", SAVES]
                words = tool.command("play", "--always", "--state", state, "--json", state / "r.json", folder, "--", *game)
                front = as_nobody(tmp_path_factory.mktemp("fuse")) if who == "user" else []
                alone, served = (subprocess.run([*map(str, front), "env", "-C", at, *command], cwd="/", capture_output=True, text=True, timeout=WAIT_S)
                                 for at, command in ((plain, game), (folder, words)))
                assert (served.returncode, served.stdout) == (alone.returncode, alone.stdout) == (7, served.stdout), served.stderr
                result = json.loads((state / "r.json").read_text())
                assert result["was_served"] and result["scenarios"] == 1, served.stderr
                assert (folder / "save").read_bytes() == (bytes(range(256)) * 5000)[:1_000_000]
                assert tree(folder) == tree(plain)
        except served_campaign.Missing as missing:
            pytest.skip(str(missing))
