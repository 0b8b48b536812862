"""Compares Debian's programs with and without `seekless play`: their exit codes and the bytes they write.

Usage: compare_play_programs.py [--binary FILE] [--seconds S] [PROGRAM...]
The programs are the same as in measure_play_programs.py, and are installed as it says. Each starts with a new home,
twice plainly and once with `play --always`, which serves its folder and the home. A game that doesn't end by itself
gets SIGTERM after S seconds, and killed after ten more. Files that the two plain runs write differently (times, random
numbers) aren't compared.
"""
import argparse
import contextlib
import hashlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "hdd")]
from bench import SEEKLESS
from measure_play import end_game
from measure_play_programs import PROGRAMS
from recording import all_below, name_of
from warzone import display

LONGEST_S = 120


def digests(home):
    return {str(path.relative_to(home)): "-> " + os.readlink(path) if path.is_symlink() else
            f"{path.stat().st_mode:o} " + (hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "")
            for path in home.rglob("*")}


def quit_game(process):
    """Sends SIGTERM to the game, as an ending desktop session does; returns once the game has ended."""
    for pid in {process.pid, *all_below(process.pid)}:
        if not name_of(pid).startswith("seekless"):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        end_game(process)


def run(program, work, front, seconds):
    """Returns the exit code and the home's content afterwards. The home has the same path each time."""
    home = work / "home"
    for folder in [".local/share", ".config", ".cache", *([program.saves.parent] if program.saves else [])]:
        (home / folder).mkdir(parents=True, exist_ok=True)
    with display(work) as screen, open(work / "log", "wb") as log:
        environment = {"PATH": os.environ["PATH"] + ":/usr/games", "HOME": str(home), "LANG": "C.UTF-8", "DISPLAY": screen,
                       "SDL_AUDIODRIVER": "dummy", "ALSOFT_DRIVERS": "null", "LIBGL_ALWAYS_SOFTWARE": "1"}
        process = subprocess.Popen([*front, *program.command], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                   start_new_session=True, cwd="/")
        try:
            process.wait(timeout=LONGEST_S if program.ends else seconds)
        except subprocess.TimeoutExpired:
            quit_game(process)
    code = process.returncode if process.returncode >= 0 else 128 - process.returncode
    found = digests(home)
    subprocess.run(["rm", "-rf", home], check=True)
    return code, found


def compare(name, program, binary, seconds):
    with tempfile.TemporaryDirectory(prefix="compare-") as folder:
        work = pathlib.Path(folder)
        play = [binary, "play", "--always", "--state", work / "state", program.folder, work / "home", "--"]
        (code, first), (again, second) = (run(program, work, [], seconds) for _ in range(2))
        played, third = run(program, work, play, seconds)
    same = {path for path in first if first[path] == second.get(path)}
    differs = sorted(path for path in same if third.get(path) != first[path]) + \
        sorted(path for path in third if path not in first and path not in second)
    codes = str(code) if code == again else f"{code} or {again}"
    print(f"| {name} | {codes} | {played} | {len(first)} | {len(same)} | {', '.join(differs) or 'none'} |", flush=True)
    return played in (code, again) and not differs


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=pathlib.Path, default=SEEKLESS)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", default=list(PROGRAMS), help=f"[all of {', '.join(PROGRAMS)}]")
    options = parser.parse_args()
    print("| | exit code | by `play` | files | the same each time | different by `play` |\n|---|---:|---:|---:|---:|---|", flush=True)
    all_same = [compare(name, PROGRAMS[name], options.binary, options.seconds) for name in options.programs]
    sys.exit(0 if all(all_same) else 1)


if __name__ == "__main__":
    main()
