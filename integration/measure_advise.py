"""Compares the forecasts of `seekless advise` for games with measurements on an emulated disk. The disk's free room was
fragmented when the games were put there.

Usage: measure_advise.py [--drive DRIVE] [--work DIR] [--json FILE] [--figure] [GAME...]
Prints for each game: each command's seconds of a load as shipped, and for each way the forecast and the disk's busy
seconds, cold. Loads are replayed, or entries of archives are read by name as an engine does.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "hdd")]
import figures
from bench import BIN, MIB, SEEKLESS, Disk
from measure_play_holes import KEPT_FREE_BYTES, UsedRoom, bytes_in

WAYS = ("nothing", "play", "laid out", "warm", "place", "overlay", "repack")
TRACES = HERE / "traces"
SHARE = pathlib.Path("/usr/share/games")
READ_LOOSE = """
import sys
for name in sys.stdin.buffer.read().split(b"\\n"):
    with open(name, "rb", 0) as file:
        while file.read(65536):
            pass
"""
LIST_ENTRIES = """
import random, sys, zipfile
names = {entry.filename: None for path in sys.argv[2:] for entry in zipfile.ZipFile(path).infolist() if entry.file_size}
print("\\n".join(random.Random(7).sample(sorted(names), min(len(names), int(sys.argv[1])))))
"""


class Game:
    """A load of a game: a recording that is replayed, or a number of loose files or entries, read in a random order."""

    def __init__(self, folder, recording=None, files=None, entries=None, skips=()):
        self.folder, self.recording, self.files, self.entries, self.skips = SHARE / folder, recording, files, entries, skips


GAMES = {
    "neverball": Game("neverball", TRACES / "small_games/neverball.1.jsonl.lz4"),
    "freedoom": Game("doom", TRACES / "small_games/freedoom.1.jsonl.lz4"),
    "mrrescue": Game("mrrescue", entries=120),
    "warzone": Game("warzone2100", entries=400),
    "openarena": Game("openarena/baseoa", entries=300),
    "supertux": Game("supertux2", files=500),
    "etr": Game("etr", files=150),
    "hedgewars": Game("hedgewars", files=300),
    "flare": Game("flare", files=300),
    "pingus": Game("pingus", files=400),
    "teeworlds": Game("teeworlds", files=200),
    "wesnoth": Game("wesnoth", files=500),
    "endless-sky": Game("endless-sky", files=400),
}


class OnDisk:
    """A game, installed on a used disk."""

    def __init__(self, disk, game, work):
        self.disk, self.game, self.work = disk, game, work
        self.folder, self.state = disk.folder / "game", disk.folder / "home"
        room = UsedRoom(disk)
        room.punch(bytes_in(game.folder) * 5 // 4 + 32 * MIB)
        shutil.copytree(game.folder, self.folder, symlinks=False, ignore_dangling_symlinks=True)
        self.state.mkdir()
        room.punch(KEPT_FREE_BYTES)
        room.close()
        self.environment = {**os.environ, "XDG_STATE_HOME": str(self.state)}
        self.trace = work / "load.1.trace"
        self.stdin = os.devnull
        self.prepare()

    def archives(self):
        def is_zip(path):
            with open(path, "rb") as file:
                return file.read(2) == b"PK"
        return sorted(str(path) for path in self.folder.iterdir() if path.is_file() and is_zip(path))

    def prepare(self):
        game = self.game
        if game.recording:
            self.seekless("import", game.recording, "--map", f"{game.folder}={self.folder}", "-o", self.trace)
            return
        self.stdin = self.work / "names"
        if game.files:
            names = sorted(str(path) for path in self.folder.rglob("*") if path.is_file())
            self.stdin.write_text("\n".join(random.Random(7).sample(names, min(len(names), game.files))))
        if game.entries:
            listed = subprocess.run([sys.executable, "-c", LIST_ENTRIES, str(game.entries), *self.archives()], check=True,
                                    capture_output=True)
            self.stdin.write_bytes(listed.stdout)
        with open(self.stdin, "rb") as names:
            subprocess.run([SEEKLESS, "record", "-o", self.trace, "--only", f"{self.folder}/**", "--", *self.command()], check=True,
                           stdin=names, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def command(self):
        if self.game.recording:
            return [BIN / "replay", self.trace]
        if self.game.entries:
            return [BIN / "read_zip", *self.archives()]
        return [sys.executable, "-I", "-S", "-c", READ_LOOSE]

    def seekless(self, *words, check=True, **how):
        return subprocess.run([SEEKLESS, *map(str, words)], check=check, env=self.environment, capture_output=True, **how)

    def json(self, *words):
        done = self.seekless(*words, "--json", "-", check=False)
        if done.returncode != 0:
            print(f"{words[0]}: {done.stderr.decode()}", file=sys.stderr)
            return None
        return json.loads(done.stdout)

    def cool_down(self):
        """Drops the game's pages from memory; other programs' name spaces may hold copies of the mount for a moment."""
        for _ in range(60):
            if subprocess.run([HERE / "hdd" / "hdd", "cold", self.disk.folder], capture_output=True).returncode == 0:
                break
            time.sleep(1)
        self.disk.set_read_ahead(128)

    def cold(self, *front, first=None):
        """Runs the load, cold, with the words of `front` before its command, and after the command `first`."""
        command = [str(word) for word in [*front, *self.command()]]
        self.cool_down()
        with self.disk.counted() as measured, open(self.stdin, "rb") as names:
            if first:
                self.seekless(*first)
            subprocess.run(command, check=True, stdin=names, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, env=self.environment)
        return measured["busy_s"]

    def said_as_shipped(self, advice, trace=None):
        """Returns each command's seconds for the load as shipped."""
        trace = trace or self.trace
        shipped = ("verdict", "as_shipped_seconds")
        of = {"advise": advice and advice["as_shipped_seconds"]}
        for name, words in {"analyze": [trace], "analyze --content": [trace, "--content", self.folder]}.items():
            answer = self.json("analyze", *words)
            of[name] = answer and answer[shipped[0]][shipped[1]]
        answer = self.json("place", "--dry-run", self.folder, trace)
        of["place"] = answer and answer["scenarios"][0]["before_s"]
        answer = self.json("warm", "--dry-run", trace, "--content", self.folder)
        of["warm"] = answer and answer["as_shipped_seconds"]
        answer = self.json("repack", "--dry-run", "--in-place", "--force", trace, "--content", self.folder)
        of["repack"] = answer and answer["verdict"]["as_shipped_seconds"]
        return of

    def status(self):
        """Returns the seconds of each load as shipped, from 'play --status'."""
        return [load["as_shipped_seconds"] or 0 for load in self.json("play", "--status", self.folder)["loads"]]

    def measure(self, ways):
        play = [SEEKLESS, "play", self.folder, "--"]
        found = {"nothing": self.cold(), "warm": self.cold(first=["warm", self.trace, "--content", self.folder])}
        for _ in range(2):
            self.cold(*play)
        found["play"] = self.cold(*play)
        found["status"] = max(self.status(), default=None)
        found["advise by play"] = self.json("advise", self.folder)["as_shipped_seconds"]
        self.seekless("play", "--lay-out", self.folder)
        found["laid out"] = self.cold(*play)
        trace = self.work / "play.1.trace"
        self.cold(SEEKLESS, "play", "--trace", trace, self.folder, "--")
        found["status after --trace"] = self.status()
        found["said of play's trace"] = self.said_as_shipped(self.json("advise", self.folder, trace), trace)
        overlay = next((way for way in ways if way["way"] == "overlay" and way["command"]), None)
        if overlay:
            name = overlay["command"].split()[-1]
            self.seekless("repack", self.trace, "--content", self.folder, "--overlay", name, "--force")
            found["overlay"] = self.cold()
            self.seekless("restore", self.folder)
        if any(way["way"] == "repack" and way["usable"] for way in ways):
            done = self.seekless("repack", self.trace, "--content", self.folder, "--in-place", "--force", check=False)
            if done.returncode == 0:
                found["repack"] = self.cold()
                self.seekless("restore", self.folder)
        foreseen = self.json("place", "--dry-run", self.folder, self.trace)["scenarios"][0]
        placed = self.json("place", self.folder, self.trace)["scenarios"][0]
        found["place"] = self.cold()
        found["place said"] = (foreseen["after_s"], placed["after_s"])
        after = self.json("analyze", self.trace, "--content", self.folder)
        found["analyze after place"] = after["verdict"]["as_shipped_seconds"]
        return found


def measure(name, drive, work):
    with tempfile.TemporaryDirectory(dir=work) as folder, \
            Disk(pathlib.Path(folder) / "disk", "--tables", "usual", "--drive", drive, "--scale", "0.2") as disk:
        installed = OnDisk(disk, GAMES[name], pathlib.Path(folder))
        advice = installed.json("advise", installed.folder, installed.trace)
        said = installed.said_as_shipped(advice)
        found = installed.measure(advice["ways"])
    print(f"\n### {name}\n\nas shipped: " + ", ".join(f"{who} {value:.3f}" if value is not None else f"{who} -"
                                                    for who, value in [*said.items(), ("play --status", found["status"]),
                                                                       ("measured", found["nothing"])]))
    print(f"place: foreseen {found['place said'][0]:.2f}, done {found['place said'][1]:.2f}, measured {found['place']:.2f}, "
          f"analyze then {found['analyze after place']:.2f}\n\n| way | said s | measured s | off |\n|---|---:|---:|---:|")
    for way in advice["ways"]:
        measured = found.get(way["way"])
        off = "" if measured is None or way["seconds"] is None else f"{way['seconds'] / measured - 1:+.0%}"
        cells = [way["way"] + ("" if way["usable"] else " (not here)")] + \
            [f"{value:.2f}" if value is not None else "-" for value in (way["seconds"], measured)] + [off]
        print("| " + " | ".join(cells) + " |", flush=True)
    usable = {way["way"]: found[way["way"]] for way in advice["ways"] if way["usable"] and way["way"] in found}
    print(f"\nbest said: {advice['best']}, best measured: {min(usable, key=usable.get)}", flush=True)
    return {"game": name, "advice": advice, "as_shipped": said, "measured": found}


def figure_row(of):
    """Returns a game's row in docs/figures: for each way the forecast and the measurement."""
    ways = {way["way"]: way for way in of["advice"]["ways"]}
    return [of["game"]] + [[ways[way]["seconds"], of["measured"][way]]
                           if way in ways and ways[way]["usable"] and way in of["measured"] else None for way in WAYS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--drive", default="wd-black-1tb")
    parser.add_argument("--work", default=tempfile.gettempdir())
    parser.add_argument("--json")
    parser.add_argument("--figure", action="store_true", help="writes docs/figures/advise.json")
    parser.add_argument("games", nargs="*", metavar="GAME", default=list(GAMES))
    arguments = parser.parse_args()
    found = [measure(name, arguments.drive, arguments.work) for name in arguments.games or GAMES]
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(found, indent=1))
    if arguments.figure:
        figures.write_rows("advise", [figure_row(of) for of in found])


if __name__ == "__main__":
    main()
