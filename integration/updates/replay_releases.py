#!/usr/bin/python3
"""Measures what updates cost players, release after release, on two games' real histories.

Usage: replay_releases.py [--history NAME]... [--scale N] [--generated GB] [--builds N] [--binary FILE] [--work FOLDER]
                [--json FILE] [--set KEY=JSON]... [--only ROW]... [--sweeps-each N] [--no-downloads] [--disk]

Content is made up from the histories' sizes and ids (history.py). Twenty made-up loads are recorded at build 10, and a
layout with a lock is made from them. Each later build is a release, made by another `seekless build`. Players have the
release before. The bytes that a client writes to rebuild each touched file are counted on the files, and so are
downloads in chunks of a grid and in content-defined chunks (`seekless diff`).

Ordinary builds change less than a fifth of the bytes, and more by editing than by renaming. A hot-fix has a tenth of
the next build's edits, and is made from the release before that build.

With --generated the history is made up, and files are sparse (generated.py). Then downloads aren't counted, because
they would be zeros.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from chain import Chain  # noqa: E402
from client import measure  # noqa: E402
from competitors import CappedPacks, loose_files, one_archive  # noqa: E402
from generated import SparseContent, generated_history  # noqa: E402
from history import NAMES, Content, edits_between, hot_fix, read_history, record  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
RECORDED_AT, RECORDED_EACH = 10, 10
UPDATED_EACH = 4  # releases between updates by a real client, which check the forecast
FRESH = "fresh recordings each ten builds"
ROWS = {"as it comes": {}, "budget 1": {"budget": 1}, FRESH: {}}
# Limits from the project's goals, for the median and for the worst release.
GOALS = {"written": (6, 25), "hot-fix": (25, None), "chunks": (1.3, None), "disk": (1.3, None), FRESH: (10, None)}


def quantiles(values):
    """Returns the median, the 90th percentile and the worst value."""
    values = sorted(values)
    if not values:
        return None
    return statistics.median(values), values[min(len(values) - 1, round(0.9 * (len(values) - 1)))], values[-1]


class Replay:
    """The releases of one history, replayed under several settings side by side."""

    def __init__(self, arguments, name, work):
        self.arguments, self.name, self.work = arguments, name, pathlib.Path(work)
        if arguments.generated:
            self.history = generated_history(int(arguments.generated * 1e9), RECORDED_AT + 1 + arguments.builds)
            self.content = SparseContent(self.work / "content")
        else:
            self.history = read_history(name)
            self.content = Content(self.work / "content", arguments.scale)
        self.rows = {row: [] for row in arguments.only or ROWS}
        self.fixes, self.others, self.sweeps, self.forecasts = [], [], [], []

    def run(self):
        for changes in self.history[:RECORDED_AT + 1]:
            self.content.apply(changes)
        (self.work / "traces").mkdir()
        self.record("traces")
        self.chains = {row: self.chain(row, ROWS[row]) for row in self.rows}
        for chain in self.chains.values():
            chain.build()
        self.capped = CappedPacks(self.content.files)
        last = min(len(self.history), RECORDED_AT + 1 + self.arguments.builds)
        if self.first:
            shutil.copytree(self.first.packs, self.work / "installed")
        for build in range(RECORDED_AT + 1, last):
            self.release(build)
            each = self.arguments.sweeps_each
            if self.first and (build % each == 0 if each else build in (last - 1 - self.arguments.builds // 2, last - 1)):
                self.compare_sweeps(build)
        return {"history": self.name, "scale": self.arguments.scale, "rows": self.rows, "hot-fixes": self.fixes,
                "others": self.others, "sweeps": self.sweeps, "forecasts": self.forecasts}

    @property
    def first(self):
        return self.chains.get("as it comes")

    def record(self, folder):
        record(self.content.files, self.content.folder, self.work / folder)

    def chain(self, row, settings):
        traces = self.work / "traces"
        if row == FRESH:
            traces = self.work / "fresh-traces"
            shutil.copytree(self.work / "traces", traces)
        return Chain(self.arguments.binary, self.work / row.replace(" ", "-"), self.content.folder, traces,
                     **{**self.arguments.settings, **settings})

    def release(self, build):
        started = time.monotonic()
        changes = self.history[build]
        before = dict(self.content.files)
        if self.first:
            self.fix(build, changes, before)
        self.content.apply(changes)
        edits = edits_between(before, self.content.files)
        about = {"build": build, "ordinary": edits.is_ordinary, "edited": edits.edited}
        for row, chain in self.chains.items():
            is_fresh = row == FRESH and build % RECORDED_EACH == 0
            if is_fresh:
                shutil.rmtree(chain.traces)
                self.record(chain.traces.name)
            options = ["--relayout"] if is_fresh else []
            release = chain.release(edits, *options, measures_download=self.arguments.downloads)
            if chain is self.first and self.arguments.downloads and build % UPDATED_EACH == 0:
                self.compare_forecast(build, release.forecast["clients"])
            self.rows[row].append(about | {"relayout": is_fresh} | vars(release))
        self.others.append(about | {
            "one archive": one_archive(edits), "packs capped": self.capped.release(before, self.content.files),
            "loose files": loose_files(edits)})
        self.tell(build, edits, time.monotonic() - started)

    def fix(self, build, changes, before):
        """Applies a fix, which is a part of the build's changes, to the content."""
        fix = hot_fix(changes, before, build)
        if not fix:
            return
        self.content.apply(fix)
        edits = edits_between(before, self.content.files)
        branch = self.first.branch(self.work / "fix")
        if edits.edited:
            release = branch.release(edits, measures_download=self.arguments.downloads)
            self.fixes.append({"build": build, "edited": edits.edited} | vars(release))
        shutil.rmtree(branch.folder)

    def compare_forecast(self, build, forecast):
        """Compares the build's own forecast, made before it packed, with the counts of a client that updates
        players' files."""
        real = measure(self.first.folder / "before", self.first.packs, self.work)
        self.forecasts += [{"build": build, "cut": cut, **vars(counted),
                            "forecast": forecast[cut]} for cut, counted in real.items()]

    def compare_sweeps(self, build):
        """Compares the release's loads with those of a fresh layout made from the same recordings."""
        anew = Chain(self.arguments.binary, self.work / "anew", self.content.folder, self.first.traces,
                     **self.arguments.settings)
        anew.build()
        kept, fresh = self.first.sweep_seconds(), anew.sweep_seconds()
        self.sweeps.append({"build": build, "how": "simulated", "kept": kept, "fresh": fresh})
        if self.arguments.disk:
            from disk_sweeps import sweeps_on_disk  # needs FUSE
            names = [name for name in kept if name in fresh]
            found = sweeps_on_disk(self.work / "installed", self.first.packs, anew.packs, names, self.work)
            for how, other in (("on the emulated disk", "fresh"), ("there, anew as an update", "brought")):
                self.sweeps.append({"build": build, "how": how, "kept": found["kept"], "fresh": found[other]})
        shutil.rmtree(anew.folder)

    def tell(self, build, edits, seconds):
        parts = [f"{row}: {rows[-1]['written'] / max(1, edits.edited):.1f}" for row, rows in self.rows.items()]
        print(f"  {self.name} build {build}: {edits.edited / 1e6:.2f} MB edited"
              f"{'' if edits.is_ordinary else ' (not ordinary)'}; written per edited byte: {', '.join(parts)}"
              f" ({seconds:.1f} s)", file=sys.stderr, flush=True)


def ordinary(rows):
    return [row for row in rows if row["ordinary"]]


def cells(found, digits=1):
    return " / ".join(f"{value:.{digits}f}" for value in found) if found else "-"


def per_edited(rows, key):
    return quantiles([row[key] / row["edited"] for row in rows if row["edited"]])


def verdict(found, goal):
    """`found`: median, 90th percentile, worst."""
    if not found or not goal:
        return ""
    median, worst = goal
    met = found[0] <= median and (worst is None or found[-1] <= worst)
    return f"{'met' if met else 'missed'}: at most {median:g}" + (f", at worst {worst:g}" if worst else "")


def table_of(result):
    """Yields rows of (what, figures, verdict)."""
    lines = []
    for row, rows in result["rows"].items():
        found = per_edited(ordinary(rows), "written")
        goal = GOALS[FRESH] if row == FRESH else GOALS["written"] if row == "as it comes" else None
        lines.append((f"written: seekless, {row}", cells(found), verdict(found, goal)))
    for other in ("one archive", "packs capped", "loose files"):
        lines.append((f"written: {other}", cells(per_edited(ordinary(result["others"]), other)), ""))
    found = per_edited(result["hot-fixes"], "written")
    lines.append(("written: seekless, hot-fixes", cells(found), verdict(found, GOALS["hot-fix"])))
    for row, rows in result["rows"].items():
        rows = ordinary(rows)
        if not any(release["in_chunks"] for release in rows):
            continue
        found = per_edited(rows, "in_chunks")
        lines.append((f"downloaded in chunks: {row}", cells(found, 2),
                      verdict(found, GOALS["chunks"]) if row == "as it comes" else ""))
        lines.append((f"downloaded on a grid: {row}", cells(per_edited(rows, "on_grid"), 2), ""))
    for row, rows in result["rows"].items():
        found = quantiles([release["on_disk"] / release["content"] for release in rows])
        lines.append((f"on disk by content: {row}", cells(found, 2), ""))
        found = quantiles([1 + (release["on_disk"] - release["held"]) / release["content"] for release in rows])
        lines.append((f"on disk by content, without copies: {row}", cells(found, 2), verdict(found, GOALS["disk"])))
    lines += extraordinary(result) + sweeps(result) + forecasts(result)
    builds = result["rows"].get("as it comes", [])
    if builds:
        lines.append(("seconds of a build", cells(quantiles([row["seconds"] for row in builds])), ""))
        if not any(row["in_chunks"] for row in builds):  # a fork of a large process counts as that large at first
            lines.append(("peak memory of a build, MiB", cells(quantiles([row["peak_mib"] for row in builds]), 0), ""))
    return lines


def extraordinary(result):
    """Compares builds that rename thousands of files or change much with one archive."""
    ours = [row for row in result["rows"].get("as it comes", []) if not row["ordinary"]]
    whole = {row["build"]: row["one archive"] for row in result["others"]}
    shares = quantiles([row["written"] / whole[row["build"]] for row in ours])
    if not shares:
        return []
    return [(f"extraordinary builds ({len(ours)}): written by one archive's", cells(shares, 2),
             f"{'met' if shares[-1] <= 1 else 'missed'}: at worst 1")]


def forecasts(result):
    """Returns the least and the greatest ratio of the forecast to a client's count."""
    lines = []
    for cut in ("grid", "chunks"):
        rows = [row for row in result["forecasts"] if row["cut"] == cut]
        for figure in ("downloaded", "written") if rows else ():
            of = [(row["forecast"][f"{figure}_bytes"], row[figure]) for row in rows]
            found = sorted(forecast / max(1, real) for forecast, real in of)
            together = sum(forecast for forecast, _ in of) / sum(real for _, real in of)
            met = found[0] >= 0.95 and found[-1] <= 1.05
            lines.append((f"forecast by real, {cut}, {figure}: least / most / sum",
                          cells((found[0], found[-1], together), 3), f"{'met' if met else 'missed'}: 5 %"))
    return lines


def sweeps(result):
    lines = []
    for found in result["sweeps"]:
        both = [(found["kept"][name], found["fresh"][name]) for name in found["kept"] if name in found["fresh"]]
        kept, fresh = (sum(pair[i][0] for pair in both) for i in (0, 1))
        more_seeks = max((k[1] - f[1] for k, f in both), default=0)
        met = kept <= 1.02 * fresh or more_seeks <= 1
        lines.append((f"sweeps at build {found['build']}, {found['how']}: s kept / anew, most seeks more",
                      f"{kept:.2f} / {fresh:.2f}, {more_seeks:g}", f"{'met' if met else 'missed'}: 2 % or a seek"))
    return lines


def print_table(result):
    print(f"\n{result['history']}, {result['scale']}x: median / ninth tenth / worst of "
          f"{len(ordinary(result['others']))} ordinary builds, by edited bytes")
    for what, figures, met in table_of(result):
        print(f"  {what:<62} {figures:>22}  {met}")
    print(flush=True)


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--history", action="append", choices=NAMES)
    parser.add_argument("--scale", type=int, default=1, help="times the size of each file")
    parser.add_argument("--generated", type=float, metavar="GB", help="a history that is made up, of so many GB")
    parser.add_argument("--builds", type=int, default=49, help="after the recordings")
    parser.add_argument("--binary", type=pathlib.Path, default=TOP / "build/release/bin/seekless")
    parser.add_argument("--work", help="a folder on the disk to use")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures there")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=JSON", help="in the build file")
    parser.add_argument("--only", action="append", choices=ROWS, help="of the rows of seekless")
    parser.add_argument("--disk", action="store_true", help="sweep on the emulated disk, too: as root")
    parser.add_argument("--sweeps-each", type=int, metavar="N", help="compare sweeps each N releases [at half of them and at the last]")
    parser.add_argument("--no-downloads", dest="downloads", action="store_false")
    arguments = parser.parse_args(argv)
    if arguments.generated:
        arguments.history, arguments.downloads = ["generated"], False
        arguments.only = arguments.only or ["as it comes"]
    arguments.settings = {key: json.loads(value) for key, value in (each.split("=", 1) for each in arguments.set)}
    return arguments


def main(argv=None):
    arguments = parse(argv)
    results = []
    for name in arguments.history or NAMES:
        with tempfile.TemporaryDirectory(prefix="seekless-updates-", dir=arguments.work) as work:
            results.append(Replay(arguments, name, work).run())
        print_table(results[-1])
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    return results


if __name__ == "__main__":
    main()
