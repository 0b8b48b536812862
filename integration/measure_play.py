"""Times an unmodified game that is served by `seekless play`, on the emulated disk, cold: as shipped, the first run, the
third, another map's, laid out, and laid out with that other map.

Usage: measure_play.py [--game GAME] [--rounds N] [--memory-mb MB] [--apart-gb GB] [--work DIR] [--other MAP] [MAP]
       (default: OpenArena's map/oa_dm1)
Busy seconds, reads and seeks are the disk's, medians of N cold runs. Then come the wall times until the map is loaded
and until the last read, and the longest wait for one read, which is known only for served folders. --memory-mb: limit
of memory for the game, the server and their page cache together. --apart-gb: distance between the archives [all over
the disk].
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import statistics
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "hdd")]
from bench import SEEKLESS, Disk, run
from recorded_games import GAMES, PROGRAMS, wait_for_load
from recording import all_below, name_of

COLUMNS = ("busy_s", "seeks", "reads", "there_s", "last_s", "longest_ms")


@contextlib.contextmanager
def memory_group(mb):
    """Returns the words with which a shell enters a control group that allows this much memory; None: no limit."""
    if mb is None:
        yield ":"
        return
    top = pathlib.Path("/sys/fs/cgroup")
    first_version = (top / "memory").is_dir()
    group = (top / "memory" if first_version else top) / f"seekless-measure-{os.getpid()}"
    group.mkdir()
    (group / ("memory.limit_in_bytes" if first_version else "memory.max")).write_text(str(mb << 20))
    try:
        yield f"echo $$ > {group}/cgroup.procs"
    finally:
        group.rmdir()


class Installed:
    """Puts the game's archives far apart on a disk, and its other files where the file system places them."""

    def __init__(self, disk, game, enter=":"):
        self.disk, self.game, self.enter = disk, game, enter
        shipped = disk.folder / "shipped"
        for number, name in enumerate(game.archives):
            run(HERE / "hdd/hdd", "put", disk.folder, game.data / name, "--at", game.start_of(number),
                "--into", (pathlib.Path("shipped") / name).parent)
        shutil.copytree(game.data, shipped, dirs_exist_ok=True,
                        ignore=lambda folder, names: [name for name in names
                                                      if str(pathlib.Path(folder, name).relative_to(game.data)) in game.archives])

    def front(self, *command):
        """Returns the front of a command that mounts these files over the game's own."""
        bind = f'{self.enter} && mount --bind {self.disk.folder / "shipped"} {self.game.data} && exec "$@"'
        return ["unshare", "--mount", "sh", "-c", bind, "sh", *map(str, command)]


class Measuring:
    def __init__(self, installed, rounds, binary):
        self.installed, self.disk, self.game, self.rounds, self.binary = installed, installed.disk, installed.game, rounds, binary
        self.told = self.disk.folder.with_name("told.json")

    def load(self, scenario, state=None, options=()):
        """Runs one cold load. The game is then ended, so that `play` stores what it learned."""
        served = [self.binary, "play", "--state", state, "--json", self.told, *options, self.game.data, "--"] if state else []
        with self.disk.cold():
            with self.game.module.running(scenario, before=self.installed.front(*served)) as running:
                waited = wait_for_load(self.game, running, self.disk)
                stats = self.disk.stats()
                end_game(running.process)
        told = json.loads(self.told.read_text()) if state else {}
        return {**stats, **waited, "longest_ms": told.get("foreseen", {}).get("longest_wait_s", 0) * 1000}

    def median(self, make):
        found = [make() for _ in range(self.rounds)]
        return {key: statistics.median(each[key] for each in found) for key in COLUMNS}


def end_game(process):
    """Kills the game and its children with SIGKILL, because on SIGTERM it sometimes hangs in its own signal handler.
    `play` continues, and stores what it learned."""
    games = [pid for pid in all_below(process.pid) if name_of(pid) != "seekless-serve"]
    for pid in [*([] if name_of(process.pid) == "seekless" else [process.pid]), *games]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait(timeout=120)


def say(name, of):
    print(f"| {name} | {of['busy_s']:.2f} | {of['seeks']:.0f} | {of['reads']:.0f} | {of['there_s']:.1f} | {of['last_s']:.1f} | {of['longest_ms']:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("map", nargs="?", help="[the first that is known]")
    parser.add_argument("--game", choices=[*GAMES, *PROGRAMS], default="openarena")
    parser.add_argument("--other", help="a map that isn't played before [the next]")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory-mb", type=int)
    parser.add_argument("--apart-gb", type=int)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--binary", type=pathlib.Path, default=SEEKLESS)
    options = parser.parse_args()
    game = {**GAMES, **PROGRAMS}[options.game]
    game.apart_gb = options.apart_gb
    options.map = options.map or game.maps[0]
    options.other = options.other or next(name for name in [*game.maps, *game.module.SCENARIOS] if name != options.map)
    with tempfile.TemporaryDirectory(dir=options.work) as work, Disk(pathlib.Path(work) / "disk", *game.disk_options()) as disk, \
            memory_group(options.memory_mb) as enter:
        state = disk.folder / "state"
        measuring = Measuring(Installed(disk, game, enter), options.rounds, options.binary)
        print("| | busy s | seeks | reads | map there, s | last read, s | longest read, ms |\n|---|---:|---:|---:|---:|---:|---:|", flush=True)
        say(f"{options.map}, as shipped", measuring.median(lambda: measuring.load(options.map)))
        say("first `play`", measuring.load(options.map, state))
        say("second `play`", measuring.load(options.map, state))
        say("third and later `play`", measuring.median(lambda: measuring.load(options.map, state)))
        say(f"{options.other}, as shipped", measuring.median(lambda: measuring.load(options.other)))
        learned = shutil.copytree(state, disk.folder / "learned")
        say(f"{options.other}, with the first map's recordings", measuring.load(options.other, learned))
        measuring.load(options.map, state, ["--lay-out"])
        say(f"{options.map}, laid out", measuring.median(lambda: measuring.load(options.map, state)))
        say(f"{options.other}, with the first map laid out", measuring.load(options.other, state, ["--lay-out"]))
        say(f"{options.map}, laid out with the other", measuring.median(lambda: measuring.load(options.map, state)))
        say(f"{options.other}, laid out with the first", measuring.median(lambda: measuring.load(options.other, state)))
        print(run(options.binary, "play", "--status", "--state", state, game.data, text=True))


if __name__ == "__main__":
    main()
