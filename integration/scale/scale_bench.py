"""`seekless build` of up to 100 GB and a million assets: its peak memory, and whether its time per GB stays what it is.

Content and packs lie on a disk in memory (zram) that keeps a page of equal bytes as one number, so that 200 GB of
mostly zeros take a few hundred MB: `seekless` reads, hashes and writes every byte, only the medium is fast. Needs
root, for that disk. What is measured is printed and written to build/bench/scale.json.
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
ASSETS = (10_000, 100_000, 1_000_000)
ASSET_BYTES = 100 * 1024
MOST_MEMORY_MIB = 512
MOST_SPREAD = 1.2
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
    """Sparse files that differ in their first bytes; sizes repeat, as those of real textures do."""
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
    """A load of every tenth asset."""
    with open(path, "w") as trace:
        for number in range(0, count, 10):
            seconds = 1_700_000_000 + number / 1000
            file = asset_path(folder, number)
            trace.write(f'7 {seconds:.6f} openat(AT_FDCWD, "{file}", O_RDONLY) = 3<{file}> <0.000010>\n'
                        f'7 {seconds + 0.0001:.6f} read(3<{file}>, ""..., 102400) = 102400 <0.000010>\n'
                        f'7 {seconds + 0.0002:.6f} close(3<{file}>) = 0 <0.000010>\n')


def measured(*command):
    """Wall seconds, processor seconds and peak MiB of a command."""
    start = time.monotonic()
    child = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {child.returncode}")
    return {"seconds": time.monotonic() - start, "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "peak_mib": usage.ru_maxrss / 1024}


def measure(folder, count):
    game = folder / str(count)
    (game / "content").mkdir(parents=True)
    total_bytes = make_content(game / "content", count)
    write_trace(game / "load.1.strace", game / "content", count)
    (game / "seekless.json").write_text(json.dumps({
        "content": ["content"], "traces": ["load.1.strace"], "outputs": {"packs": {"folder": "packs"}}}))
    os.sync()
    row = {"assets": count, "gb": total_bytes / 1e9, "build": measured(SEEKLESS, "build", game),
           "build_again": measured(SEEKLESS, "build", game)}
    layout = game / ".seekless/layout.json"
    shutil.rmtree(game / "packs")
    row["pack"] = measured(SEEKLESS, "pack", layout, "-o", game / "packs")
    row["plan"] = measured(SEEKLESS, "plan", game / "load.1.strace", "--content", game / "content",
                           "-o", game / "layout.json")
    shutil.rmtree(game)
    return row


def describe(row):
    build = row["build"]
    print(f"{row['assets']:>9} assets, {row['gb']:6.1f} GB: build {build['seconds']:.1f} s, "
          f"{build['seconds'] / row['gb']:.2f} s/GB, processor {build['cpu_seconds'] / row['gb']:.2f} s/GB; "
          f"again {row['build_again']['seconds']:.2f} s; peak MiB: "
          + ", ".join(f"{name} {row[name]['peak_mib']:.0f}" for name in ("build", "build_again", "plan", "pack")),
          flush=True)


def bench(work, counts=ASSETS):
    if os.geteuid() != 0 or not CONTROL.exists():
        raise SystemExit("scale: needs root, and a kernel with zram")
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))  # as a login has it
    rows = []
    with disk_in_memory(work / "disk", 160) as folder:
        for count in counts:
            rows.append(measure(folder, count))
            describe(rows[-1])
    result = TOP / "build/bench/scale.json"
    result.parent.mkdir(parents=True, exist_ok=True)
    result.write_text(json.dumps(rows, indent=2) + "\n")
    per_gb = [row["build"]["cpu_seconds"] / row["gb"] for row in rows]
    peak = max(row[name]["peak_mib"] for row in rows for name in ("build", "build_again", "plan", "pack"))
    print(f"processor seconds per GB: the most is {max(per_gb) / min(per_gb):.2f} times the least; "
          f"peak memory {peak:.0f} MiB")
    if max(per_gb) > MOST_SPREAD * min(per_gb) or peak > MOST_MEMORY_MIB:
        raise SystemExit(f"limits missed: {MOST_SPREAD} times, {MOST_MEMORY_MIB} MiB")
