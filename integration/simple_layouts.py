"""Layouts as people make them by hand, for comparison with the planner's: one order for all recorded assets (as first
seen, by mean rank, or as in the best run), or a full copy for each scenario of the assets that it reads."""
import itertools


class SimpleLayouts:
    """Layouts made from the assets of a planner's layout, and from the profile of the same recordings."""

    def __init__(self, planned, profile):
        self.planned = planned
        self.assets = {}
        for pack in planned["packs"]:
            for asset in pack["assets"]:
                bare = {key: value for key, value in asset.items() if key not in ("set", "at")}
                self.assets.setdefault(asset["path"], bare)
        paths = profile["assets"]
        self.runs = {}  # indexed by scenario
        for scenario in profile["scenarios"]:
            runs = [[paths[number] for number in run["assets"] if paths[number] in self.assets] for run in scenario["runs"]]
            self.runs[scenario["name"]] = runs
        self.scenarios = sorted(self.runs)

    def all_runs(self):
        return list(itertools.chain.from_iterable(self.runs[name] for name in self.scenarios))

    def first_seen(self):
        return list(dict.fromkeys(itertools.chain.from_iterable(self.all_runs())))

    def mean_rank(self):
        ranks = {}
        for run in self.all_runs():
            for rank, path in enumerate(run):
                ranks.setdefault(path, []).append(rank / len(run))
        return sorted(ranks, key=lambda path: (sum(ranks[path]) / len(ranks[path]), path))

    def of_run(self, run):
        return list(dict.fromkeys(run + self.first_seen()))

    def in_one_order(self, order):
        readers = {}
        for number, name in enumerate(self.scenarios):
            for path in set(itertools.chain.from_iterable(self.runs[name])):
                readers.setdefault(path, []).append(number)
        return self.layout([("common", "common", [(path, readers[path]) for path in order])])

    def full_copies(self):
        packs = []
        for number, name in enumerate(self.scenarios):
            order = dict.fromkeys(itertools.chain.from_iterable(self.runs[name]))
            packs.append((name.replace("/", "-"), "sub", [(path, [number]) for path in order]))
        return self.layout(packs)

    def layout(self, packs):
        sets, laid = {(): 0}, set()
        made = []
        for name, kind, assets in packs:
            made.append({"name": name, "kind": kind, "assets": []})
            for path, readers in assets:
                number = sets.setdefault(tuple(readers), len(sets))
                made[-1]["assets"].append({**self.assets[path], "set": number})
                laid.add(path)
        cold = [{**self.assets[path], "set": 0} for path in sorted(self.assets) if path not in laid]
        if cold:
            made.append({"name": "cold", "kind": "cold", "assets": cold})
        kept = ("seekless", "version", "block_bytes", "fold_case", "read_through_bytes", "sources")
        return {**{key: self.planned[key] for key in kept},
                "scenarios": [{"name": name, "runs": len(self.runs[name])} for name in self.scenarios],
                "scenario_sets": [list(readers) for readers in sets],
                "packs": [pack for pack in made if pack["assets"]]}
