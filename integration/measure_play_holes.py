"""Times programs with `seekless play` on a used disk: an emulated one with ext4's usual tables, whose free room was
holes of 0.25 to 4 MB when the program and its player's home were put there.

Usage: measure_play_holes.py [--rounds N] [--drive DRIVE] [--work DIR] [--binary FILE] [--without-fuse] [PROGRAM...]
       measure_play_holes.py [--rounds N] [--ends] --folder FOLDER -- COMMAND...
Each figure is the disk's busy seconds and seeks until the program has ended, cold; a program that doesn't end is killed
once the disk has been idle for six seconds. Medians of N runs: plain, learned (the third and later runs), laid out. The
first two runs with `play` happen once. "x" is the slowest of the first two and of the learned runs, divided by the
plain one. Without FUSE, nothing can be served, so the program is watched, and nothing is laid out. For some programs,
another start is also measured, which reads none of the learned files.
"""
import argparse
import contextlib
import hashlib
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "hdd")]
from bench import GB, MIB, SEEKLESS, Disk
from disk import Disk as MountedDisk
from measure_play import end_game
from placing import Filler
from warzone import display

QUIET_S, LONGEST_S = 6, 150
HOLE_BYTES = (MIB // 4, 4 * MIB)
# The part of the disk with the holes, and how far apart they begin.
FIRST_BYTE, SPREAD_BYTES, SLOT_BYTES = 20 * GB, 200 * GB, 8 * MIB
KEPT_FREE_BYTES = 2 * GB  # free after the program's installation: room for laying out, of which `play` leaves 1 GiB
KEPT = "everything else"
DATA = "/usr/share/games"
MAKE_NAMES = """
import os, random, sys
chance = random.Random(43)
for folder in range(240):
    os.makedirs(f"{sys.argv[1]}/{folder % 12:02}/{folder:03}")
for number in chance.sample(range(240 * 26), 240 * 26):
    name = f"{sys.argv[1]}/{number % 240 % 12:02}/{number % 240:03}/{number // 240:02}.dat"
    with open(name, "wb") as file:
        file.write(chance.randbytes(chance.randrange(2_000, 60_000)))
"""
LOOK_UP_NAMES = """
import os, random, sys
chance = random.Random(1)
names = [f"{folder % 12:02}/{folder:03}/{number:02}.dat" for folder in range(240) for number in chance.sample(range(30), 13)]
chance.shuffle(names)
there = [name for name in names if os.path.exists(sys.argv[1] + "/" + name)]
for name in there[:48]:
    with open(sys.argv[1] + "/" + name, "rb") as file:
        file.read()
"""


MAKE_ZIP = """
import os, random, sys, zipfile
chance = random.Random(47)
os.makedirs(sys.argv[1])
with zipfile.ZipFile(sys.argv[1] + "/data.zip", "w") as archive:
    for number in range(2000):
        archive.writestr(f"{number:04}.dat", chance.randbytes(chance.randrange(4_000, 60_000)))
"""
READ_ZIP = """
import random, sys, zipfile
with zipfile.ZipFile(sys.argv[1] + "/data.zip") as archive:
    names = archive.namelist()
    random.Random(5).shuffle(names)
    for name in names[1000:] if sys.argv[2:] else names[:1000]:
        archive.read(name)
"""
MAKE_LOOSE = """
import os, random, sys
chance = random.Random(47)
for number in range(2000):
    name = f"{sys.argv[1]}/{number % 40:02}/{number:04}.dat"
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, "wb") as file:
        file.write(chance.randbytes(chance.randrange(4_000, 60_000)))
"""
READ_LOOSE = """
import random, sys
numbers = list(range(2000))
random.Random(5).shuffle(numbers)
for number in numbers[1000:] if sys.argv[2:] else numbers[:1000]:
    with open(f"{sys.argv[1]}/{number % 40:02}/{number:04}.dat", "rb") as file:
        file.read()
"""
MAKE_ONE = """
import os, sys
os.makedirs(sys.argv[1])
with open(sys.argv[1] + "/dat", "wb") as file:
    file.write(b"1" * 40_000)
"""
READ_ONE = """
import sys
with open(sys.argv[1] + "/dat", "rb") as file:
    file.read()
"""
# Afterwards the device can't be opened.
WITHOUT_FUSE = "mount --bind /dev/fuse /dev/fuse && mount -o remount,bind,nodev /dev/fuse"
PREFIX = "/srv/seekless-prefix"
LIST_FOLDER = r"cmd /c dir 'C:\windows\system32'"
MAKE_PREFIX = """
import os, subprocess, sys
subprocess.run("wine wineboot -i; wineserver -w", shell=True, check=True,
               env={**os.environ, "WINEPREFIX": sys.argv[1], "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="})
"""

GAME_OF_WINDOWS = "/srv/seekless-windows-game"
# Makes a game that reads 1,000 of 2,000 entries of a zip, beside its Wine prefix.
MAKE_GAME_OF_WINDOWS = f"""
import pathlib, random, subprocess, sys
sys.path[:0] = [{str(HERE)!r}, {str(HERE / "hdd")!r}]
from measure_play_windows import zipped
game = pathlib.Path(sys.argv[1], "game")
game.mkdir(parents=True)
reads = zipped(game)
random.Random(5).shuffle(reads)
(game / "plan").write_text("".join(f"{{at}} {{length}} {GAME_OF_WINDOWS}/game/{{name}}\\n" for at, length, name in reads[:1000]))
subprocess.run(["x86_64-w64-mingw32-gcc", "-O1", "-municode", "-static", {str(HERE / "windows/planned_reads.c")!r}, "-o", game / "game.exe"], check=True)
sys.argv[1] += "/prefix"
""" + MAKE_PREFIX


class Program:
    """folder: the folder that `play` serves; make: a script that fills it, unless it is installed; ends: the program ends by
    itself; also: other folders on the disk, which aren't served; shows: it needs a display; other: additional words with
    which it reads other files; saves: a file that it writes in the home, whose folder is also served; code: its exit code;
    serves_all: `also` is served."""

    def __init__(self, folder, command, make=None, ends=False, also=(), shows=True, other=(), saves=None, code=0, serves_all=False):
        self.folder, self.command, self.make, self.ends = pathlib.Path(folder), command, make, ends
        self.also, self.shows, self.other = [pathlib.Path(each) for each in also], shows, list(other)
        self.saves, self.code, self.serves_all = saves and pathlib.Path(saves), code, serves_all


def by_wine(folder, prefix, command, make, serves_all):
    return Program(folder, ["env", f"WINEPREFIX={prefix}", "WINEDEBUG=-all", "sh", "-c", f"wine {command}; wineserver -w"],
                   make, True, ["/usr/lib/x86_64-linux-gnu/wine", "/usr/share/wine"], serves_all=serves_all)


PROGRAMS = {
    "wesnoth": Program(f"{DATA}/wesnoth/1.16", ["/usr/games/wesnoth-1.16", "--nosound", "--windowed", "-r", "800x600"]),
    "endless-sky": Program(f"{DATA}/endless-sky", ["/usr/games/endless-sky"]),
    "supertux": Program(f"{DATA}/supertux2", ["/usr/games/supertux2", "--window", "--geometry", "640x480"]),
    "widelands": Program(f"{DATA}/widelands", ["/usr/games/widelands", "--nosound"]),
    "names": Program("/srv/seekless-names", [sys.executable, "-I", "-S", "-c", LOOK_UP_NAMES, "/srv/seekless-names"],
                     MAKE_NAMES, True, shows=False),
    "zip": Program("/srv/seekless-zip", [sys.executable, "-I", "-S", "-c", READ_ZIP, "/srv/seekless-zip"], MAKE_ZIP, True,
                   shows=False, other=["other"]),
    "loose": Program("/srv/seekless-loose", [sys.executable, "-I", "-S", "-c", READ_LOOSE, "/srv/seekless-loose"], MAKE_LOOSE,
                     True, shows=False, other=["other"]),
    "one": Program("/srv/seekless-one", [sys.executable, "-I", "-S", "-c", READ_ONE, "/srv/seekless-one"], MAKE_ONE, True,
                   shows=False),
    "wine": by_wine(PREFIX, PREFIX, LIST_FOLDER, MAKE_PREFIX, False),
    "wine-served": by_wine(PREFIX, PREFIX, LIST_FOLDER, MAKE_PREFIX, True),
    "windows-game": by_wine(GAME_OF_WINDOWS, GAME_OF_WINDOWS + "/prefix", f"{GAME_OF_WINDOWS}/game/game.exe {GAME_OF_WINDOWS}/game/plan",
                            MAKE_GAME_OF_WINDOWS, True),
}


class UsedRoom:
    """Fills a disk with a file that has holes, so that all later files lie in these holes."""

    def __init__(self, disk):
        self.file, self.chance = disk.folder / KEPT, random.Random(43)
        self.filler = Filler(MountedDisk.found(disk.folder))
        opened = self.filler.file.fileno()
        os.link(f"/proc/self/fd/{opened}", self.file, src_dir_fd=opened)  # a folder makes it a call that follows links
        self.taken = set()

    def punch(self, room_bytes):
        count = 2 * room_bytes // sum(HOLE_BYTES)
        for slot in self.chance.sample(sorted(set(range(SPREAD_BYTES // SLOT_BYTES)) - self.taken), count):
            self.taken.add(slot)
            length = self.chance.randrange(*HOLE_BYTES) // 4096 * 4096
            logical, _ = self.filler.place_for(length, FIRST_BYTE + slot * SLOT_BYTES)
            self.filler.punch(logical, length)

    def close(self):
        self.filler.remove()


def bytes_in(folder):
    return int(subprocess.run(["du", "-sB1", folder], check=True, capture_output=True).stdout.split()[0])


class OnUsedDisk:
    """A program, installed on a used disk."""

    def __init__(self, disk, name, program, binary=SEEKLESS, has_fuse=True):
        self.disk, self.name, self.program, self.binary, self.has_fuse = disk, name, program, binary, has_fuse
        self.home, shipped = disk.folder / "home", disk.folder / "shipped"
        with tempfile.TemporaryDirectory() as made:
            source = program.folder
            if program.make:
                source = pathlib.Path(made, "made")
                subprocess.run([sys.executable, "-c", program.make, source], check=True)
            room = UsedRoom(disk)
            room.punch(sum(map(bytes_in, [source, *program.also])) * 5 // 4 + 32 * MIB)
            for made_by_others in (".local/share", ".cache", ".config"):
                (self.home / made_by_others).mkdir(parents=True)
            if program.saves:
                (self.home / program.saves).parent.mkdir(parents=True, exist_ok=True)
            program.folder.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, shipped, symlinks=True)
            for number, folder in enumerate(program.also):
                shutil.copytree(folder, disk.folder / f"also {number}", symlinks=True)
            room.punch(KEPT_FREE_BYTES)
            room.close()
        self.run([])  # lets a first start make its files in the home

    def front(self):
        binds = [f'mount --bind {self.disk.folder / "shipped"} {self.program.folder}',
                 *(f'mount --bind "{self.disk.folder}/also {number}" {folder}'
                   for number, folder in enumerate(self.program.also)),
                 *([] if self.has_fuse else [WITHOUT_FUSE])]
        return ["unshare", "--mount", "sh", "-c", " && ".join([*binds, 'exec "$@"']), "sh"]

    def run(self, front, more=()):
        """Runs it once, cold, with the words `more` added to its command."""
        with tempfile.TemporaryDirectory() as log_folder, self.screen(log_folder) as screen, self.disk.cold() as measured:
            environment = {"PATH": os.environ["PATH"] + ":/usr/games", "HOME": str(self.home), "LANG": "C.UTF-8", "DISPLAY": screen,
                           "SDL_AUDIODRIVER": "dummy", "ALSOFT_DRIVERS": "null", "LIBGL_ALWAYS_SOFTWARE": "1"}
            with open(pathlib.Path(log_folder, "log"), "wb") as log:
                process = subprocess.Popen([*self.front(), *map(str, front), *self.program.command, *more], env=environment,
                                           stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/")
                self.wait(process, log_folder)
        return measured | self.taken_save()

    def wait(self, process, folder):
        began = last = time.monotonic()
        reads = 0
        while process.poll() is None and ((now := time.monotonic()) < last + QUIET_S or self.program.ends):
            if now > began + LONGEST_S:
                break
            if (found := self.disk.stats()["reads"]) != reads:
                reads, last = found, now
            time.sleep(0.1)
        if process.poll() is None:
            end_game(process)
        elif not self.program.ends or process.returncode != self.program.code:
            print(f"{self.name} ended by itself: {process.returncode}\n" + pathlib.Path(folder, "log").read_text()[-800:])

    def taken_save(self):
        """Returns the digest of the saved file, and removes the file."""
        if not self.program.saves:
            return {}
        save = self.home / self.program.saves
        digest = hashlib.sha256(save.read_bytes()).hexdigest()
        save.unlink()
        return {"save": digest}

    def screen(self, folder):
        return display(folder) if self.program.shows else contextlib.nullcontext("")

    def play(self, *options, more=()):
        folders = [self.program.folder, *(self.program.also if self.program.serves_all else []),
                   *([self.home / self.program.saves.parent] if self.program.saves else [])]
        return self.run([self.binary, "play", *options, *folders, "--"], more)


def cell(measured):
    return f"{measured['busy_s']:.2f}, {measured['seeks']}"


def median(runs):
    return {key: statistics.median(run[key] for run in runs) for key in ("busy_s", "seeks")}


def measure(name, program, rounds, drive, work, binary, has_fuse):
    with tempfile.TemporaryDirectory(dir=work) as folder, \
            Disk(pathlib.Path(folder) / "disk", "--tables", "usual", "--drive", drive) as disk:
        installed = OnUsedDisk(disk, name, program, binary, has_fuse)
        plain = median([installed.run([]) for _ in range(rounds)])
        first, second = installed.play(), installed.play()
        learned = median([installed.play() for _ in range(rounds)])
        cells = [cell(run) for run in (plain, first, second, learned)]
        if has_fuse:
            installed.play("--lay-out")
            cells.append(cell(median([installed.play() for _ in range(rounds)])))
        else:
            cells.append("-")
        if program.other:
            print(f"{name}, another start: {cell(installed.run([], program.other))} plainly, "
                  f"{cell(installed.play(more=program.other))} by play", file=sys.stderr)
        worst = max(run["busy_s"] for run in (first, second, learned)) / plain["busy_s"]
        print(f"| {name} | " + " | ".join(cells) + f" | {worst:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--drive", default="wd-black-1tb")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--binary", type=pathlib.Path, default=SEEKLESS)
    parser.add_argument("--without-fuse", action="store_true")
    parser.add_argument("--folder", help="measure the program that is the command")
    parser.add_argument("--ends", action="store_true", help="that program ends by itself")
    parser.add_argument("words", nargs="*", metavar="PROGRAM", help=f"[all of {', '.join(PROGRAMS)}]")
    options = parser.parse_args()
    chosen = {name: PROGRAMS[name] for name in options.words or PROGRAMS} if options.folder is None else \
        {pathlib.Path(options.words[0]).name: Program(options.folder, options.words, ends=options.ends)}
    print("| | plain | first `play` | second | learned | laid out | x |\n|---|---:|---:|---:|---:|---:|---:|", flush=True)
    for name, program in chosen.items():
        measure(name, program, options.rounds, options.drive, options.work, options.binary, not options.without_fuse)


if __name__ == "__main__":
    main()
