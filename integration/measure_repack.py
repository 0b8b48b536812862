#!/usr/bin/python3
"""Times unmodified games on an emulated disk, cold, before and after `seekless repack`. `script/bench repack-games`
runs it.

The archives lie 60 GB apart or more, as on a disk that has been used for years. Each map is loaded by the game itself:
from the shipped archives; from archives repacked for all recorded maps (by default, all stored, and with the old
compression kept); with an overlay beside the shipped archives; and from the default and the overlay made from
recordings of the other maps only. A small program also replays the game's first recording, because a game may read
something else each time. Then loads after `seekless warm` are timed, including the time of `warm`; and, for engines
that could read packs, loads from packs, swept by a small program. Loose files lie where the file system puts them.
Beside each figure stands its forecast. The last column is the bound: all needed bytes in one range of each pack. Busy
seconds are the disk's own; they don't depend on the machine's other work.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
sys.path[:0] = [str(HERE), str(HERE / "hdd")]
import figures
from bench import BIN, SEEKLESS, Disk, average_access_s, bound_of_packs, packs_by_scenario, run, simulate
from recorded_games import GAMES, GB, installed, wait_for_load
from recording import end_recorded

SPAN = 4 * GB  # room for one variant in each stretch of the disk; no archive is longer


def play(disk, game, place, scenario, trace=None):
    """Returns wall seconds to the last read. `trace`: where to record it."""
    more = {"beside": place.beside} if place.beside else {}
    recorder = [SEEKLESS, "record", "-o", trace, "--scenario", scenario, "--only", f"{game.data}/**", "--"] if trace else []
    with game.module.running(scenario, before=[*game.instead(place.folder), *recorder], **more) as running:
        seconds = wait_for_load(game, running, disk)["last_s"]
        if trace:
            end_recorded(running.process)
        return seconds


class Place:
    """The places of the archives that a game finds, and of the archives beside them; and the model's figures for a
    load."""

    def __init__(self, folder, beside=(), forecast=None):
        self.folder, self.beside, self.forecast = folder, list(beside), forecast or {}


class Measuring:
    def __init__(self, disk, game, work, words, rounds, drive):
        self.disk, self.game, self.work, self.words, self.rounds, self.drive = disk, game, work, words, rounds, drive
        self.variants = 0
        self.before = {}  # the model's figures for loads as shipped, by scenario
        self.in_packs = {}  # the model's figures for sweeps of packs, with the bound

    def place(self, file, at, into):
        run(HERE / "hdd/hdd", "put", self.disk.folder, *file, "--at", at, "--into", into)

    def put(self, name, folder):
        """Puts the n-th archive of each variant into the n-th part of the disk, and loose files where the file system
        chooses, as an installer does."""
        for number, archive in enumerate(self.game.archives):
            found = next(folder.rglob(pathlib.Path(archive).name))  # repacked archives lie in one folder
            self.place([found], self.game.start_of(number) + self.variants * SPAN, (pathlib.Path(name) / archive).parent)
        if not self.game.archives:
            shutil.copytree(folder, self.disk.folder / name)
            os.sync()
        self.variants += 1
        return self.disk.folder / name

    def repack(self, name, traces, *options):
        """Repacks, or makes an overlay; returns the folder, and the model's figures of each scenario before and
        after."""
        out = self.work / name
        placed = [word for number, archive in enumerate(self.game.archives)
                  for word in ("--place", f"{pathlib.Path(archive).name}={self.game.start_of(number)}")]
        if "--overlay" in options:
            placed += ["--place", f"{self.game.overlay}={self.game.after_archives()}"]
        content = [self.game.data] if "--overlay" in options else self.game.content()
        answer = json.loads(run(SEEKLESS, "repack", *traces, "--content", *content, "-o", out, "--drive", self.drive, *placed,
                                "--json", "-", *options, *self.words, stderr=subprocess.DEVNULL))
        said = {of["name"]: of for of in answer["forecast"]["scenarios"]}
        self.before.update({of: said[of]["before"]["seconds"] for of in said})
        return out, {of: said[of]["after"]["seconds"] for of in said}

    def rewritten(self, name, traces, *options):
        out, said = self.repack(name, traces, *options)
        return Place(self.put(name, out), forecast=said)

    def overlay(self, name, traces):
        """Takes the shipped archives, and puts an overlay after the last of them, where the disk is slow."""
        out, said = self.repack(name, traces, "--overlay", self.game.overlay)
        self.place([out / self.game.overlay], self.game.after_archives() + self.variants * SPAN, name)
        self.variants += 1
        return Place(self.disk.folder / "shipped", [self.disk.folder / name / self.game.overlay], said)

    def packs(self, name):
        """Makes packs from all recordings, in the middle of the disk."""
        layout, packs = self.work / "layout.json", self.work / "packs"
        run(SEEKLESS, "plan", *self.game.traces, "--content", *self.game.content(), "-o", layout, stderr=subprocess.DEVNULL)
        run(SEEKLESS, "pack", layout, "-o", packs)
        self.place(sorted(packs.iterdir()), 500 * GB, name)
        packs_of = packs_by_scenario(json.loads(layout.read_text()))
        folder = self.disk.folder / name
        places = [(path.name, self.disk.place_of(f"{name}/{path.name}")) for path in sorted(folder.iterdir())]
        for scenario in self.game.maps:
            said = simulate(self.drive, folder, self.game.runs(scenario)[0], "--content", *self.game.content(), places=places)
            self.in_packs[scenario] = {**said[scenario]["packs"], "packs": packs_of[scenario]}
        return Place(folder, forecast={scenario: of["seconds"] for scenario, of in self.in_packs.items()})

    def busy(self, load, said):
        """Returns the median load by busy seconds, with its message, of that many loads."""
        found = []
        for _ in range(self.rounds):
            with self.disk.cold() as measured:
                seconds = load()
            found.append({**measured, "wall_s": seconds, **said()})
        return sorted(found, key=lambda each: each["busy_s"])[len(found) // 2]

    def warm(self, place, scenario, *options):
        """Runs `warm` with the scenario's recordings."""
        return json.loads(run(SEEKLESS, "warm", *self.game.runs(scenario), "--map", f"{self.game.data}={place.folder}",
                              "--drive", self.drive, "--json", "-", *options, stderr=subprocess.DEVNULL))

    def warmed(self, place, scenario):
        """Loads the game after `warm`."""
        began = time.monotonic()
        self.warm(place, scenario)
        self.warm_s = self.disk.stats()["busy_s"]
        return time.monotonic() - began + play(self.disk, self.game, place, scenario)

    def said_of_loose_files(self, scenario, folder):
        """Returns the model's figures for the recorded reads, with files in the pieces in which they lie on the
        disk."""
        answer = json.loads(run(SEEKLESS, "place", *self.game.runs(scenario), "--content", folder, "--map",
                                f"{self.game.data}={folder}", "--drive", self.drive, "--dry-run", "--json", "-",
                                stderr=subprocess.DEVNULL))
        return {of["name"]: of["before_s"] for of in answer["scenarios"]}[scenario]

    def replayed(self, place, scenario):
        """Replays the reads of the scenario's first recording with a small program."""
        pairs = [(self.game.data / name, place.folder / name) for name in self.game.archives] or [(self.game.data, place.folder)]
        maps = [word for old, new in pairs for word in ("--map", f"{old}={new}")]
        began = time.monotonic()
        run(BIN / "replay", *maps, self.game.runs(scenario)[0])
        return time.monotonic() - began

    def said_of_reads(self, scenario, folder, trace):
        """Returns the model's figures for a trace's reads, from archives in a folder of the disk."""
        archives = [folder / name for name in self.game.archives]
        places = [(path.name, self.disk.place_of(path.relative_to(self.disk.folder))) for path in archives]
        maps = [word for name, path in zip(self.game.archives, archives) for word in ("--map", f"{self.game.data / name}={path}")]
        said = simulate(self.drive, trace, *maps, "--content", *archives, places=places)
        return said[scenario]["today"]["seconds"]

    def swept(self, place, scenario):
        began = time.monotonic()
        run(BIN / "sweep", place.folder, scenario)
        return time.monotonic() - began


VARIANTS = {"as shipped": "as shipped", "replayed": "its recorded reads, replayed", "default": "repacked, default",
            "stored": "all stored", "kept": "all kept", "overlay": "overlay", "unrecorded": "default, from the other maps' recordings",
            "overlay unrecorded": "overlay, likewise", "warm": "`warm`, then the game", "packs": "packs, swept"}
FIGURES = {  # docs/figures: the games, and the variants in a row
    "games-nexuiz": (["nexuiz"], ["as shipped", "default", "unrecorded", "overlay", "overlay unrecorded", "warm", "packs"]),
    "games-supertuxkart": (["supertuxkart"], ["as shipped", "replayed", "warm", "packs"]),
    "games-0ad": (["0ad"], ["as shipped", "default", "unrecorded", "warm", "packs"]),
    "games-openarena-warzone": (["openarena", "warzone2100"], ["as shipped", "default", "unrecorded", "overlay", "warm", "packs"])}
OPTIONS = {"default": [], "stored": ["--compression", "store"], "kept": ["--compression", "keep"]}


def place_of(measuring, made, name, scenario):
    """Returns the place of a variant's files; each is made once, or for each scenario that is left out."""
    game = measuring.game
    if name in ("warm", "replayed"):
        name = "as shipped"
    key = f"{name} {scenario}" if name.endswith("unrecorded") else name
    slug = key.replace("/", "-").replace(" ", "-")
    if key not in made:
        traces = game.others(scenario) if name.endswith("unrecorded") else game.traces
        if name == "as shipped":
            made[key] = Place(measuring.put("shipped", game.data))
        elif name == "packs":
            made[key] = measuring.packs(slug)
        elif name.startswith("overlay"):
            made[key] = measuring.overlay(slug, traces)
        else:
            made[key] = measuring.rewritten(slug, traces, *OPTIONS.get(name, []))
    return made[key]


def load_of(measuring, name, place, scenario):
    """Returns the function that loads, and the function that gives the forecast after the load. The forecast is for
    the recordings, or for the actual reads if the game reads something else each time, or if archives were made
    without its recordings."""
    game, trace = measuring.game, measuring.work / "own.jsonl.lz4"

    def forecast():
        return {"forecast_s": place.forecast.get(scenario)}

    def forecast_of_reads(of):
        if not game.archives:
            return {"forecast_s": measuring.said_of_loose_files(scenario, place.folder)}
        return {"forecast_s": measuring.said_of_reads(scenario, place.folder, of)}

    if name == "packs":
        return lambda: measuring.swept(place, scenario), forecast
    if name == "warm":
        return lambda: measuring.warmed(place, scenario), lambda: {
            "warm_s": measuring.warm_s, "warm_forecast_s": measuring.warm(place, scenario, "--dry-run")["forecast_seconds"]}
    if name == "replayed":
        return lambda: measuring.replayed(place, scenario), lambda: forecast_of_reads(game.runs(scenario)[0])
    if not game.archives:
        return lambda: play(measuring.disk, game, place, scenario), lambda: forecast_of_reads(None)
    if game.reads_alike and name != "unrecorded":
        return lambda: play(measuring.disk, game, place, scenario), forecast
    return lambda: play(measuring.disk, game, place, scenario, trace), lambda: forecast_of_reads(trace)


def fits(game, name):
    """Returns True if the variant is possible for the game."""
    if not game.archives:
        return name in ("as shipped", "replayed", "warm", "packs")
    return game.overlay or not name.startswith("overlay")


def measure(disk, game, work, drive, words=(), rounds=1, variants=tuple(VARIANTS), maps=None):
    measuring = Measuring(disk, game, work, words, rounds, drive)
    access_s = average_access_s(drive)
    variants = [name for name in variants if fits(game, name)]
    made, rows = {}, []
    print(f"\n### {game.name}, busy seconds, what was forecast (reads, seeks; wall seconds)\n", flush=True)
    print("| load | " + " | ".join(VARIANTS[name] for name in variants) + " | bound |")
    print("|---|" + "---:|" * (len(variants) + 1), flush=True)
    for scenario in maps or game.maps:
        row = {"load": scenario}
        for name in variants:
            place = place_of(measuring, made, name, scenario)
            row[name] = measuring.busy(*load_of(measuring, name, place, scenario))
        if row["as shipped"]["forecast_s"] is None:
            row["as shipped"]["forecast_s"] = measuring.before.get(scenario)
        if scenario in measuring.in_packs:
            of = measuring.in_packs[scenario]
            row["bound_s"] = bound_of_packs(of, of["packs"], access_s)
        rows.append(row)
        bound = f"{row['bound_s']:.2f}" if "bound_s" in row else ""
        print(f"| `{scenario}` | " + " | ".join(cell(row, name) for name in variants) + f" | {bound} |", flush=True)
    return rows


def cell(row, name):
    of = row[name]
    faster = "" if name == "as shipped" else f", {row['as shipped']['busy_s'] / of['busy_s']:.1f}x"
    said = f" [{of['forecast_s']:.2f}]" if of.get("forecast_s") else ""
    if name == "warm":
        said = f", warm itself {of['warm_s']:.2f} [{of['warm_forecast_s']:.2f}]"
    return f"{of['busy_s']:.2f}{said}{faster} ({of['reads']:,}, {of['seeks']:,}; {of['wall_s']:.0f})"


def figure_cell(row, name):
    """Returns busy seconds, the forecast, reads and seeks; nothing if the game has no such variant."""
    if name not in row:
        return None
    of = row[name]
    if name == "warm":
        return [of["busy_s"], of["warm_s"], of["warm_forecast_s"]]
    return [of["busy_s"], of.get("forecast_s"), of["reads"], of["seeks"]]


def write_figures(results):
    """Writes the tables for which all games were measured."""
    for name, (games, variants) in FIGURES.items():
        if set(games) <= set(results):
            figures.write_rows(name, [[f"`{row['load'].split('/')[-1]}`", *(figure_cell(row, of) for of in variants), row.get("bound_s")]
                                      for game in games for row in results[game]])


def bench(work, games=None, words=(), rounds=1, variants=tuple(VARIANTS), drive="wd-black-1tb", maps=None,
          json_file=TOP / "build/bench/repack-games.json"):
    """Measures the games one after the other, and returns the rows of each."""
    results = {}
    for name in games or installed():
        with Disk(work / f"disk-{name}", "--drive", drive, *GAMES[name].disk_options()) as disk:
            folder = work / name
            folder.mkdir()
            results[name] = measure(disk, GAMES[name], folder, drive, words, rounds, variants, maps)
    if json_file is not None:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(json.dumps(results, indent=1))
        print(f"\n{json_file}")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("game", nargs="*", default=installed(), help=" ".join(GAMES) + " [all that are installed]")
    parser.add_argument("--map", action="append", help="repeatable [all of the game's]")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--variant", action="append", choices=list(VARIANTS)[1:], help="repeatable [all]")
    parser.add_argument("--apart-gb", type=int, help="between a game's archives [they lie all over the disk]")
    parser.add_argument("--option", action="append", default=[], help="of repack, such as --option=--align=512")
    parser.add_argument("--work", type=pathlib.Path, help="where to put the disk and archives")
    parser.add_argument("--write-figures", action="store_true", help="write the rows to docs/figures; not with --variant or --map")
    options = parser.parse_args()
    if options.write_figures and (options.variant or options.map):
        parser.error("--write-figures needs all variants of all maps")
    for name in options.game:
        GAMES[name].apart_gb = options.apart_gb
    variants = ["as shipped", *options.variant] if options.variant else tuple(VARIANTS)
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        results = bench(pathlib.Path(work), options.game, options.option, options.rounds, variants, maps=options.map)
    if options.write_figures:
        write_figures(results)


if __name__ == "__main__":
    main()
