"""Times Debian's programs, which no other test uses, with `seekless play` on a used disk (measure_play_holes.py), to
show that it never hurts.

Usage: measure_play_programs.py [--without-fuse] [--binary FILE] [PROGRAM...]
Each is installed first: apt-get install armagetronad beneath-a-steel-sky chromium-bsu dsda-doom enigma fillets-ng
flight-of-the-amazon-queen freedoom freedroidrpg frozen-bubble lincity-ng mrrescue naev neverball octave openttd
openttd-opengfx pingus r-base-core renpy-demo simutrans singularity trigger-rally tuxmath tuxpaint The table has the
disk's busy seconds and seeks, single runs: plain, first and second `play`, and the larger of both divided by plain. The
programs that save something end by themselves, each with its own exit code; "same" says that they saved the same bytes
with `play`, in a served folder. A wrong exit code is reported.
"""
import argparse
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "hdd")]
from bench import SEEKLESS, Disk
from measure_play_holes import OnUsedDisk, Program, cell

SHARE, DATA, GAMES = "/usr/share", "/usr/share/games", "/usr/games"


def game(folder, *command):
    return Program(folder, [f"{GAMES}/{command[0]}", *command[1:]])


def saver(folder, saves, code, *command):
    return Program(folder, command, ends=True, shows=False, saves=saves, code=code)


PROGRAMS = {
    "Armagetron": game(f"{DATA}/armagetronad", "armagetronad"),
    "Beneath a Steel Sky": game(f"{SHARE}/scummvm/beneath-a-steel-sky", "sky"),
    "Chromium B.S.U.": game(f"{DATA}/chromium-bsu", "chromium-bsu", "--window", "--noaudio"),
    "Enigma": game(f"{DATA}/enigma", "enigma", "--window", "--nosound"),
    "Fish Fillets": game(f"{DATA}/fillets-ng", "fillets"),
    "Flight of the Amazon Queen": game(f"{SHARE}/scummvm/flight-of-the-amazon-queen", "queen"),
    "Freedoom": game(f"{DATA}/doom", "dsda-doom", "-iwad", f"{DATA}/doom/freedoom2.wad", "-warp", "3", "-window", "-nosound"),
    "FreedroidRPG": game(f"{SHARE}/freedroidrpg", "freedroidRPG", "-w", "-n"),
    "Frozen Bubble": game(f"{DATA}/frozen-bubble", "frozen-bubble", "--no-fullscreen", "--no-sound"),
    "LinCity": game(f"{DATA}/lincity-ng", "lincity-ng", "--window", "--mute"),
    "Mr. Rescue": game(f"{DATA}/mrrescue", "mrrescue"),
    "Naev": game(f"{SHARE}/naev", "naev", "--mute"),
    "Neverball": game(f"{DATA}/neverball", "neverball"),
    "Octave saves a matrix": saver(f"{SHARE}/octave", "saved/matrix", 9, "octave-cli", "--eval",
                                   "a = magic(40); save('-binary', [getenv('HOME') '/saved/matrix'], 'a'); exit(9)"),
    "OpenTTD saves a game": saver(f"{DATA}/openttd", ".local/share/openttd/save/autosave/autosave0.sav", 0, f"{GAMES}/openttd",
                                  "-g", "-G", "7", "-v", "null:ticks=4000", "-s", "null", "-m", "null", "-x"),
    "Pingus": game(f"{DATA}/pingus", "pingus", "--window", "--disable-sound"),
    "R saves a model": saver("/usr/lib/R", "saved/model", 7, "Rscript", "-e",
                             "saveRDS(lm(mpg ~ ., mtcars), '~/saved/model'); quit(status = 7)"),
    "Ren'Py": game(f"{DATA}/renpy", "renpy-demo"),
    "Simutrans": game(f"{DATA}/simutrans", "simutrans", "-nosound", "-nomidi"),
    "Singularity": game("/usr/lib/python3/dist-packages/singularity", "singularity", "--nosound"),
    "Trigger Rally": game(f"{DATA}/trigger-rally", "trigger-rally"),
    "Tux Math": game(f"{SHARE}/tuxmath", "tuxmath", "--windowed", "--nosound"),
    "Tux Paint": Program(f"{SHARE}/tuxpaint", ["/usr/bin/tuxpaint", "--windowed", "--nosound", "--nolockfile"]),
}


def measure(name, program, binary, has_fuse):
    with tempfile.TemporaryDirectory() as folder, Disk(pathlib.Path(folder) / "disk", "--tables", "usual") as disk:
        used = OnUsedDisk(disk, name, program, binary, has_fuse)
        plain, first, second = used.run([]), used.play(), used.play()
    worst = max(first["busy_s"], second["busy_s"]) / plain["busy_s"]
    saves = {run.get("save") for run in (plain, first, second)}
    same = "" if not program.saves else "same" if len(saves) == 1 else "different"
    print(f"| {name} | {cell(plain)} | {cell(first)} | {cell(second)} | {worst:.2f} | {same} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--without-fuse", action="store_true")
    parser.add_argument("--binary", type=pathlib.Path, default=SEEKLESS)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", default=list(PROGRAMS), help=f"[all of {', '.join(PROGRAMS)}]")
    options = parser.parse_args()
    print("| | plain | first `play` | second | x | saved |\n|---|---:|---:|---:|---:|---|", flush=True)
    for name in options.programs:
        if PROGRAMS[name].folder.is_dir():
            measure(name, PROGRAMS[name], options.binary, not options.without_fuse)
        else:
            print(f"{name}: not installed", file=sys.stderr)


if __name__ == "__main__":
    main()
