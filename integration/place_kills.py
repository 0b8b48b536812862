"""Kills `seekless place` and `place --undo` at random moments, on its own file system, and then compares a game's
folder with its former state: names, bytes, owners, permissions, times, extended attributes, flags, and hard links.
Temporary files may remain after a kill, but not after a complete run.

    python3 integration/place_kills.py --file-system btrfs --kills 150 --seed 1 [--user 1000]

script/campaign calls campaign(); tests call it with fewer kills.
"""
import argparse
import fcntl
import hashlib
import os
import random
import re
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import page_cache
from own_disks import FILE_SYSTEMS, MIB, mounted
from strace_lines import load_of
from tool import TOP, Tool

FILES = 24
OLD = 978_307_200_123_456_789  # 2001, and a part of a second
FS_IOC_GETFLAGS = 0x80086601
CHOSEN_FLAGS = 0x008080FF  # flags that users set; the rest belong to the file system
# On these file systems files keep their numbers; on others, copies take their names.
KEEPING_NUMBERS = ("ext4", "xfs", "xfs-rmap", "btrfs")
TEMPORARY = re.compile(r"\.seekless-[0-9a-f]+\.tmp")


def scattered_game(folder, user=None):
    """Makes files of many kinds that lie far apart, in a random order, with other files between them."""
    game = folder / "game"
    (game / "sub").mkdir(parents=True)
    chosen = random.Random(3)
    numbers = list(range(FILES))
    chosen.shuffle(numbers)
    for number in numbers:
        file = game / ("sub" if number % 5 == 0 else "") / f"f{number:02}"
        file.write_bytes(chosen.randbytes(200_000 + 4_321 * number))
        (folder / f"between{number}").write_bytes(bytes(3 * MIB))
        page_cache.write_back(folder)
    with open(game / "f03", "r+b") as file:
        file.truncate(8 * MIB)
    os.link(game / "f07", game / "sub" / "twin")
    (game / "alias").symlink_to("f06")
    (game / "empty").touch()
    for path in [game, *game.rglob("*")]:
        if user is not None:
            os.chown(path, user, user, follow_symlinks=False)
    if user is not None:
        os.chown(game / "f11", 0, 0)  # belongs to another user
    modes = {"f01": 0o4755, "f02": 0o2755, "f04": 0o400, "f06": 0o6751, "sub/f05": 0o444}
    for name, mode in modes.items():
        (game / name).chmod(mode)
    for path in [*game.rglob("*"), game / "sub", game]:
        if not path.is_symlink():
            os.setxattr(path, "user.kept", path.name.encode())
        os.utime(path, ns=(OLD, OLD), follow_symlinks=False)
    return game


def flags_of(path):
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        return struct.unpack("l", fcntl.ioctl(descriptor, FS_IOC_GETFLAGS, bytes(8)))[0] & CHOSEN_FLAGS
    except OSError:
        return None
    finally:
        os.close(descriptor)


def all_of(path, keeps_numbers):
    """Returns everything about a path that may not change. A folder's time may change if copies take file names in
    it."""
    status = path.lstat()
    known = {"mode": status.st_mode, "owner": (status.st_uid, status.st_gid), "names": status.st_nlink}
    if path.is_symlink():
        return {**known, "leads to": os.readlink(path), "time": status.st_mtime_ns}
    known["attributes"] = {name: os.getxattr(path, name) for name in os.listxattr(path)}
    if keeps_numbers or not stat.S_ISDIR(status.st_mode):
        known["time"] = status.st_mtime_ns
    if keeps_numbers:
        known["number"] = status.st_ino
    if stat.S_ISREG(status.st_mode):
        known |= {"flags": flags_of(path), "bytes": hashlib.sha256(path.read_bytes()).hexdigest()}
    return known


def state_of(game, keeps_numbers):
    return {str(path.relative_to(game)): all_of(path, keeps_numbers)
            for path in [game, *game.rglob("*")] if not TEMPORARY.fullmatch(path.name)}


def differences(before, now):
    for name in sorted(before.keys() | now.keys()):
        if name not in now or name not in before:
            yield f"{name}: {'gone' if name in before else 'new'}"
        elif before[name] != now[name]:
            changed = [key for key in before[name] if before[name][key] != now[name].get(key)]
            yield f"{name}: another {', '.join(changed)}"


@dataclass
class Figures:
    kills: int = 0  # number of kills that came before the end of the command
    runs: int = 0
    left: int = 0  # temporary files seen after kills
    wrong: list = field(default_factory=list)

    def __str__(self):
        return f"{self.kills} kills of {self.runs} runs, {self.left} temporary files cleared, {len(self.wrong)} wrong"


class Campaign:
    def __init__(self, tool, disk, name, seed, user=None):
        self.tool, self.user, self.chosen, self.figures = tool, user, random.Random(seed), Figures()
        self.keeps_numbers = name in KEEPING_NUMBERS
        self.game = scattered_game(disk.folder, user)
        self.state = disk.folder / "state"
        self.state.mkdir()
        if user is not None:
            os.chown(self.state, user, user)
        self.trace = load_of(sorted(self.game.rglob("f*")), disk.folder / "map.1.strace")
        page_cache.write_back(disk.folder)
        self.before = state_of(self.game, self.keeps_numbers)

    def start(self, *arguments):
        as_user = {} if self.user is None else {"user": self.user, "group": self.user, "extra_groups": []}
        return subprocess.Popen(self.tool.command("place", self.game, *arguments, "--state", self.state),
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **as_user)

    def temporary_files(self):
        return [path for folder in (self.game, self.state) for path in folder.rglob(".seekless-*")]

    def compare(self, when):
        self.figures.wrong += [f"{when}: {text}" for text in
                               differences(self.before, state_of(self.game, self.keeps_numbers))]

    def whole_run(self, *arguments):
        """Returns the duration in seconds."""
        begin = time.monotonic()
        child = self.start(*arguments)
        said = child.communicate()[1]
        # `--undo` fails if no file was placed before.
        if child.returncode != 0 and b"placed before" not in said:
            self.figures.wrong.append(f"a whole run ended with {child.returncode}: {said.decode(errors='replace')}")
        self.compare("after a whole run")
        self.figures.wrong += [f"after a whole run: {path} is left" for path in self.temporary_files()]
        return time.monotonic() - begin

    def killed_run(self, longest_s, *arguments):
        child = self.start(*arguments)
        time.sleep(self.chosen.random() * longest_s)
        child.send_signal(self.chosen.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT]))
        child.communicate()
        self.figures.runs += 1
        self.figures.kills += child.returncode != 0
        self.figures.left += len(self.temporary_files())
        self.compare(f"run {self.figures.runs}")

    def run(self, kills):
        longest_s = self.whole_run(self.trace)
        longest_undo_s = self.whole_run("--undo")
        while self.figures.kills < kills and self.figures.runs < 4 * kills and not self.figures.wrong:
            self.killed_run(longest_s, self.trace)
            if self.chosen.random() < 0.5:
                self.killed_run(longest_undo_s, "--undo")
            if self.chosen.random() < 0.3:
                self.whole_run(self.trace)
            self.whole_run("--undo")
        return self.figures


def campaign(tool, parent, name, kills, seed, user=None):
    """`parent` is an empty folder that the user may read. At the end the file system's own checker runs."""
    with mounted(parent, name, 400) as disk:
        running = Campaign(tool, disk, name, seed, user)
        figures = running.run(kills)
        disk.check()
        running.compare("after the file system was mounted again")
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file-system", choices=FILE_SYSTEMS, default="btrfs")
    parser.add_argument("--kills", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--user", type=int, help="number of the user who calls it [root]")
    options = parser.parse_args()
    tool = Tool(os.environ.get("SEEKLESS_BIN", TOP / "build" / "release" / "bin" / "seekless"))
    with tempfile.TemporaryDirectory(prefix="seekless-place-") as folder:
        Path(folder).chmod(0o755)
        figures = campaign(tool, Path(folder), options.file_system, options.kills, options.seed, options.user)
    print(f"{options.file_system}: {figures}", *figures.wrong[:20], sep="\n")
    return 1 if figures.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
