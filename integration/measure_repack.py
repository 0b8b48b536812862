#!/usr/bin/python3
"""Times unmodified games on an emulated disk, cold, before and after `seekless repack`: what
`script/bench repack-games` runs.

The archives lie 60 GB apart or more, as on a disk that has been used for years. Each map is loaded by
the game itself: from the archives as they are shipped; repacked for all recorded maps, as by default,
stored, and with the old compression kept; with an overlay beside the shipped ones; and the default and
the overlay made from recordings of the other maps only. Busy seconds are the disk's own; they don't
depend on what else the machine does.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
sys.path[:0] = [str(HERE), str(HERE / "hdd")]
import openarena
import warzone
from bench import SEEKLESS, Disk, run

GB = 10**9
QUIET_S, LONGEST_S = 5, 300  # idle seconds after the load that end a measurement; a longer measurement has failed


class Game:
    def __init__(self, name, module, archives, maps, over, overlay=None):
        self.name, self.module, self.archives, self.maps = name, module, archives, maps
        self.overlay = overlay  # what an archive is called that the engine takes beside the others
        self.over = over  # what is bound over the game's own: "folder" or "files"
        self.traces = sorted((HERE / "traces" / name).glob("*.lz4"))
        self.data = pathlib.Path(module.DATA)

    def others(self, scenario):
        front = scenario.replace("/", "+") + "."
        return [trace for trace in self.traces if not trace.name.startswith(front)]

    def instead(self, folder):
        """A command's front, for which the archives in `folder` are the game's."""
        pairs = [(folder, self.data)] if self.over == "folder" else [
            (folder / name, self.data / name) for name in self.archives]
        binds = " && ".join(f"mount --bind {new} {old}" for new, old in pairs)
        return ["unshare", "--mount", "sh", "-c", f'{binds} && exec "$@"', "sh"]


GAMES = {
    "openarena": Game("openarena", openarena, openarena.archives(),
                      ["map/oa_dm1", "map/am_thornish", "map/oacmpdm3"], "folder", "z_zz_seekless.pk3"),
    "warzone2100": Game("warzone2100", warzone, ["base.wz", "mp.wz"],
                        ["map/cam_1a", "map/rush", "map/highground"], "files"),
}


def play(disk, game, place, scenario):
    """Until the map is there and the disk has been idle for a while; wall seconds to the last read."""
    more = {"beside": place.beside} if place.beside else {}
    with game.module.running(scenario, before=game.instead(place.folder), **more) as running:
        began = last = time.monotonic()
        reads = 0
        while (now := time.monotonic()) < last + QUIET_S or not running.loaded_map():
            if running.process.poll() is not None:
                raise SystemExit("measure_repack: the game ended by itself:\n" + running.log())
            if now > began + LONGEST_S:
                raise SystemExit(f"measure_repack: {scenario} isn't there after {LONGEST_S} s:\n" + running.log())
            if (found := disk.stats()["reads"]) != reads or not running.loaded_map():
                reads, last = found, now
            time.sleep(0.1)
    return last - began


class Place:
    """Where the archives lie that a game is to find, and those that lie beside them."""

    def __init__(self, folder, beside=()):
        self.folder, self.beside = folder, list(beside)


class Measuring:
    def __init__(self, disk, game, work, words, rounds):
        self.disk, self.game, self.work, self.words, self.rounds = disk, game, work, words, rounds
        self.variants = 0

    def put(self, name, folder):
        """The n-th archive of each variant lies in the n-th stretch of the disk."""
        stretch = 900 * GB // len(self.game.archives)
        for number, archive in enumerate(self.game.archives):
            at = number * stretch + stretch // 2 + self.variants * GB
            run(HERE / "hdd/hdd", "put", self.disk.folder, folder / archive, "--at", at, "--into", name)
        self.variants += 1
        return Place(self.disk.folder / name)

    def repack(self, name, traces, *words):
        out = self.work / name
        run(SEEKLESS, "repack", *traces, "--content",
            *(self.game.data / archive for archive in self.game.archives), "-o", out, *words, *self.words,
            stderr=subprocess.DEVNULL)
        return self.put(name, out)

    def overlay(self, name, traces):
        """The shipped archives, and an overlay after the last of them, where the disk is slow."""
        out = self.work / name
        run(SEEKLESS, "repack", *traces, "--content", self.game.data, "--overlay", self.game.overlay, "-o", out,
            *self.words, stderr=subprocess.DEVNULL)
        run(HERE / "hdd/hdd", "put", self.disk.folder, out / self.game.overlay,
            "--at", 900 * GB + self.variants * GB, "--into", name)
        self.variants += 1
        return Place(self.disk.folder / "shipped", [self.disk.folder / name / self.game.overlay])

    def busy(self, place, scenario):
        """Of as many loads: the median by busy seconds."""
        found = []
        for _ in range(self.rounds):
            with self.disk.cold() as measured:
                seconds = play(self.disk, self.game, place, scenario)
            found.append({**measured, "wall_s": seconds})
        return sorted(found, key=lambda each: each["busy_s"])[len(found) // 2]


VARIANTS = {"as shipped": "as shipped", "default": "repacked, default", "stored": "all stored", "kept": "all kept",
            "overlay": "overlay", "unrecorded": "default, from the other maps' recordings",
            "overlay unrecorded": "overlay, likewise"}
OPTIONS = {"default": [], "stored": ["--compression", "store"], "kept": ["--compression", "keep"]}


def place_of(measuring, made, name, scenario):
    """Where the archives of a variant lie; each is made once, or for each scenario that is left out."""
    game = measuring.game
    key = f"{name} {scenario}" if name.endswith("unrecorded") else name
    slug = key.replace("/", "-").replace(" ", "-")
    if key not in made:
        traces = game.others(scenario) if name.endswith("unrecorded") else game.traces
        made[key] = (measuring.put("shipped", game.data) if name == "as shipped" else
                     measuring.overlay(slug, traces) if name.startswith("overlay") else
                     measuring.repack(slug, traces, *OPTIONS.get(name, [])))
    return made[key]


def measure(disk, game, work, words=(), rounds=1, variants=tuple(VARIANTS)):
    measuring = Measuring(disk, game, work, words, rounds)
    variants = [name for name in variants if game.overlay or not name.startswith("overlay")]
    made, rows = {}, []
    print(f"\n### {game.name}, busy seconds (reads, seeks; wall seconds)\n", flush=True)
    print("| load | " + " | ".join(VARIANTS[name] for name in variants) + " |")
    print("|---|" + "---:|" * len(variants), flush=True)
    for scenario in game.maps:
        row = {"load": scenario}
        for name in variants:
            row[name] = measuring.busy(place_of(measuring, made, name, scenario), scenario)
        rows.append(row)
        print(f"| `{scenario}` | " + " | ".join(cell(row, name) for name in variants) + " |", flush=True)
    return rows


def cell(row, name):
    of = row[name]
    faster = "" if name == "as shipped" else f", {row['as shipped']['busy_s'] / of['busy_s']:.1f}x"
    return f"{of['busy_s']:.2f}{faster} ({of['reads']:,}, {of['seeks']:,}; {of['wall_s']:.0f})"


def bench(work, games=tuple(GAMES), words=(), rounds=1, variants=tuple(VARIANTS), drive="wd-black-1tb",
          json_file=TOP / "build/bench/repack-games.json"):
    results = {}
    for name in games:
        with Disk(work / f"disk-{name}", "--drive", drive) as disk:
            folder = work / name
            folder.mkdir()
            results[name] = measure(disk, GAMES[name], folder, words, rounds, variants)
    if json_file is not None:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(json.dumps(results, indent=1))
        print(f"\n{json_file}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("game", nargs="*", default=list(GAMES), help=" ".join(GAMES) + " [all]")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--variant", action="append", choices=list(VARIANTS)[1:], help="repeatable [all]")
    parser.add_argument("--option", action="append", default=[], help="of repack, such as --option=--align=512")
    parser.add_argument("--work", type=pathlib.Path, help="where to put the disk and archives")
    options = parser.parse_args()
    variants = ["as shipped", *options.variant] if options.variant else tuple(VARIANTS)
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        bench(pathlib.Path(work), options.game, options.option, options.rounds, variants)


if __name__ == "__main__":
    main()
