"""Times programs on the emulated disk, cold. `script/bench hdd` runs it.

Each figure is busy seconds of the disk, as the model charges them, and wall seconds beside them. Every measurement
begins with none of the disk's pages cached. The model's figures for the same reads, from `seekless simulate` without
any disk, stand beside them.
"""
import contextlib
import json
import pathlib
import random
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))
import warzone

BIN = TOP / "build/release/bin"
SEEKLESS = BIN / "seekless"
TRACES = TOP / "integration/traces/warzone2100"
ARCHIVES = ["base.wz", "mp.wz"]
MAPS = ["map/cam_1a", "map/rush", "map/manhattan", "map/highground"]

KIB, MIB, GB = 1 << 10, 1 << 20, 10**9
# Another program in its own mount name space may hold the disk for a while, even after its end.
TRIES = 6
TRY_AGAIN_S = 2
# The game's load: silence that ends it, shortest, and longest before it fails.
QUIET_S, SHORTEST_S, LONGEST_S = 10, 20, 600


def run(*command, **how):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE,
                          **how).stdout


class Disk:
    """An emulated disk that exists while the context lasts."""

    def __init__(self, folder, *options):
        self.folder = pathlib.Path(folder)
        self.options = options

    def hdd(self, command, *arguments):
        return run(HERE / "hdd", command, self.folder, *arguments)

    def __enter__(self):
        self.hdd("up", *self.options)
        return self

    def __exit__(self, *_):
        self.hdd_once_free("down")

    def hdd_once_free(self, command):
        for left in reversed(range(TRIES)):
            try:
                return self.hdd(command)
            except subprocess.CalledProcessError:
                if not left:
                    raise
                time.sleep(TRY_AGAIN_S)

    def put(self, at, *files):
        self.hdd("put", *files, "--at", at)

    def place_of(self, name):
        """Returns the place of a file that lies in one piece."""
        extents = json.loads(run(SEEKLESS, "where", self.folder / name, "--json", "-"))
        return extents["files"][0]["first_place"]

    def set_read_ahead(self, kib):
        source = run("findmnt", "-no", "SOURCE", self.folder, text=True).strip()
        queue = pathlib.Path("/sys/block", pathlib.Path(source).name, "queue/read_ahead_kb")
        queue.write_text(str(kib))

    def stats(self):
        return json.loads(self.hdd("stats", "--json"))

    @contextlib.contextmanager
    def cold(self, read_ahead_kib=128):
        """Yields a dict that gets the disk's counters when the block ends."""
        self.hdd_once_free("cold")
        self.set_read_ahead(read_ahead_kib)
        with self.counted() as measured:
            yield measured

    @contextlib.contextmanager
    def counted(self):
        """Counts the same without emptying the page cache first."""
        self.hdd("reset")
        measured = {}
        start = time.monotonic()
        yield measured
        measured["wall_s"] = time.monotonic() - start
        stats = self.stats()
        measured.update({key: stats[key] for key in ("busy_s", "bytes", "reads", "seeks")})


class Table:
    """Rows of figures, printed as they come and kept for the JSON file."""

    HEADS = ("what", "busy s", "wall s", "MB", "reads", "seeks", "model busy s", "MB/s")

    def __init__(self, title):
        self.title = title
        self.rows = []
        print(f"\n### {title}\n", flush=True)
        print("| " + " | ".join(self.HEADS) + " |")
        print("|---|" + "---:|" * (len(self.HEADS) - 1), flush=True)

    def add(self, what, measured, model_s=None, **more):
        self.rows.append({"what": what, **measured, "model_busy_s": model_s, **more})
        rate = measured["bytes"] / measured["busy_s"] / 1e6 if measured["busy_s"] else 0
        cells = (what, f"{measured['busy_s']:.2f}", f"{measured['wall_s']:.2f}",
                 f"{measured['bytes'] / 1e6:.1f}", f"{measured['reads']:,}",
                 f"{measured['seeks']:,}", "" if model_s is None else f"{model_s:.2f}",
                 f"{rate:.2f}")
        print("| " + " | ".join(cells) + " |", flush=True)


# ---- Patterns -------------------------------------------------------------------------------

def write_trace(path, reads):
    """Writes reads of (file, offset, length) in order, each file opened once, as a trace in seekless's own format."""
    lines = [{"seekless": "trace", "version": 1, "scenario": "pattern"}]
    numbers = {}
    for file, offset, length in reads:
        if file not in numbers:
            numbers[file] = len(numbers)
            lines += [{"path": str(file)}, {"gap": 1, "open": True}]
        lines.append({"gap": 1, "file": numbers[file], "at": offset, "read": length})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def in_order(file, total, length):
    return [(file, at, length) for at in range(0, total, length)]


def in_turn(first, second, total, length):
    return [(file, at, length) for at in range(0, total // 2, length) for file in (first, second)]


def at_random(files, size, length, count):
    """Returns random reads, none twice of the same place."""
    places = [(file, at) for file in files for at in range(0, size - length, length)]
    return [(file, at, length) for file, at in random.Random(length).sample(places, count)]


def patterns(outer, inner, size, share=1):
    """Returns name -> (reads, read-ahead in KiB), for two files of `size` bytes, one 400 GB after the other. `share` is
    the share of the reads to make, for a quick look."""
    def part(bytes_of_all, unit):
        return max(unit, int(bytes_of_all * share) // unit * unit)

    return {
        "in sequence by 8 MiB": (in_order(outer, part(256 * MIB, 8 * MIB), 8 * MIB), 128),
        "in sequence by 16 KiB": (in_order(outer, part(64 * MIB, 16 * KIB), 16 * KIB), 128),
        "two files in turn by 16 KiB, no read-ahead":
            (in_turn(outer, inner, part(6 * MIB, 32 * KIB), 16 * KIB), 0),
        "two files in turn by 16 KiB, read-ahead 128 KiB":
            (in_turn(outer, inner, part(48 * MIB, 256 * KIB), 16 * KIB), 128),
        "two files in turn by 2 MiB, read-ahead 2 MiB":
            (in_turn(outer, inner, part(256 * MIB, 4 * MIB), 2 * MIB), 2048),
        "4 KiB at random": (at_random((outer, inner), size, 4 * KIB, max(1, int(400 * share))), 128),
        "2 MiB at random": (at_random((outer, inner), size, 2 * MIB, max(1, int(100 * share))), 128),
    }


def simulate(drive, *words, places=(), read_ahead_kib=128):
    """Returns the model's figures from the trace alone, as a map from scenario names."""
    ahead = f"linux:{read_ahead_kib}Ki" if read_ahead_kib else "none"
    placed = [word for name, place in places for word in ("--place", f"{name}={place}")]
    answer = json.loads(run(SEEKLESS, "simulate", *words, "--drive", drive, "--read-ahead", ahead,
                            *placed, "--json", "-", stderr=subprocess.DEVNULL))
    return {of["name"]: of for of in answer["drives"][0]["scenarios"]}


def measure_patterns(disk, drive, work, share=1):
    """Yields (name, the disk's figures, the model's figures)."""
    outer, inner = disk.folder / "outer.bin", disk.folder / "inner.bin"
    size = 600 * MIB
    for file, at in ((outer, "1G"), (inner, "401G")):
        made = work / file.name
        with open(made, "wb") as zeros:
            zeros.truncate(size)  # its content doesn't matter
        disk.put(at, made)
        made.unlink()
    places = [(file.name, disk.place_of(file.name)) for file in (outer, inner)]
    for name, (reads, read_ahead_kib) in patterns(outer, inner, size, share).items():
        trace = write_trace(work / "pattern.jsonl", reads)
        with disk.cold(read_ahead_kib) as measured:
            run(BIN / "replay", trace)
        said = simulate(drive, trace, "--content", outer, inner, places=places,
                        read_ahead_kib=read_ahead_kib)
        yield name, measured, said["pattern"]["today"]


def bench_patterns(disk, drive, work):
    table = Table("Patterns")
    for name, measured, said in measure_patterns(disk, drive, work):
        table.add(name, measured, said["seconds"])
    return table


# ---- Warzone 2100 ---------------------------------------------------------------------------

def traces_of(scenario):
    return sorted(TRACES.glob(f"{scenario.replace('/', '+')}.*.lz4"))


def write_names(work, scenario):
    """Returns the assets that the first run reads, in its order."""
    profile = work / "profile.json"
    run(SEEKLESS, "profile", traces_of(scenario)[0], "--content",
        *(f"{warzone.DATA}/{name}" for name in ARCHIVES), "-o", profile, stderr=subprocess.DEVNULL)
    found = json.loads(profile.read_text())
    names = work / "names"
    names.write_text("".join(found["assets"][asset] + "\n"
                             for asset in found["scenarios"][0]["runs"][0]["assets"]))
    return names


def on_disk(folder):
    """Returns the front of a command that mounts the disk's archives over the game's own."""
    binds = " && ".join(f"mount --bind {folder / name} {warzone.DATA}/{name}" for name in ARCHIVES)
    return ["unshare", "--mount", "--propagation", "slave", "sh", "-c", f'{binds} && exec "$@"', "sh"]


def wait_for_silence(disk, game):
    """Waits until the disk has been idle for a while; returns the seconds up to its last read."""
    began = last = time.monotonic()
    reads = disk.stats()["reads"]
    while (now := time.monotonic()) < max(began + SHORTEST_S, last + QUIET_S):
        if game.process.poll() is not None:
            raise SystemExit("bench: the game ended by itself:\n" + game.log())
        if now > began + LONGEST_S:
            raise SystemExit(f"bench: the game still reads after {LONGEST_S} s")
        found = disk.stats()["reads"]
        if found != reads:
            reads, last = found, now
        time.sleep(0.1)
    return last - began


def play(disk, scenario):
    """Starts the game, waits until the map is loaded, and ends it. Returns the wall time of its last read, or 0 without
    reads."""
    with warzone.running(scenario, before=on_disk(disk.folder)) as game:
        seconds = wait_for_silence(disk, game)
        if not game.loaded_map():
            raise SystemExit("bench: no map was loaded:\n" + game.log())
    return seconds


def packs_by_scenario(layout):
    """Maps each scenario to the number of packs that hold assets it needs."""
    names = [scenario["name"] for scenario in layout["scenarios"]]
    found = {name: 0 for name in names}
    for pack in layout["packs"]:
        sets = {asset["set"] for asset in pack["assets"]}
        for number in {number for of in sets for number in layout["scenario_sets"][of]}:
            found[names[number]] += 1
    return found


def average_access_s(drive):
    drives = json.loads(run(SEEKLESS, "drive", "list", "--json", "-"))["drives"]
    return next(of["average_access_ms"] for of in drives if of["name"] == drive) / 1e3


def bound_of_packs(said, packs, access_s):
    """The model's bound has one seek, but each further pack needs another."""
    return said["bound_seconds"] + (packs - 1) * access_s


class Warzone:
    """The game's archives 300 GB apart on a disk, and packs of its maps between them."""

    def __init__(self, disk, drive, work):
        self.disk, self.drive, self.work = disk, drive, work
        for name, at in zip(ARCHIVES, ("100G", "400G")):
            disk.put(at, f"{warzone.DATA}/{name}")
        self.archives = [disk.folder / name for name in ARCHIVES]
        self.mapped = ["--map", f"{warzone.DATA}={disk.folder}"]
        layout, packs = work / "layout.json", work / "packs"
        traces = [trace for scenario in ["menu", *MAPS] for trace in traces_of(scenario)]
        run(SEEKLESS, "plan", *traces, *self.mapped, "--content", *self.archives, "-o", layout,
            stderr=subprocess.DEVNULL)
        run(SEEKLESS, "pack", layout, "-o", packs)
        disk.put("200G", *sorted(packs.iterdir()), "--into", "packs")
        self.packs = disk.folder / "packs"
        self.places = [(name, disk.place_of(name)) for name in ARCHIVES]
        self.packs_of = packs_by_scenario(json.loads(layout.read_text()))
        self.access_s = average_access_s(drive)
        self.pack_places = [(path.name, disk.place_of(f"packs/{path.name}"))
                            for path in sorted(self.packs.iterdir())]

    def measure(self, scenario, table, with_game):
        """Makes a row for each way to read the map's assets; the first and the last are the map's before and after."""
        disk, trace = self.disk, traces_of(scenario)[0]
        said = simulate(self.drive, trace, *self.mapped, "--content", *self.archives,
                        places=self.places)[scenario]["today"]
        with disk.cold() as measured:
            run(BIN / "replay", *self.mapped, trace)
        table.add(f"{scenario}: recorded reads, replayed", measured, said["seconds"])
        names = write_names(self.work, scenario)
        for reader, program in (("libphysfs", "read_physfs"), ("libzip", "read_zip")):
            # PhysFS looks in the archive that was mounted first; read_zip in the last one.
            order = self.archives[::-1] if reader == "libphysfs" else self.archives
            with open(names) as listed, disk.cold() as measured:
                run(BIN / program, *order, stdin=listed)
            table.add(f"{scenario}: its assets by {reader}", measured)
        if with_game:
            self.measure_game(scenario, trace, table)
        said = simulate(self.drive, self.packs, trace, *self.mapped,
                        places=self.pack_places)[scenario]["packs"]
        with disk.cold() as measured:
            run(BIN / "sweep", self.packs, scenario)
        packs = self.packs_of[scenario]
        bound_s = bound_of_packs(said, packs, self.access_s)
        table.add(f"{scenario}: the runtime's sweep of {packs} packs", measured, said["seconds"],
                  needed_bytes=said["needed_bytes"], bound_s=bound_s,
                  over_bound=measured["busy_s"] / bound_s)
        print(f"  needs {said['needed_bytes'] / 1e6:.1f} MB; bound {bound_s:.3f} s; "
              f"sweep / bound {measured['busy_s'] / bound_s:.2f}", flush=True)

    def measure_game(self, scenario, trace, table):
        disk = self.disk
        with disk.cold() as measured:
            seconds = play(disk, scenario)
        table.add(f"{scenario}: the game itself", {**measured, "wall_s": seconds})
        with disk.cold() as measured:
            run(SEEKLESS, "warm", trace, *self.mapped)
        table.add(f"{scenario}: `seekless warm`", measured)
        with disk.counted() as measured:
            seconds = play(disk, scenario)
        table.add(f"{scenario}: the game after that", {**measured, "wall_s": seconds})


def bench_warzone(disk, drive, work, with_game):
    table = Table("Warzone 2100, its archives 300 GB apart")
    game = Warzone(disk, drive, work)
    for scenario in MAPS:
        game.measure(scenario, table, with_game)
    return table


def bench(work, drive="wd-black-1tb", with_game=True, json_file=TOP / "build/bench/hdd.json"):
    """Measures everything in a folder `work`; prints tables and writes the JSON file."""
    with Disk(work / "disk", "--drive", drive) as disk:
        tables = [bench_patterns(disk, drive, work)]
    with Disk(work / "disk", "--drive", drive) as disk:
        tables.append(bench_warzone(disk, drive, work, with_game))
    if json_file is not None:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(json.dumps({table.title: table.rows for table in tables}, indent=1))
        print(f"\n{json_file}")
