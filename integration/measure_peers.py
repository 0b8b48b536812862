#!/usr/bin/python3
"""Compares seekless with its peers in rows in which a peer, or the limit, once was ahead. `script/bench peers` runs it.

Each row has the earlier figure, today's, a peer's measured at the same time, and the limit. Both sides take turns, and
a figure is the median of its rounds. Processor time and counts are compared, because wall time depends on the machine's
other work. A row that misses its limit says so.

usage: integration/measure_peers.py [--work FOLDER] [--rounds N] [--write-figures] [ROW...]     (default: all rows; --help names them)

Needs the release build with benchmarks, root and FUSE for the rows `sweep` and `small`, and `script/bootstrap rest bench`.
"""
import argparse
import contextlib
import json
import math
import os
import pathlib
import random
import re
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
sys.path[:0] = [str(HERE), str(HERE / "hdd"), str(HERE / "runtime")]
import disk_loads
import figures
import page_cache
import random_open
from made_packs import BIN, MIB, SEEKLESS, pack, run, sizes_of_a_game, write_files, write_trace

WARZONE = pathlib.Path("/usr/share/games/warzone2100")


def row(what, before, now, peer, limit, is_met, command):
    """Returns a row of docs/figures/peers.json; `is_met` is None for a row without a limit."""
    return [what, before, now, peer, limit, {None: "", True: "met", False: "**missed**"}[is_met], command]


def alternated(rounds, **sides):
    """Returns the median of each side's figures, measured in turn: A B A B."""
    found = {name: [] for name in sides}
    for _ in range(rounds):
        for name, measure in sides.items():
            found[name].append(measure())
    return {name: statistics.median(each) for name, each in found.items()}


def processor_s(*command, **how):
    """Returns the processor seconds of a program and its children."""
    def used():
        of = resource.getrusage(resource.RUSAGE_CHILDREN)
        return of.ru_utime + of.ru_stime

    before = used()
    run(*command, **how)
    return used() - before


# ---- Assets without a copy, beside LMDB ---------------------------------------------------------------

def make_lmdb(loose, names, place):
    import lmdb  # only this row needs it
    size = sum((loose / name).stat().st_size + 8192 for name in names)
    with lmdb.open(str(place), map_size=2 * size + 64 * MIB) as environment, environment.begin(write=True) as writing:
        for name in names:
            writing.put(name.encode(), (loose / name).read_bytes())
    return place


def make_sqlite(loose, names, place):
    with contextlib.closing(sqlite3.connect(place)) as database:
        database.execute("CREATE TABLE assets (path TEXT PRIMARY KEY, content BLOB) WITHOUT ROWID")
        database.executemany("INSERT INTO assets VALUES (?, ?)", ((name, (loose / name).read_bytes()) for name in names))
        database.commit()
    return place


def microseconds(kind, place, names, threads, passes):
    """Returns processor time to find, read and release an asset."""
    answer = json.loads(run(BIN / "open_each", kind, place, names, threads, passes))
    assert answer["failed"] == 0, answer
    return answer["cpu_seconds"] / answer["assets"] * 1e6


def list_of(work, names):
    listed = work / "names"
    listed.write_text("".join(name + "\n" for name in random.Random(2).sample(names, len(names))))
    return listed


def measure_map(work, rounds):
    rows = []
    for size, title, count in ((4096, "4 KiB", 4000), (65536, "64 KiB", 500), (MIB, "1 MiB", 32)):
        folder = work / title.replace(" ", "")
        loose = folder / "loose"
        names = write_files(loose, [size] * count)
        packs = pack(loose, names, folder / "packs", folder)
        database = make_lmdb(loose, names, folder / "lmdb")
        # The speed of mapped memory depends on the pieces in which its pages were written or read ahead. After a read
        # from the disk, these are alike for all files.
        page_cache.forget(packs, database)
        listed = list_of(folder, names)
        for threads in (1, 16):
            passes = max(1, 400 * MIB // (size * count))
            us = alternated(rounds, read=lambda: microseconds("packs", packs, listed, threads, passes),
                            map=lambda: microseconds("mapped", packs, listed, threads, passes),
                            lmdb=lambda: microseconds("lmdb", database, listed, threads, passes))
            ratio = us["map"] / us["lmdb"]
            rows.append(row(f"an asset of {title}, {threads} thread{'s' * (threads > 1)}", f"{us['read']:.2f} us by `skl_read`",
                            f"{us['map']:.2f} us by `skl_map`", f"LMDB {us['lmdb']:.2f} us", f"1.2 x LMDB ({ratio:.2f} x)",
                            ratio <= 1.2, "open_each mapped"))
        shutil.rmtree(folder)
    return rows


# ---- Small assets, beside all peers ---------------------------------------------------------------------

@contextlib.contextmanager
def erofs(loose, work):
    """Yields the folder on which an EROFS image of the files is mounted; None if mounting isn't allowed."""
    image, folder = work / "all.erofs", work / "erofs"
    folder.mkdir()
    run("mkfs.erofs", image, loose, stderr=subprocess.DEVNULL)
    mounted = subprocess.run(["mount", "-t", "erofs", "-o", "loop,ro", image, folder], capture_output=True).returncode == 0
    try:
        yield folder if mounted else None
    finally:
        if mounted:
            run("umount", folder)


def measure_small(work, rounds, count=10_000):
    loose = work / "loose"
    names = write_files(loose, [8192] * count)
    random_open.make_indexed(loose, names, work / "all.bin")
    random_open.make_zip(loose, names, work / "all.zip")
    listed = list_of(work, names)
    with random_open.squashfs(loose, work) as squashfs, erofs(loose, work) as erofs_folder:
        places = {"pread": ("indexed", work / "all.bin"), "packs": ("packs", pack(loose, names, work / "packs", work)),
                  "loose files": ("folder", loose), "SquashFS": ("folder", squashfs), "EROFS": ("folder", erofs_folder),
                  "libzip": ("zip", work / "all.zip"), "PhysFS": ("physfs", work / "all.zip"),
                  "SQLite": ("sqlite", make_sqlite(loose, names, work / "all.sqlite")),
                  "LMDB": ("lmdb", make_lmdb(loose, names, work / "lmdb"))}
        us = alternated(rounds, **{name: (lambda kind=kind, place=place: microseconds(kind, place, listed, 1, 3))
                                   for name, (kind, place) in places.items() if place is not None})
    ours, least = us.pop("packs"), us.pop("pread")
    peers = ", ".join(f"{name} {peer:.2f}" for name, peer in us.items())
    return [row("an asset of 8 KiB, found by path and read", "0.90 x `pread`", f"{ours:.2f} us ({ours / least:.2f} x)",
                f"`pread` {least:.2f} us, {peers}", "1.0 x `pread`", ours / least <= 1.03, "open_each packs")]


# ---- Parts, requests, tables: bench_runtime -------------------------------------------------------------

def benchmark(pattern):
    """Maps the names of bench_runtime's matching benchmarks to their figures."""
    said = json.loads(run(BIN / "bench_runtime", f"--benchmark_filter={pattern}", "--benchmark_format=json",
                          stderr=subprocess.DEVNULL))
    return {of["name"]: of for of in said["benchmarks"]}


def cpu_us(of):
    return of["cpu_time"] * {"ns": 1e-3, "us": 1, "ms": 1e3}[of["time_unit"]]


def fio_us(file, engine):
    """Returns fio's processor time for a read of 4 KiB at a random place, all in the system's cache."""
    job = json.loads(run("fio", "--name=peer", f"--filename={file}", "--rw=randread", "--bs=4k", f"--ioengine={engine}",
                         "--iodepth=1", "--number_ios=200000", "--norandommap", "--loops=100", "--invalidate=0", "--readonly",
                         "--output-format=json"))["jobs"][0]
    return (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] * 1e3 / job["read"]["total_ios"]


def measure_parts(work, rounds):
    file = work / "cached"
    file.write_bytes(os.urandom(MIB) * 64)
    names = {"lz4/bytes:4096/span:64": ("4 KiB of an LZ4 pack, nothing kept", "349 us", 18),
             "lz4/bytes:4096/span:2": ("the same, its frame kept", "232 us", 2.5),
             "lz4/bytes:65536/span:64": ("64 KiB of an LZ4 pack, nothing kept", "460 us", 60)}
    found = {name: [] for name in [*names, "psync"]}
    for _ in range(rounds):
        said = benchmark("read_parts/lz4")
        for name in names:
            found[name].append(cpu_us(said[f"read_parts/{name}"]))
        found["psync"].append(fio_us(file, "psync"))
    pread = statistics.median(found.pop("psync"))
    rows = []
    for name, rounds_us in found.items():
        what, before, limit_us = names[name]
        us = statistics.median(rounds_us)
        rows.append(row(what, before, f"{us:.2f} us", f"4 KiB raw by fio's `pread` {pread:.2f} us", f"{limit_us} us",
                        us <= limit_us, "bench_runtime --benchmark_filter=read_parts/lz4"))
    return rows


def measure_queue(work, rounds):
    file = work / "cached"
    file.write_bytes(os.urandom(MIB) * 64)
    us = alternated(rounds, ours=lambda: cpu_us(next(iter(benchmark("submit_and_wait").values()))),
                    fio=lambda: fio_us(file, "io_uring"))
    return [row("submitting and awaiting 4 KiB, all threads", "10.9 us", f"{us['ours']:.2f} us",
                f"fio by io_uring {us['fio']:.2f} us", "6 us", us["ours"] <= 6, "bench_runtime --benchmark_filter=submit_and_wait")]


def measure_memory(work, rounds):
    said = benchmark("memory_of_tables")["memory_of_tables/iterations:1"]
    return [row("tables in memory for each of a million assets", "43, and 100 after the first read; the docs said 35",
                f"{said['mounted']:.0f} bytes, and {said['read']:.0f}", "", "what docs/engine.md says: 44, and 96",
                said["mounted"] <= 44.5 and said["read"] <= 97, "bench_runtime --benchmark_filter=memory_of_tables")]


# ---- Sweeps -----------------------------------------------------------------------------------------------

def measure_decoding(work, rounds):
    """The content is Warzone 2100's, without its archives."""
    loose = work / "loose"
    for archive in ("base.wz", "mp.wz"):
        zipfile.ZipFile(WARZONE / archive).extractall(loose / archive)
    names = [str(path.relative_to(loose)) for path in sorted(loose.rglob("*")) if path.is_file()]
    packs = pack(loose, names, work / "packs", work, codec="lz4")
    raw_packs = pack(loose, names, work / "raw", work)
    whole = work / "whole"
    with open(whole, "wb") as all_of_it:
        for name in names:
            all_of_it.write((loose / name).read_bytes())
    size = whole.stat().st_size

    def sweep(folder):
        return size / 1e6 / processor_s(BIN / "load", folder, "--sweep", "map")

    def lz4():
        said = run("lz4", "-b1", "-i2", whole, stderr=subprocess.STDOUT, text=True)
        return float(re.findall(r"([\d.]+) MB/s", said)[-1])

    rate = alternated(rounds, sweep=lambda: sweep(packs), raw=lambda: sweep(raw_packs), lz4=lz4)
    share = rate["sweep"] / rate["lz4"]
    return [row("a sweep of LZ4 packs: content for each processor second, reading and checking included", "2.0 to 2.3 GB",
                f"{rate['sweep'] / 1e3:.2f} GB (raw packs {rate['raw'] / 1e3:.2f})", f"`lz4 -b1` {rate['lz4'] / 1e3:.2f} GB, decoding alone",
                f"0.6 x lz4 ({share:.2f} x)", share >= 0.6, "load PACKS --sweep map")]


def neighbour_p99_ms(file, beside):
    """Returns the 99th percentile of the times that reads of 4 KiB take beside a program, which must run longer."""
    busy = subprocess.Popen([str(word) for word in beside], stdout=subprocess.DEVNULL)
    try:
        said = run("fio", "--name=neighbour", f"--filename={file}", "--rw=randread", "--bs=4k", "--direct=1", "--ioengine=psync",
                   "--thinktime=20000", "--time_based", "--runtime=3", "--readonly", "--output-format=json")
        if busy.poll() is not None:
            sys.exit(f"{beside[0]}: expected a program that runs for longer than 3 s, ended with {busy.returncode}")
    finally:
        busy.terminate()
        busy.wait()
    return json.loads(said)["jobs"][0]["read"]["clat_ns"]["percentile"]["99.000000"] / 1e6


def measure_sweep(work, rounds):
    loose, packs = work / "loose", work / "packs"
    names = write_files(loose, sizes_of_a_game(500_000_000))
    pack(loose, names, packs, work)
    shutil.rmtree(loose)
    with disk_loads.disk_of(work) as disk:
        folder = disk_loads.put(disk, packs, "100G", "packs")
        file = max(folder.iterdir(), key=lambda path: path.stat().st_size)
        other = work / "other"
        other.write_bytes(bytes(64 * MIB))
        disk.put("110G", other)
        dd = ["dd", f"if={file}", "of=/dev/null", "bs=2M", "status=none"]
        sweep = [BIN / "load", folder, "--sweep", "map"]
        counts = {"dd": [], "sweep": []}
        for _ in range(rounds):
            for name, command in (("dd", dd), ("sweep", sweep)):
                with disk.cold() as measured:
                    run(*command)
                counts[name].append(measured)
        of = {(name, key): statistics.median(each[key] for each in counts[name]) for name in counts for key in ("reads", "busy_s")}

        def beside(command):
            disk.hdd("cold")
            return neighbour_p99_ms(disk.folder / "other", command)

        p99 = alternated(rounds, dd=lambda: beside(dd), sweep=lambda: beside(sweep))
    more, longer, later = (of["sweep", "reads"] / of["dd", "reads"], of["sweep", "busy_s"] / of["dd", "busy_s"], p99["sweep"] / p99["dd"])
    return [row("commands of a cold sweep of 500 MB", "4,063", f"{of['sweep', 'reads']:,.0f}", f"`dd` {of['dd', 'reads']:,.0f}",
                f"1.3 x dd ({more:.2f} x)", more <= 1.3, "load PACKS --sweep map"),
            row("busy seconds of that sweep", "2.7 at 0.1 ms a command", f"{of['sweep', 'busy_s']:.2f}", f"`dd` {of['dd', 'busy_s']:.2f}",
                f"1.02 x dd ({longer:.2f} x)", longer <= 1.02, "the same"),
            row("p99 of a random reader beside a sweep", "91 ms, beside dd 40", f"{p99['sweep']:.0f} ms", f"beside `dd` {p99['dd']:.0f} ms",
                f"1.2 x dd ({later:.2f} x)", later <= 1.2, "fio beside the same")]


# ---- Building, importing, planning, repacking, recording -------------------------------------------------

def opened_files(log, below):
    """Counts the files below a folder that a build opened."""
    return len(set(re.findall(rf'openat\(AT_FDCWD, "({re.escape(str(below))}/[^"]+)", (?!.*O_DIRECTORY).*\) = \d', log.read_text())))


def measure_edit(work, rounds, count=10_000):
    project = work / "project"
    content = project / "content"
    names = write_files(content, [100 + number % 5000 for number in range(count)])
    (project / "traces").mkdir()
    write_trace(project / "traces/map.1.jsonl", "map", content, names[::10])
    (project / "seekless.json").write_text(json.dumps({"content": ["content"], "traces": ["traces/*.jsonl"],
                                                       "outputs": {"packs": {"folder": "packs"}}, "lock": "layout.lock"}))
    run(SEEKLESS, "build", project, stderr=subprocess.DEVNULL)

    def build():
        log = work / "log"
        run("strace", "-f", "-qq", "-e", "trace=openat", "-o", log, SEEKLESS, "build", project, stderr=subprocess.DEVNULL)
        return opened_files(log, content)

    idle = build()
    (content / names[0]).write_bytes(b"edited")
    edited = build()
    return [row(f"files of the content that a build opens after one of {count:,} was edited", "all", f"{edited:,}",
                f"without an edit {idle:,}", "1 more than without an edit", edited <= idle + 1, "strace -f seekless build")]


def measure_import(work, rounds):
    """The log is strace's, of a tar that opens and reads each file of a folder. It is so long that the program's start
    hardly counts."""
    raw, log = work / "once.strace", work / "real.strace"
    run("strace", "-f", "-ttt", "-y", "-T", "-s", "0", "-e", "trace=openat,open,read,pread64,lseek,mmap,close,execve", "-o", raw,
        "tar", "-cf", work / "tar", "/usr/lib/python3", "/usr/include", stderr=subprocess.DEVNULL)
    once = raw.read_bytes()
    log.write_bytes(once * max(1, 240 * 10**6 // len(once)))
    size = log.stat().st_size / 1e6
    s = alternated(rounds, ours=lambda: processor_s(SEEKLESS, "import", log, "-o", work / "out.jsonl.lz4", stderr=subprocess.DEVNULL),
                   wc=lambda: processor_s("wc", "-l", log))
    return [row("import of strace's log of tar, which opens a file at every third call", "134 MB/s", f"{size / s['ours']:.0f} MB/s", f"`wc -l` {size / s['wc']:.0f} MB/s", "220 MB/s",
                size / s["ours"] >= 220, "seekless import")]


def measure_plan(work, rounds):
    said = run(BIN / "bench_plan", "overlap", text=True).splitlines()
    us = float(said[-1].split()[3])
    scale = [line.split() for line in subprocess.run([BIN / "bench_plan", "assets"], capture_output=True, text=True).stdout.splitlines()
             if line[:1] == " " and line.split()[0].isdigit()]
    (few, few_s), (many, many_s) = ((float(line[1]), float(line[3])) for line in (scale[0], scale[-1]))
    exponent = math.log(many_s / few_s) / math.log(many / few)
    return [row("planning 5,000 assets of which each of 50 scenarios reads a random tenth", "204 us a read", f"{us:.0f} us", "", "51 us", us <= 51,
                "bench_plan overlap"),
            row("exponent of planning's time from 10^5 to 10^6 assets", "1.2", f"{exponent:.2f} ({many_s:.0f} s)", "", "1.05", exponent <= 1.05,
                "bench_plan assets")]


def measure_record(work, rounds):
    import measure_record as record
    record.prepare_preads(work)
    s = alternated(rounds, plain=lambda: record.measure_preads([], work)[1],
                   ours=lambda: record.measure_preads(record.ways(work)["record"], work)[1],
                   strace=lambda: record.measure_preads(record.ways(work)["strace"], work)[1])
    us = {name: (each - s["plain"]) / 100_000 * 1e6 for name, each in s.items()}
    return [row("recording, for each read of a program that only reads", "25 us by ptrace", f"{us['ours']:.1f} us", f"strace {us['strace']:.1f} us",
                "", None, "seekless record")]


def measure_record_of_a_game(work, rounds):
    import measure_record as record
    s = alternated(rounds, plain=lambda: record.measure_warzone([], work)[1],
                   ours=lambda: record.measure_warzone(record.ways(work)["record"], work)[1])
    ratio = s["ours"] / s["plain"]
    return [row("recording a load of Warzone 2100", "1.2 to 1.35 x", f"{ratio:.2f} x", "", "1.1 x", ratio <= 1.1,
                "integration/measure_record.py warzone")]


def measure_repack(work, rounds):
    archive = pathlib.Path("/usr/share/games/0ad/mods/public/public.zip")
    command = "seekless repack"
    if not archive.exists():
        return [row("repacking 0 A.D., processor time", "21.7 s", "not measured: 0ad-data wasn't installed", "", "8 s", None, command)]
    traces = sorted((TOP / "integration/traces/debian_games/0ad").rglob("*.lz4"))
    out = work / "out"

    def repack():
        shutil.rmtree(out, ignore_errors=True)
        return processor_s(SEEKLESS, "repack", *traces, "--content", archive.parent, "-o", out, stderr=subprocess.DEVNULL)

    s = alternated(rounds, ours=repack, cp=lambda: processor_s("cp", archive, work / "copy"))
    return [row("repacking 0 A.D., processor time", "21.7 s", f"{s['ours']:.1f} s", f"`cp` {s['cp']:.1f} s", "8 s", s["ours"] <= 8, command)]


ROWS = {"map": measure_map, "small": measure_small, "parts": measure_parts, "queue": measure_queue, "memory": measure_memory,
        "decoding": measure_decoding, "sweep": measure_sweep, "edit": measure_edit, "import": measure_import, "plan": measure_plan,
        "repack": measure_repack, "record": measure_record, "game": measure_record_of_a_game}


def bench(work, rounds, wanted=()):
    """Prints each row once it is measured, and returns all rows."""
    rows = []
    print("| what | before | now | peer | limit | | command |\n|---|---|---|---|---|---|---|", flush=True)
    for name in wanted or ROWS:
        folder = pathlib.Path(work) / name
        folder.mkdir()
        for one in ROWS[name](folder, rounds):
            rows.append(one)
            print("| " + " | ".join(one) + " |", flush=True)
        shutil.rmtree(folder)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="|".join(ROWS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", help="a folder on the disk to measure on [the temporary one]")
    parser.add_argument("--write-figures", action="store_true", help="write the rows to docs/figures; those of ROWs replace their own")
    arguments = parser.parse_args()
    if unknown := set(arguments.rows) - set(ROWS):
        parser.error(f"expected some of {', '.join(ROWS)}, found {', '.join(unknown)}")
    with tempfile.TemporaryDirectory(prefix="seekless-peers-", dir=arguments.work) as work:
        rows = bench(work, arguments.rounds, arguments.rows)
    if arguments.write_figures:
        new = {one[0]: one for one in rows}
        kept = [new.pop(one[0], one) for one in figures.read("peers")["rows"]] if arguments.rows else []
        figures.write_rows("peers", kept + list(new.values()))


if __name__ == "__main__":
    main()
