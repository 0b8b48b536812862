"""Loads from packs on the emulated disk, cold: how well the reader uses the disk with many requests at once, and how it
handles a failing disk. Parts of `script/bench runtime`; integration/test_runtime_bench.py runs shorter forms. Needs
root and FUSE."""
import contextlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "hdd"))
import bench as hdd
from made_packs import BIN, MIB, SEEKLESS, pack, run, sizes_of_a_game, write_files

DRIVE = "wd-black-1tb"
AHEAD_KIB = 128  # the system's read-ahead on most machines
LOAD = os.environ.get("SEEKLESS_LOAD", BIN / "load")  # set it to use a build with sanitizers, for example
REQUEST_BYTES = 16 * 1024
DEADLINE_US = 200_000


def access_s(drive=DRIVE):
    """Returns the seconds of an average seek and half a turn."""
    drives = json.loads(run(SEEKLESS, "drive", "list", "--json", "-"))["drives"]
    return next(of["average_access_ms"] for of in drives if of["name"] == drive) / 1e3


@contextlib.contextmanager
def disk_of(work, *options):
    with hdd.Disk(work / "disk", "--drive", DRIVE, *options) as disk:
        yield disk


def put(disk, packs, at, name):
    """Writes the files one after the other, the largest first, because then there is most contiguous room. Returns
    their new folder."""
    disk.put(at, *sorted(packs.iterdir(), key=lambda path: -path.stat().st_size), "--into", name)
    shutil.rmtree(packs)
    return disk.folder / name


def load(disk, *words, cold=True):
    """Returns (the program's figures, the disk's figures)."""
    with disk.cold(AHEAD_KIB) if cold else disk.counted() as measured:
        said = json.loads(run(LOAD, *words))
    return said, measured


def write_requests(path, names, folder, count, seed=3, whole=False):
    """Writes lines 'OFFSET LENGTH PATH' of random assets."""
    of = random.Random(seed)
    lines = []
    for _ in range(count):
        name = of.choice(names)
        most = max(0, (folder / name).stat().st_size - REQUEST_BYTES)
        at, length = (0, 0) if whole else (of.randrange(most // 4096 + 1) * 4096, REQUEST_BYTES)
        lines.append(f"{at} {length} {name}\n")
    path.write_text("".join(lines))
    return path


# ---- A long sweep, and urgent requests beside it ------------------------------------------------------

def read_sequentially(disk, file):
    with disk.cold(AHEAD_KIB) as measured:
        run("dd", f"if={file}", "of=/dev/null", "bs=2M", "iflag=direct", "status=none")
    return measured


def measure_sweep(work, total_bytes, urgent, gap_us, scale="1"):
    """Reads a sub-pack by dd, by a sweep, and by a sweep mixed with urgent requests to another pack."""
    loose, packs = work / "loose", work / "packs"
    sizes = sizes_of_a_game(total_bytes * 11 // 10)
    names = write_files(loose, sizes)
    last = len(names) * 10 // 11
    pack(loose, names[:last], packs, work)
    requests = write_requests(work / "requests", names[last:], loose, urgent)
    shutil.rmtree(loose)
    with disk_of(work, "--scale", scale) as disk:
        folder = put(disk, packs, "100G", "packs")
        pack_file = max(folder.iterdir(), key=lambda path: path.stat().st_size)
        found = {"dd": {"disk": read_sequentially(disk, pack_file), "bytes": pack_file.stat().st_size}}
        for name, words in (("sweep", ()), ("mixed", (
                "--requests", requests, "--gap-us", gap_us, "--priority", 100, "--ahead", 512,
                "--deadline-us", DEADLINE_US))):
            said, disk_did = load(disk, folder, "--sweep", "map", *words)
            found[name] = {"said": said, "disk": disk_did}
        assert found["sweep"]["said"]["sweep"]["failures"] == []
    return found


def rate(bytes_read, measured):
    return bytes_read / measured["busy_s"] / 1e6


def sums_of_sweep(found):
    """Computes the result from the measurements."""
    swept, mixed = found["sweep"], found["mixed"]
    requests, stats = mixed["said"]["requests"], mixed["said"]["stats"]
    extra_s = mixed["disk"]["busy_s"] - swept["disk"]["busy_s"]
    return {
        "sequential_mb_s": rate(found["dd"]["bytes"], found["dd"]["disk"]),
        "sweep_mb_s": rate(swept["said"]["sweep"]["bytes"], swept["disk"]),
        "share": found["dd"]["disk"]["busy_s"] / swept["disk"]["busy_s"]
                 * swept["said"]["sweep"]["bytes"] / found["dd"]["bytes"],
        "share_of_wall": found["dd"]["disk"]["wall_s"] / swept["disk"]["wall_s"],
        "peak_mib": max(swept["said"]["stats"]["peak_used_bytes"], stats["peak_used_bytes"]) / MIB,
        "requests": requests["done"], "failed": len(requests["failures"]),
        "missed_deadlines": requests["missed_deadlines"], "latency_ms": requests["latency_ms"],
        "counted": stats["missed_deadlines"], "bypasses": stats["bypasses"],
        "busy_s": {"dd": found["dd"]["disk"]["busy_s"], "sweep": swept["disk"]["busy_s"],
                   "mixed": mixed["disk"]["busy_s"]},
        "sweep_wall_s": {"sweep": swept["said"]["sweep"]["seconds"], "mixed": mixed["said"]["sweep"]["seconds"]},
        "extra_s": extra_s,
        "extra_seeks": mixed["disk"]["seeks"] - swept["disk"]["seeks"],
        # The time allowed is a seek there and back, and the transfer.
        "allowed_s": requests["done"] * 2 * access_s() + requests["bytes"] / 60e6,
    }


def bench_sweep(work):
    work.mkdir()
    found = sums_of_sweep(measure_sweep(work, 2 * 10**9, urgent=2000, gap_us=25_000))
    print(f"""
### A sweep of 2 GB, cold, and 2,000 urgent requests of 16 KiB mixed in

| | busy s | MB/s | of the sequential rate | memory of blocks, MiB |
|---|---:|---:|---:|---:|
| `dd`, 2 MiB at a time, direct | {found['busy_s']['dd']:.2f} | {found['sequential_mb_s']:.1f} | 100 % | |
| the sweep | {found['busy_s']['sweep']:.2f} | {found['sweep_mb_s']:.1f} | {found['share'] * 100:.1f} % (wall: {found['share_of_wall'] * 100:.1f} %) | {found['peak_mib']:.1f} |

With the requests: {found['busy_s']['mixed']:.1f} s, {found['extra_s']:.1f} more, for {found['extra_seeks']:,} seeks more
(two each at an average access: {found['allowed_s']:.1f} s). {found['requests']:,} answered, {found['failed']} failed;
{found['missed_deadlines']:,} later than {DEADLINE_US // 1000} ms ({found['counted']:,} counted); latency p50 {found['latency_ms']['p50']:.0f}, p99 {found['latency_ms']['p99']:.0f},
longest {found['latency_ms']['max']:.0f} ms; {found['bypasses']:,} went out of turn.""", flush=True)
    return found


# ---- Urgent requests of every rate beside a sweep ------------------------------------------------------

RATES = (0, 10, 20, 30, 40, 50, 60, 75, 100)


def measure_urgent(work, total_bytes, rates, scale="1"):
    """Maps each rate to the program's figures for a sweep during which that many urgent requests a second arrive.
    The gaps between them are evenly distributed between 0 and twice their mean."""
    loose, packs = work / "loose", work / "packs"
    names = write_files(loose, sizes_of_a_game(total_bytes * 11 // 10))
    last = len(names) * 10 // 11
    pack(loose, names[:last], packs, work)
    requests = write_requests(work / "requests", names[last:], loose, 20_000)
    shutil.rmtree(loose)
    with disk_of(work, "--scale", scale) as disk:
        folder = put(disk, packs, "100G", "packs")
        return {rate: load(disk, folder, "--sweep", "map", *((
            "--requests", requests, "--gap-us", 1_000_000 // rate, "--priority", 100, "--ahead", 512,
            "--deadline-us", DEADLINE_US, "--until-swept") if rate else ()))[0] for rate in rates}


def bench_urgent(work):
    work.mkdir()
    found = measure_urgent(work, 10**9, RATES)
    print(f"""
### Urgent requests of 16 KiB beside a sweep of 1 GB, cold; deadlines of {DEADLINE_US // 1000} ms

| requests a second | answered | p50, ms | p99, ms | longest, ms | late | the sweep takes, s |
|---:|---:|---:|---:|---:|---:|---:|""")
    for rate, said in found.items():
        swept_s = said["sweep"]["seconds"]
        if rate == 0:
            print(f"| 0 | | | | | | {swept_s:.1f} |")
            continue
        asked, of = said["requests"], said["requests"]["latency_ms"]
        print(f"| {rate} | {asked['done']:,} | {of['p50']:.0f} | {of['p99']:.0f} | {of['max']:.0f} | "
              f"{asked['missed_deadlines'] / asked['done'] * 100:.1f} % | {swept_s:.1f} |", flush=True)
    return found


# ---- Demand reads of many threads over several packs ---------------------------------------------------

def measure_demand(work, pack_bytes, count, scale="0.05", threads=8, ahead=32):
    """Measures the same requests in the order of their arrival, and through queues."""
    wanted = []
    with disk_of(work, "--scale", scale) as disk:
        folders = []
        for number, at in enumerate(("100G", "300G", "500G")):
            loose = work / f"loose-{number}" / f"pack-{number}"
            names = [f"{loose.name}/{name}" for name in write_files(
                loose, [16_000 + size // 4 for size in sizes_of_a_game(pack_bytes * 4)], seed=number)]
            wanted += random.Random(number).sample(names, count // 3)
            folders.append(put(disk, pack(loose.parent, names, work / "packs", work), at, f"set-{number}"))
            shutil.rmtree(loose.parent)
        random.Random(9).shuffle(wanted)
        requests = work / "requests"
        requests.write_text("".join(f"0 0 {name}\n" for name in wanted))
        found = {}
        for name, words in (("arrival", ["--in-order"]), ("queues", ["--threads", threads, "--ahead", ahead])):
            said, disk_did = load(disk, *folders, "--requests", requests, *words)
            assert said["requests"]["failures"] == [] and said["requests"]["done"] == len(wanted)
            found[name] = {"said": said, "disk": disk_did}
    return found


def bench_demand(work):
    work.mkdir()
    found = measure_demand(work, 400_000_000, count=3000)
    print("\n### 3,000 assets of three packs 200 GB apart, asked for by 8 threads, cold\n")
    print("| | busy s | seeks | MB read |\n|---|---:|---:|---:|")
    titles = {"arrival": "read in the order of arrival", "queues": "8 queues, each 32 requests ahead"}
    for name, title in titles.items():
        did = found[name]["disk"]
        print(f"| {title} | {did['busy_s']:.2f} | {did['seeks']:,} | {did['bytes'] / 1e6:.1f} |")
    ratio = found["queues"]["disk"]["busy_s"] / found["arrival"]["disk"]["busy_s"]
    print(f"\nRatio {ratio:.2f}.", flush=True)
    return {"ratio": ratio, **{name: of["disk"] for name, of in found.items()}}


# ---- Damage under load ---------------------------------------------------------------------------------

class Damaged:
    """A pack set on a disk, to be damaged: half of its assets in a scenario's pack, half in the cold one.
    Every way to read is tried at once: a sweep, and requests of four threads for all assets."""

    def __init__(self, disk, work, total_bytes):
        self.disk, self.work = disk, work
        loose, packs = work / "loose", work / "packs"
        names = write_files(loose, sizes_of_a_game(total_bytes))
        self.swept, self.cold = names[::2], names[1::2]
        self.contents = {name: (loose / name).read_bytes() for name in self.swept}
        pack(loose, self.swept, packs, work)
        shutil.rmtree(loose)
        self.packs = put(disk, packs, "100G", "packs")
        self.pack_file = self.packs / "map.skl"
        self.requests = work / "requests"
        self.requests.write_text("".join(f"0 0 {name}\n" for name in random.Random(5).sample(names, len(names))))

    def command(self, *more):
        return [LOAD, self.packs, "--sweep", "map", "--check", "--requests", self.requests, "--threads", 4,
                "--ahead", 8, *more]

    def load(self):
        self.disk.hdd("cold")
        return json.loads(run(*self.command()))

    def middle_of(self, name):
        """Returns its place in the pack's file, where it is stored uncompressed."""
        content = self.contents[name]
        return self.pack_file.read_bytes().index(content) + len(content) // 2

    @contextlib.contextmanager
    def changed(self, change):
        """Changes the pack with `change`, and restores it afterwards."""
        whole = self.pack_file.read_bytes()
        change(self.pack_file)
        try:
            yield
        finally:
            self.pack_file.write_bytes(whole)

    def with_a_flipped_bit(self, name):
        def flip(file):
            with open(file, "r+b") as opened:
                opened.seek(self.middle_of(name))
                byte = opened.read(1)[0]
                opened.seek(-1, 1)
                opened.write(bytes([byte ^ 4]))
        with self.changed(flip):
            return self.load()

    def with_a_bad_sector(self, name):
        self.disk.hdd("fault", "eio", "--file", f"{self.pack_file}:{self.middle_of(name)}", "--bytes", 4096)
        try:
            return self.load()
        finally:
            self.disk.hdd("fault", "none")

    def truncated(self, size_bytes):
        with self.changed(lambda file: os.truncate(file, size_bytes)):
            return self.load()

    def truncated_while_loading(self, size_bytes):
        """The requests take two seconds; after half a second, the file is truncated."""
        self.disk.hdd("cold")
        gap_us = 2_000_000 * 4 // (len(self.swept) + len(self.cold))
        with self.changed(lambda file: None):
            running = subprocess.Popen([str(word) for word in self.command("--gap-us", gap_us)],
                                       stdout=subprocess.PIPE)
            time.sleep(0.5)
            os.truncate(self.pack_file, size_bytes)
            out, _ = running.communicate(timeout=120)
        assert running.returncode == 0, running.returncode
        return json.loads(out)


def paths_of(failures):
    """Returns the paths of the requests' failures, 'PATH: result: message'."""
    return sorted(failure.split(":")[0] for failure in failures)


def sums_of_damage(of, said, hit):
    """Returns the outcome of a load in which the assets `hit` were damaged."""
    requests, swept = said["requests"], said["sweep"]
    return {"requests": requests["done"], "failed": paths_of(requests["failures"]),
            "expected": sorted(hit), "arrived": len(requests["arrived"]),
            "sweep_failures": swept.get("failures", [swept.get("refused")]),
            "sweep_arrived": len(swept.get("arrived", [])), "sweep_wrong": len(swept.get("wrong", [])),
            "sweep_needs": len(of.swept)}


def bench_damage(work, total_bytes=200_000_000):
    work.mkdir()
    found = {}
    with disk_of(work, "--scale", "0.05") as disk:
        of = Damaged(disk, work, total_bytes)
        name = of.swept[len(of.swept) // 2]
        found["a flipped bit"] = sums_of_damage(of, of.with_a_flipped_bit(name), [name])
        found["a bad sector (EIO)"] = sums_of_damage(of, of.with_a_bad_sector(name), [name])
        half = of.pack_file.stat().st_size // 2
        found["half of a pack is missing"] = sums_of_damage(of, of.truncated(half), of.swept)
    print("\n### Damage under load: a sweep, and requests of four threads for every asset\n")
    print("| | requests: answered, failed | the right ones | swept whole | sweep said |\n|---|---:|---|---:|---|")
    for title, sums in found.items():
        right = "yes" if sums["failed"] == sums["expected"] else "no"
        said = (sums["sweep_failures"] or [""])[0].rsplit("/", 1)[-1][:90]
        print(f"| {title} | {sums['arrived']:,}, {len(sums['failed']):,} | {right} | "
              f"{sums['sweep_arrived']:,} of {sums['sweep_needs']:,} | {said} |", flush=True)
    return found
