"""Measures how much slower a layout is if it is planned from a fleet's statistics and K examples instead of from all
recordings, by simulating loads that weren't used for planning. `script/bench fleet` runs it in the environment
that `script/test-python` makes.

The fleets are synthesised from recorded games (integration/traces). Each player belongs to one of four classes, whose
loads read other assets in some spans and have one phase at another time. A sixth of the assets is read only by some
players, and some unrecorded assets by a few. Threads race. The games' files here are empty, but have their recorded
sizes, because planning and simulating read none.

The planner's choice of copies depends on small differences between sweeps, so layouts of different recordings differ
in size, and the larger one is faster if assets are read one by one. --budget makes the sizes equal.

Usage: measure_exemplars.py FOLDER [--rounds N] [--players N] [--held-out N] [--exemplars K ...] [--seeds N] [--budget RATIO]
  --players   players whose loads the layouts are planned from [1000]
  --held-out  other players, whose loads are simulated [100]
  --exemplars K; give several to compare them [64]
  --seeds     synthesised fleets per game [4]
  --budget    copies up to this multiple of the content, whatever they gain; 1: none [as many as are worth it]
"""
import argparse
import pathlib
import shutil
import warnings

import numpy
import seekless
from seekless.fleet import Catalog, Run, aggregate, collect, write_profile, write_upload
from seekless.fleet.aggregate import Settings

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
GAMES = {"warzone2100": ["/usr/share/games/warzone2100/base.wz", "/usr/share/games/warzone2100/mp.wz"],
         "openarena": ["/usr/lib/openarena", "/usr/share/games/openarena"]}
CLASSES = [0.5, 0.3, 0.15, 0.05]  # each class's share of the players
DAY = 20_000


class Game:
    """A recorded game: paths and sizes of all assets, and each scenario's runs as lists of their numbers."""

    def __init__(self, name, folder):
        traces = sorted((TOP / "integration/traces" / name).glob("*.lz4"))
        self.folder = folder
        seekless.plan(traces, content=GAMES[name], output=folder / "recorded.json")
        layout = seekless.read_layout(folder / "recorded.json").to_pydict()
        sizes = dict(zip(layout["path"], layout["size_bytes"], strict=True))
        self.paths, self.sizes = list(sizes), list(sizes.values())
        seekless.profile(traces, content=GAMES[name], output=folder / "recorded-profile.json")
        number = {path: index for index, path in enumerate(self.paths)}
        self.runs = {}
        for row in seekless.read_profile(folder / "recorded-profile.json").to_pylist():
            self.runs.setdefault(row["scenario"], {}).setdefault(row["run"], []).append(number[row["path"]])
        self.scenarios = sorted(self.runs)
        self.catalog = Catalog(0xe7, self.scenarios, self.paths, self.sizes)
        self.content = folder / "content"
        for path, size in sizes.items():
            file = self.content / path
            file.parent.mkdir(parents=True, exist_ok=True)
            with open(file, "wb") as empty:
                empty.truncate(size)


class Load:
    """A scenario as the players of a synthesised fleet load it."""

    def __init__(self, game, scenario, rng):
        self.bases = [numpy.array(run) for run in game.runs[scenario].values()]
        base = self.bases[0]
        others = numpy.setdiff1d(numpy.arange(len(game.paths)), numpy.concatenate(self.bases))
        self.likely = numpy.ones(len(game.paths))
        some = rng.choice(base, len(base) // 6, replace=False)
        self.likely[some] = rng.uniform(0.02, 0.98, len(some))
        rare = others[rng.integers(0, len(others), len(base) // 20)]
        self.likely[rare] = rng.uniform(0.002, 0.1, len(rare))
        self.rare = {int(asset): rng.uniform(0, len(base)) for asset in rare}
        self.classes = [self.variant(base, others, rng) for _ in CLASSES]

    @staticmethod
    def variant(base, others, rng):
        """Replaces spans by other adjacent assets, and moves a phase."""
        size = len(base)
        replaced = []
        for begin in rng.integers(0, size - size // 50, 3):
            first = rng.integers(0, max(1, len(others) - size // 50))
            replaced.append((begin, others[first:first + size // 50]))
        return replaced, rng.integers(0, size - size // 10), rng.integers(0, size)

    def run(self, player, rng):
        base = self.bases[rng.integers(len(self.bases))]
        replaced, phase, to = self.classes[player]
        place = {int(asset): float(rank) for rank, asset in enumerate(base)}
        for begin, instead in replaced:
            for asset in base[begin:begin + len(instead)]:
                place.pop(int(asset), None)
            place.update({int(asset): begin + rank for rank, asset in enumerate(instead)})
        for asset in base[phase:phase + len(base) // 10]:
            if int(asset) in place:
                place[int(asset)] = to + 0.5 + (place[int(asset)] - phase) / len(base)
        for asset, rank in self.rare.items():
            place.setdefault(asset, rank)
        assets, places = numpy.array(list(place)), numpy.array(list(place.values()))
        read = rng.random(len(assets)) < self.likely[assets]
        assets, places = assets[read], places[read]
        # Some neighbours are swapped. One read in ten comes from a thread that is about a dozen reads ahead or behind.
        late = rng.random(len(assets)) < 0.1
        return assets[numpy.argsort(places + rng.normal(0, numpy.where(late, 25, 1)), kind="stable")].tolist()


def write_trace(path, game, scenario, run):
    lines = [f'{{"seekless":"trace","version":1,"scenario":"{scenario}"}}\n']
    lines += [f'{{"path":"{game.content / game.paths[asset]}"}}\n' for asset in run]
    lines += [f'{{"file":{number},"at":0,"read":{game.sizes[asset]}}}\n' for number, asset in enumerate(run)
              if game.sizes[asset]]
    path.write_text("".join(lines))


def make_fleet(game, folder, players, held_out, seed):
    """Makes a data set of the players' loads, and traces of the other players' loads."""
    rng = numpy.random.default_rng(seed)
    loads = [Load(game, scenario, rng) for scenario in game.scenarios]
    (folder / "uploads").mkdir(parents=True)
    (folder / "held-out").mkdir()
    for player in range(players):
        of = rng.choice(len(CLASSES), p=CLASSES)
        runs = [Run(number, load.run(of, rng)) for number, load in enumerate(loads)]
        (folder / "uploads" / f"{player:05}").write_bytes(write_upload(game.catalog, rng.bytes(16), DAY, runs))
    for player in range(held_out):
        of = rng.choice(len(CLASSES), p=CLASSES)
        for number, load in enumerate(loads):
            write_trace(folder / "held-out" / f"{number}.{player:04}.jsonl", game, game.scenarios[number], load.run(of, rng))
    done = collect(folder / "uploads", [game.catalog], folder / "set", salt=seed)
    assert done.runs == players * len(loads), done
    return done


def seconds(game, layout, traces, policy):
    costs = seekless.simulate(traces, packs=layout, content=game.content, policy=policy)
    return {row["name"]: row["packs"]["seconds"] for row in costs["drives"][0]["scenarios"]}


def measure(game, name, players, held_out, exemplars, seed, copies):
    """Maps (K, policy) to the seconds of the layout from K examples, and of the one from all recordings."""
    folder = game.folder / f"fleet{seed}"
    done = make_fleet(game, folder, players, held_out, seed)
    print(f"{name}, fleet {seed}: {len(game.scenarios)} scenarios, {players} players, {done.opens / 1e6:.1f} M opens; "
          f"{held_out} held out", flush=True)
    traces = sorted((folder / "held-out").iterdir())
    found = {}
    for kept in (players, *exemplars):
        statistics = aggregate(folder / "set", settings=Settings(exemplars=kept))
        write_profile(statistics, game.catalog, folder / f"{kept}.json", least_clients=1 if kept == players else 5)
        seekless.plan(profile=folder / f"{kept}.json", content=game.content, output=folder / f"layout{kept}.json", **copies)
        for policy in ("sweep", "demand"):
            found[kept, policy] = seconds(game, folder / f"layout{kept}.json", traces, policy)
    sums = {}
    for kept in exemplars:
        for policy in ("sweep", "demand"):
            every, few = found[players, policy], found[kept, policy]
            ratios = ", ".join(f"{scenario} {few[scenario] / every[scenario]:.3f}" for scenario in every)
            print(f"  K = {kept}, {policy}: {sum(few.values()):.3f} s and {sum(every.values()):.3f} s of all recordings, in sum "
                  f"{sum(few.values()) / sum(every.values()):.4f}; {ratios}", flush=True)
            sums[kept, policy] = sum(few.values()), sum(every.values())
    shutil.rmtree(folder)
    return sums


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--players", type=int, default=1000)
    parser.add_argument("--held-out", type=int, default=100)
    parser.add_argument("--exemplars", type=int, nargs="+", default=[64])
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--budget", type=float)
    arguments = parser.parse_args()
    copies = {} if arguments.budget is None else {"budget": arguments.budget, "gain": 0}
    warnings.simplefilter("ignore", seekless.SeeklessWarning)
    fleets = []
    for name, content in GAMES.items():
        missing = [path for path in content if not pathlib.Path(path).exists()]
        if missing:
            print(f"{name}: not measured, since {missing[0]} isn't there (apt install {name})", flush=True)
            continue
        folder = arguments.folder / name
        folder.mkdir()
        game = Game(name, folder)
        for seed in range(1, arguments.seeds + 1):
            fleets.append(measure(game, name, arguments.players, arguments.held_out, arguments.exemplars, seed, copies))
    for kept, policy in fleets[0] if fleets else ():
        few, every = (sum(sums[kept, policy][i] for sums in fleets) for i in (0, 1))
        print(f"all {len(fleets)} fleets, K = {kept}, {policy}: {few:.3f} s and {every:.3f} s of all recordings, "
              f"in sum {few / every:.4f}", flush=True)


if __name__ == "__main__":
    main()
