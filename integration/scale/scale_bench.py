"""Runs `seekless build` of up to 100 GB and a million assets, with and without a lock: the first build, one without a
change, and one with an edited asset. Measures their peak memory, and whether the first build's time per GB stays
constant.

Content and packs lie on a disk in memory (zram). It stores a page of equal bytes as one number, so 200 GB of mostly
zeros take a few hundred MB. `seekless` reads, hashes and writes every byte; only the medium is fast. The disk needs
root. Prints the figures, and writes them to build/bench/scale.json.
"""
import contextlib
import json
import multiprocessing
import os
import pathlib
import resource
import shutil
import subprocess
import time

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
SEEKLESS = TOP / "build/release/bin/seekless"
ASSETS = (10_000, 50_000, 100_000, 1_000_000)
ASSET_BYTES = 100 * 1024
MOST_MEMORY_MIB = 512
MOST_SPREAD = 1.2
EDITED = 30  # an asset that the trace reads
CONTROL = pathlib.Path("/sys/class/zram-control")


@contextlib.contextmanager
def disk_in_memory(folder, size_gb):
    """A new zram disk with ext4 on it, mounted at `folder`."""
    number = int((CONTROL / "hot_add").read_text())
    device = f"/dev/zram{number}"
    mounted = False
    try:
        pathlib.Path(f"/sys/block/zram{number}/disksize").write_text(f"{size_gb}G")
        # A million files of one page each, and packs: as many inodes as files, and a quarter more.
        subprocess.run(["mkfs.ext4", "-q", "-N", "1250000", "-m", "0", "-O", "^has_journal", "-E", "nodiscard", device],
                       check=True)
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-o", "noatime", device, folder], check=True)
        mounted = True
        yield folder
    finally:
        if mounted:
            subprocess.run(["umount", folder], check=True)
        (CONTROL / "hot_remove").write_text(str(number))


def asset_path(folder, number):
    return f"{folder}/world/sector{number // 1000:04}/kind{number % 7}/asset_{number:07}.dat"


def make_assets(task):
    """Makes sparse files that differ in their first bytes. Sizes repeat, like those of real textures."""
    folder, first, end = task
    for number in range(first, end):
        path = asset_path(folder, number)
        if number % 1000 < 7:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        file = os.open(path, os.O_CREAT | os.O_WRONLY, 0o644)
        os.write(file, b"asset %d" % number)
        os.ftruncate(file, ASSET_BYTES + number % 4096)
        os.close(file)


def make_content(folder, count):
    tasks = [(folder, first, min(first + 1000, count)) for first in range(0, count, 1000)]
    with multiprocessing.Pool() as pool:
        pool.map(make_assets, tasks, chunksize=4)
    return sum(ASSET_BYTES + number % 4096 for number in range(count))


def write_trace(path, folder, count):
    """Writes a load of every tenth asset."""
    with open(path, "w") as trace:
        for number in range(0, count, 10):
            seconds = 1_700_000_000 + number / 1000
            file = asset_path(folder, number)
            trace.write(f'7 {seconds:.6f} openat(AT_FDCWD, "{file}", O_RDONLY) = 3<{file}> <0.000010>\n'
                        f'7 {seconds + 0.0001:.6f} read(3<{file}>, ""..., 102400) = 102400 <0.000010>\n'
                        f'7 {seconds + 0.0002:.6f} close(3<{file}>) = 0 <0.000010>\n')


def measured(*command):
    """Returns wall seconds, processor seconds and peak MiB of a command, with an empty page cache. Otherwise 1 GB that
    was just written would be cached, and 100 GB not, which would seem slower."""
    os.sync()
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
    start = time.monotonic()
    child = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {child.returncode}")
    return {"seconds": time.monotonic() - start, "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "peak_mib": usage.ru_maxrss / 1024}


def edit(path):
    """Writes other bytes of the same size."""
    with open(path, "r+b") as file:
        file.write(b"edited")
    time.sleep(0.1)  # waits until a later write would change the stamp


def measure_builds(folder, name, lock):
    """Runs the three builds of the content in `folder`."""
    game = folder / name
    game.mkdir()
    settings = {"content": ["../content"], "traces": ["../load.1.strace"], "outputs": {"packs": {"folder": "packs"}}}
    (game / "seekless.json").write_text(json.dumps(settings | ({"lock": "layout.lock"} if lock else {})))
    os.sync()
    builds = {"first": measured(SEEKLESS, "build", game), "no change": measured(SEEKLESS, "build", game)}
    edit(asset_path(folder / "content", EDITED))
    builds["one edited"] = measured(SEEKLESS, "build", game)
    return {f"{name}, {build}": figures for build, figures in builds.items()}


def measure(folder, count):
    game = folder / str(count)
    (game / "content").mkdir(parents=True)
    total_bytes = make_content(game / "content", count)
    write_trace(game / "load.1.strace", game / "content", count)
    row = {"assets": count, "gb": total_bytes / 1e9, "runs": measure_builds(game, "build", False)}
    layout = game / "build/.seekless/layout.json"
    shutil.rmtree(game / "build/packs")
    row["runs"]["pack"] = measured(SEEKLESS, "pack", layout, "-o", game / "packs")
    shutil.rmtree(game / "packs")
    row["runs"]["plan"] = measured(SEEKLESS, "plan", game / "load.1.strace", "--content", game / "content",
                                   "-o", game / "layout.json")
    row["runs"] |= measure_builds(game, "build with a lock", True)
    shutil.rmtree(game)
    return row


def describe(row):
    print(f"{row['assets']} assets, {row['gb']:.1f} GB", flush=True)
    print(f"  {'':30} {'s':>8} {'s/GB':>8} {'processor s/GB':>15} {'peak MiB':>9}")
    for name, run in row["runs"].items():
        verdict = "met" if run["peak_mib"] <= MOST_MEMORY_MIB else "missed"
        print(f"  {name:30} {run['seconds']:8.1f} {run['seconds'] / row['gb']:8.2f} "
              f"{run['cpu_seconds'] / row['gb']:15.2f} {run['peak_mib']:9.0f}  {verdict}", flush=True)


def spread(rows, run, figure):
    """Returns the ratio between the most and the least per GB, over all sizes."""
    per_gb = [row["runs"][run][figure] / row["gb"] for row in rows]
    return max(per_gb) / min(per_gb)


def bench(work, counts=ASSETS):
    if os.geteuid() != 0 or not CONTROL.exists():
        raise SystemExit("scale: needs root, and a kernel with zram")
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))  # the limit of a login
    rows = []
    with disk_in_memory(work / "disk", 240) as folder:
        for count in counts:
            rows.append(measure(folder, count))
            describe(rows[-1])
    result = TOP / "build/bench/scale.json"
    result.parent.mkdir(parents=True, exist_ok=True)
    result.write_text(json.dumps(rows, indent=2) + "\n")
    peak = max(run["peak_mib"] for row in rows for run in row["runs"].values())
    missed = peak > MOST_MEMORY_MIB
    print(f"peak memory: {peak:.0f} MiB of {MOST_MEMORY_MIB}: {'missed' if missed else 'met'}")
    for run in ("build, first", "build with a lock, first"):
        for figure in ("seconds", "cpu_seconds"):
            ratio = spread(rows, run, figure)
            missed = missed or ratio > MOST_SPREAD
            print(f"{run}, {figure} per GB: the most is {ratio:.2f} times the least, of {MOST_SPREAD}: "
                  f"{'met' if ratio <= MOST_SPREAD else 'missed'}")
    if missed:
        raise SystemExit("limits missed")
