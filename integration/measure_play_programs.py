"""Times Debian's programs that no test knows by `seekless play` on a used disk (measure_play_holes.py): it never hurts.

Usage: measure_play_programs.py [--without-fuse] [--saves] [PROGRAM...]
Each is installed first: apt-get install beneath-a-steel-sky flight-of-the-amazon-queen freedroidrpg freedoom dsda-doom naev
pingus renpy-demo simutrans flare. The table has the disk's busy seconds and seeks, single runs: plain, first and second
`play`, and the larger of both divided by plain. With --saves, a program isn't run; instead a shell in its folder writes a
file at home and ends with 37 by `play` and plainly, and "same" says that the file and the exit code are the same.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "hdd")]
from bench import SEEKLESS, Disk
from measure_play_holes import OnUsedDisk, Program, cell

SHARE, DATA = "/usr/share", "/usr/share/games"
PROGRAMS = {
    "sky": Program(f"{SHARE}/scummvm/beneath-a-steel-sky", ["/usr/games/sky"]),
    "queen": Program(f"{SHARE}/scummvm/flight-of-the-amazon-queen", ["/usr/games/queen"]),
    "freedroidrpg": Program(f"{SHARE}/freedroidrpg", ["/usr/games/freedroidRPG", "-w", "-n"]),
    "doom": Program(f"{DATA}/doom", ["/usr/games/dsda-doom", "-iwad", f"{DATA}/doom/freedoom2.wad", "-warp", "3", "-window", "-nosound"]),
    "naev": Program(f"{SHARE}/naev", ["/usr/games/naev", "--mute"]),
    "pingus": Program(f"{DATA}/pingus", ["/usr/games/pingus", "--window", "--disable-sound"]),
    "renpy": Program(f"{DATA}/renpy", ["/usr/games/renpy-demo"]),
    "simutrans": Program(f"{DATA}/simutrans", ["/usr/games/simutrans", "-nosound", "-nomidi"]),
    "flare": Program(f"{DATA}/flare", ["/usr/games/flare"]),
}
SAVE = 'find . -type f | sort | xargs -d "\\n" sha256sum > "$0"; exit 37'


def measure(name, program, has_fuse):
    with tempfile.TemporaryDirectory() as folder, Disk(pathlib.Path(folder) / "disk", "--tables", "usual") as disk:
        used = OnUsedDisk(disk, name, program, has_fuse=has_fuse)
        plain, first, second = used.run([]), used.play(), used.play()
    worst = max(first["busy_s"], second["busy_s"]) / plain["busy_s"]
    print(f"| {name} | {cell(plain)} | {cell(first)} | {cell(second)} | {worst:.2f} |", flush=True)


def saves_the_same(program):
    with tempfile.TemporaryDirectory() as folder:
        outcomes = []
        for front in ([], [SEEKLESS, "play", "--always", "--state", f"{folder}/state", program.folder, "--"]):
            save = pathlib.Path(folder, "save")
            done = subprocess.run([*map(str, front), "sh", "-c", SAVE, str(save)], cwd=program.folder, capture_output=True)
            outcomes.append((done.returncode, save.read_bytes()))
            save.unlink()
    return outcomes[0] == outcomes[1] and outcomes[0][0] == 37


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--without-fuse", action="store_true")
    parser.add_argument("--saves", action="store_true")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", default=list(PROGRAMS), help=f"[all of {', '.join(PROGRAMS)}]")
    options = parser.parse_args()
    there = [name for name in options.programs if PROGRAMS[name].folder.is_dir()]
    for name in options.programs:
        if name not in there:
            print(f"{name}: not installed", file=sys.stderr)
    if options.saves:
        different = [name for name in there if not saves_the_same(PROGRAMS[name])]
        print(f"{len(there) - len(different)} of {len(there)} the same")
        sys.exit(f"not the same: {', '.join(different)}" if different else 0)
    print("| | plain | first `play` | second | x |\n|---|---:|---:|---:|---:|", flush=True)
    for name in there:
        measure(name, PROGRAMS[name], not options.without_fuse)


if __name__ == "__main__":
    main()
