"""Times programs for Windows by `seekless play` under Wine, on an emulated disk that was used before: files lie in holes.

Usage: measure_play_windows.py [--rounds N] [--drive DRIVE] [--work DIR] [--binary FILE] [CASE...]
Cases: loose (2,000 files, read whole in any order), zip (pieces of an archive in some 300 pieces, in any order), 7zip (7-Zip
packs the 2,000 files).
Each figure is the disk's busy seconds and seeks until the program has ended, cold: plain, the first run by `play` and the
second, then learned, and plain and learned are medians of N runs, in turn. Wine's own files lie elsewhere.
"""
import argparse
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
sys.path[:0] = [str(HERE), str(HERE / "hdd")]
import measure_play_holes
from bench import MIB, Disk
from measure_play_holes import UsedRoom, bytes_in
from test_record_on_windows import COMPILER, program_of_npm
from tool import run_by_wine, windows_environment

FILES, PIECES = 2000, 300
GAME = "game"


def make_files(folder):
    chance = random.Random(47)
    for number in range(FILES):
        path = folder / f"{number % 40:02}" / f"{number:04}.dat"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(chance.randbytes(chance.randrange(4_000, 60_000)))


def loose(folder):
    make_files(folder)
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.dat"))
    return [(0, 1 << 20, name) for name in names]


def zipped(folder):
    with tempfile.TemporaryDirectory() as made:
        make_files(pathlib.Path(made))
        with zipfile.ZipFile(folder / "data.zip", "w") as archive:
            for path in sorted(pathlib.Path(made).rglob("*.dat")):
                archive.write(path, path.relative_to(made))
    with zipfile.ZipFile(folder / "data.zip") as archive:
        return [(one.header_offset, one.compress_size + 60, "data.zip") for one in archive.infolist()]


class OnUsedDisk:
    """Files of a game on a used disk, and a program that reads them in the plan's order."""

    def __init__(self, disk, case, work, binary):
        self.disk, self.case, self.tool = disk, case, run_by_wine(binary)
        self.state, self.out = work / "state", work / "out.zip"
        self.folder = disk.folder / GAME
        with tempfile.TemporaryDirectory(dir=work) as made:
            source = pathlib.Path(made, GAME)
            source.mkdir()
            reads = (zipped if case == "zip" else loose)(source)
            size = bytes_in(source)
            piece = size // PIECES // 4096 * 4096
            measure_play_holes.HOLE_BYTES = (piece * 7 // 8, piece * 9 // 8)
            room = UsedRoom(disk)
            room.punch(size * 5 // 4 + 8 * MIB)
            shutil.copytree(source, self.folder)
            room.close()
        self.program = self.command_for(reads, work)

    def command_for(self, reads, work):
        if self.case == "7zip":
            packer = program_of_npm("7za.exe", work)
            return [packer, "a", "-tzip", "-mx0", "-bd", self.out, self.folder]
        random.Random(5).shuffle(reads)
        plan = work / "plan"
        plan.write_text("".join(f"{at} {length} {self.folder}/{name}\n" for at, length, name in reads))
        reader = work / "planned_reads.exe"
        subprocess.run([COMPILER, "-O1", "-municode", "-static", HERE / "windows/planned_reads.c", "-o", reader], check=True)
        return [reader, plan]

    def run(self, command):
        self.out.unlink(missing_ok=True)
        with self.disk.cold() as measured:
            done = subprocess.run(list(map(str, command)), env={**os.environ, **windows_environment()},
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode not in (0, 7):
            sys.exit(f"{command} ended with {done.returncode}")
        return measured

    def plain(self):
        return self.run(["wine", *self.program])

    def play(self):
        return self.run([self.tool, "play", "--state", self.state, self.folder, "--", *self.program])


def cell(measured):
    return f"{measured['busy_s']:.2f}, {measured['seeks']:.0f}"


def median(runs):
    return {key: statistics.median(run[key] for run in runs) for key in ("busy_s", "seeks", "wall_s")}


def measure(case, rounds, drive, work, binary):
    with tempfile.TemporaryDirectory(dir=work) as folder, \
            Disk(pathlib.Path(folder) / "disk", "--tables", "usual", "--drive", drive) as disk:
        installed = OnUsedDisk(disk, case, pathlib.Path(folder), binary)
        installed.plain()  # what Wine makes at a first start
        plain, learned = [installed.plain()], []
        first, second = installed.play(), installed.play()
        for _ in range(rounds):
            learned.append(installed.play())
            plain.append(installed.plain())
        plain, learned = median(plain), median(learned)
        cells = [cell(run) for run in (plain, first, second, learned)]
        print(f"| {case} | {' | '.join(cells)} | {first['busy_s'] / plain['busy_s']:.2f} | "
              f"{learned['busy_s'] / plain['busy_s']:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--drive", default="wd-black-1tb")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--binary", type=pathlib.Path, default=TOP / "build/windows/bin/seekless.exe")
    parser.add_argument("cases", nargs="*", metavar="CASE", default=["loose", "zip", "7zip"])
    options = parser.parse_args()
    print("| | plain | first `play` | second | learned | first / plain | learned / plain |\n|---|---:|---:|---:|---:|---:|---:|",
          flush=True)
    for case in options.cases:
        measure(case, options.rounds, options.drive, options.work, options.binary.resolve())


if __name__ == "__main__":
    main()
