"""Small assets in random order, with everything cached: open, read, close, through packs and through the alternatives
that games use. Part of `script/bench runtime`; integration/test_runtime_bench.py runs a shorter form."""
import contextlib
import json
import pathlib
import random
import statistics
import subprocess
import zipfile

from made_packs import BIN, pack, run, write_files

ASSET_BYTES = 8192
KINDS = {  # kinds of open_each: (title, kind)
    "packs": ("**packs, by the runtime**", "packs"),
    "indexed": ("indexed `pread`", "indexed"),
    "squashfs": ("SquashFS, mounted by the kernel", "folder"),
    "loose": ("loose files", "folder"),
    "zip": ("libzip", "zip"),
    "physfs": ("PhysFS, the same zip", "physfs"),
    "physfs_packs": ("PhysFS, packs by our archiver", "physfs"),
}


def make_indexed(loose, names, place):
    with open(place, "wb") as data, open(f"{place}.index", "w") as index:
        for name in names:
            content = (loose / name).read_bytes()
            index.write(f"{data.tell()} {len(content)} {name}\n")
            data.write(content)


def make_zip(loose, names, place):
    with zipfile.ZipFile(place, "w") as archive:
        for name in names:
            archive.write(loose / name, name)


@contextlib.contextmanager
def squashfs(loose, work):
    """Yields the folder it is mounted on; None where mounting isn't allowed. Blocks are of 128 KiB, the default: Linux
    keeps a whole block in memory for each small file, so with blocks of 1 MiB these files would take 30 GB and never be
    cached."""
    image, folder = work / "all.sqfs", work / "squashfs"
    folder.mkdir()
    run("mksquashfs", loose, image, "-noI", "-noId", "-noD", "-noF", "-noX", "-no-fragments",
        "-no-duplicates", "-noappend", "-no-progress", "-quiet")
    done = subprocess.run(["mount", "-o", "loop,ro", image, folder], capture_output=True)
    try:
        yield folder if done.returncode == 0 else None
    finally:
        if done.returncode == 0:
            run("umount", folder)


class Reading:
    """The content that is read, in every form, and its times."""

    def __init__(self, work, names, squashfs_folder):
        self.work = work
        self.names = work / "names"
        shuffled = random.Random(2).sample(names, len(names))
        self.names.write_text("".join(name + "\n" for name in shuffled))
        # Calls are counted with fewer assets, because the tracer makes each call take many times as long.
        self.few, self.few_names = min(len(names), 3000), work / "few_names"
        self.few_names.write_text("".join(name + "\n" for name in shuffled[:self.few]))
        self.places = {"packs": work / "packs", "indexed": work / "all.bin", "loose": work / "loose",
                       "zip": work / "all.zip", "physfs": work / "all.zip",
                       "physfs_packs": work / "packs" / "catalog.skl"}
        if squashfs_folder is not None:
            self.places["squashfs"] = squashfs_folder
        self.kinds = [name for name in KINDS if name in self.places]

    def command(self, kind, names, threads, passes):
        return [BIN / "open_each", KINDS[kind][1], self.places[kind], names, threads, passes]

    def microseconds(self, kind, threads, passes):
        """Returns the microseconds for one asset: all threads' wall time divided by the assets, and their
        processors' time."""
        answer = json.loads(run(*self.command(kind, self.names, threads, passes)))
        assert answer["bytes"] == answer["assets"] * ASSET_BYTES, answer
        return {name: answer[of] / answer["assets"] * 1e6
                for name, of in (("wall", "seconds"), ("cpu", "cpu_seconds"))}

    def calls(self, kind, threads):
        """Returns the system calls of an asset, by name: the difference between two passes and one."""
        once, thrice = ({**dict.fromkeys(("futex", "open", "lseek"), 0), **self.count_calls(kind, threads, passes)}
                        for passes in (1, 3))
        return {name: (thrice[name] - once[name]) / (2 * self.few) for name in once}

    def count_calls(self, kind, threads, passes):
        table = self.work / "calls"
        run("strace", "-f", "-c", "--seccomp-bpf", "-e", "trace=futex,open,openat,lseek", "-o", table,
            *self.command(kind, self.few_names, threads, passes))
        counts = {}
        for line in table.read_text().splitlines():
            words = line.split()
            if len(words) >= 5 and words[-1] in ("futex", "open", "openat", "lseek"):
                name = words[-1].replace("openat", "open")
                counts[name] = counts.get(name, 0) + int(words[3])
        return counts


@contextlib.contextmanager
def reading(work, count):
    work = pathlib.Path(work)
    work.mkdir(exist_ok=True)
    loose = work / "loose"
    names = write_files(loose, [ASSET_BYTES] * count)
    make_indexed(loose, names, work / "all.bin")
    make_zip(loose, names, work / "all.zip")
    pack(loose, names, work / "packs", work)
    with squashfs(loose, work) as folder:
        yield Reading(work, names, folder)


def measure(of, threads, rounds, passes=2):
    """Maps each kind to the microseconds of each round. Kinds take turns, so that a noisy minute affects all."""
    found = {kind: [] for kind in of.kinds}
    for _ in range(rounds):
        for kind in of.kinds:
            found[kind].append(of.microseconds(kind, threads, passes))
    return found


def ratios(rows, clock):
    """Returns medians of the rounds' own ratios to pread, which was measured in the same seconds."""
    for row in rows.values():
        row["ratio_" + clock] = {
            threads: statistics.median(own[clock] / base[clock] for own, base in
                                       zip(rounds, rows["indexed"]["rounds"][threads]))
            for threads, rounds in row["rounds"].items()}


def bench(work, rounds, count=30_000, all_threads=(1, 2, 4, 8)):
    """Prints the table and returns it for the JSON file."""
    rows = {}
    with reading(work, count) as of:
        for threads in all_threads:
            for kind, found in measure(of, threads, rounds).items():
                rows.setdefault(kind, {"what": KINDS[kind][0], "rounds": {}})["rounds"][threads] = found
        for kind in of.kinds:
            rows[kind]["calls"] = of.calls(kind, max(all_threads))
    ratios(rows, "wall")
    ratios(rows, "cpu")
    print(f"\n### {count:,} assets of 8 KiB, random order, warm\n")
    print("| µs an asset; times `pread`: wall, processors | " +
          " | ".join(f"{threads} thread{'s' * (threads > 1)}" for threads in all_threads) +
          " | futex, open, lseek calls an asset |")
    print("|---|" + "---:|" * (len(all_threads) + 1))
    for row in rows.values():
        cells = []
        for threads, found in row["rounds"].items():
            us = statistics.median(each["wall"] for each in found)
            cells.append(f"{us:.2f}; {row['ratio_wall'][threads]:.2f}, {row['ratio_cpu'][threads]:.2f}")
        calls = ", ".join(f"{abs(row['calls'][name]):.2f}" for name in ("futex", "open", "lseek"))
        print(f"| {row['what']} | " + " | ".join(cells) + f" | {calls} |", flush=True)
    return rows
