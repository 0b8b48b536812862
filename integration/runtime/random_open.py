"""Small assets in random order, warm: open, read, close, through packs and through what games use
instead. Part of `script/bench runtime`; integration/test_runtime_bench.py runs a shorter form."""
import contextlib
import json
import pathlib
import random
import re
import statistics
import subprocess
import zipfile

TOP = pathlib.Path(__file__).resolve().parents[2]
BIN = TOP / "build/release/bin"
ASSET_BYTES = 8192
KINDS = {  # of open_each: (title, kind)
    "packs": ("**packs, by the runtime**", "packs"),
    "indexed": ("indexed `pread`", "indexed"),
    "squashfs": ("SquashFS, mounted by the kernel", "folder"),
    "loose": ("loose files", "folder"),
    "zip": ("libzip", "zip"),
    "physfs": ("PhysFS, the same zip", "physfs"),
    "physfs_packs": ("PhysFS, packs by our archiver", "physfs_packs"),
}


def run(*command, **how):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE,
                          **how).stdout


def make_loose(folder, count):
    """Folders of 100 files of noise; the names, as in a folder's listing."""
    noise = random.Random(1)
    names = []
    for number in range(count):
        name = f"props/group-{number // 100:03}/part-{number:05}.mesh"
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(noise.randbytes(ASSET_BYTES))
        names.append(name)
    return names


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


def make_packs(loose, names, work):
    """One sub-pack of all. Its order plays no part here: all of it is in memory."""
    lines = [{"seekless": "trace", "version": 1, "scenario": "all"}]
    for number, name in enumerate(names):
        lines += [{"path": str(loose / name)}, {"gap": 1, "file": number, "at": 0, "read": ASSET_BYTES}]
    trace = work / "all.jsonl"
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
    quietly = {"stderr": subprocess.DEVNULL}
    run(BIN / "seekless", "plan", trace, "--content", loose, "-o", work / "layout.json", **quietly)
    run(BIN / "seekless", "pack", work / "layout.json", "-o", work / "packs", **quietly)


@contextlib.contextmanager
def squashfs(loose, work):
    """Yields the folder it is mounted on; None where mounting isn't allowed. Blocks are of 128 KiB, the
    default: Linux keeps a whole block in memory for each small file, so with blocks of 1 MiB these
    files take 30 GB, and are never warm."""
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
    """What is read, in every form, and how long it takes."""

    def __init__(self, work, names, squashfs_folder):
        self.work = work
        self.names = work / "names"
        shuffled = random.Random(2).sample(names, len(names))
        self.names.write_text("".join(name + "\n" for name in shuffled))
        # Calls are counted with fewer: what traces them makes each take many times as long.
        self.few, self.few_names = min(len(names), 3000), work / "few_names"
        self.few_names.write_text("".join(name + "\n" for name in shuffled[:self.few]))
        self.places = {"packs": work / "packs", "indexed": work / "all.bin", "loose": work / "loose",
                       "zip": work / "all.zip", "physfs": work / "all.zip",
                       "physfs_packs": work / "packs" / "catalog.skl"}
        if squashfs_folder is not None:
            self.places["squashfs"] = squashfs_folder
        known = subprocess.run([BIN / "open_each"], capture_output=True, text=True).stderr
        self.kinds = [name for name, (_, kind) in KINDS.items()
                      if name in self.places and re.search(rf"\b{kind}\b", known)]

    def command(self, kind, names, threads, passes):
        return [BIN / "open_each", KINDS[kind][1], self.places[kind], names, threads, passes]

    def microseconds(self, kind, threads, passes):
        """Of an asset: all threads' wall time, shared by the assets."""
        answer = json.loads(run(*self.command(kind, self.names, threads, passes)))
        assert answer["bytes"] == answer["assets"] * ASSET_BYTES, answer
        return answer["seconds"] / answer["assets"] * 1e6

    def calls(self, kind, threads):
        """System calls of an asset, by name: what two passes more than one make."""
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
    names = make_loose(loose, count)
    make_indexed(loose, names, work / "all.bin")
    make_zip(loose, names, work / "all.zip")
    make_packs(loose, names, work)
    with squashfs(loose, work) as folder:
        yield Reading(work, names, folder)


def measure(of, threads, rounds, passes=2):
    """kind -> seconds of each round; the kinds in turn, so that a noisy minute strikes all."""
    found = {kind: [] for kind in of.kinds}
    for _ in range(rounds):
        for kind in of.kinds:
            found[kind].append(of.microseconds(kind, threads, passes))
    return found


def bench(work, rounds, count=30_000, all_threads=(1, 2, 4, 8)):
    """Prints the table and returns it for the JSON file."""
    rows = {}
    with reading(work, count) as of:
        for threads in all_threads:
            for kind, found in measure(of, threads, rounds).items():
                rows.setdefault(kind, {"what": KINDS[kind][0], "us": {}, "ratio": {}, "calls": {}})
                rows[kind]["us"][threads] = statistics.median(found)
        for kind in of.kinds:
            rows[kind]["calls"] = of.calls(kind, max(all_threads))
            rows[kind]["ratio"] = {threads: us / rows["indexed"]["us"][threads]
                                   for threads, us in rows[kind]["us"].items()}
    print(f"\n### {count:,} assets of 8 KiB, random order, warm\n")
    print("| µs an asset (times indexed `pread`) | " +
          " | ".join(f"{threads} thread{'s' * (threads > 1)}" for threads in all_threads) +
          " | futex, open, lseek calls an asset |")
    print("|---|" + "---:|" * (len(all_threads) + 1))
    for row in rows.values():
        cells = [f"{row['us'][threads]:.2f} ({row['ratio'][threads]:.2f})" for threads in all_threads]
        calls = ", ".join(f"{row['calls'][name]:.2f}" for name in ("futex", "open", "lseek"))
        print(f"| {row['what']} | " + " | ".join(cells) + f" | {calls} |", flush=True)
    return rows
