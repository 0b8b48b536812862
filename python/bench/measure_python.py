"""Measures the Python package: reading assets, compared with os.pread and an index, and reading recordings into Arrow
tables. `script/bench python` runs it in the environment that `script/test-python` makes.

Usage: measure_python.py FOLDER [--rounds N]
"""
import argparse
import os
import pathlib
import random
import statistics
import time

import seekless

ASSETS = 30_000
READS = 10_000_000


def make_packs(folder):
    """Makes 30,000 assets of 4 to 60 kB, as one raw pack set and as one file with an index."""
    rng = random.Random(1)
    content = folder / "content"
    noise = rng.randbytes(1 << 20)
    for number in range(ASSETS):
        path = content / f"{number % 100:02}" / f"asset{number:05}.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        size = rng.randrange(4_000, 60_000)
        path.write_bytes(noise[number * 7 % 900_000:][:size])
    (folder / "list.txt").write_text("".join(f"{path}\n" for path in sorted(content.rglob("*.bin"))))
    seekless.plan(folder / "list.txt", content=content, output=folder / "layout.json")
    seekless.pack(folder / "layout.json", folder / "packs")
    index = {}
    with open(folder / "flat", "wb") as flat:
        for path in sorted(content.rglob("*.bin")):
            index[path.relative_to(content).as_posix()] = (flat.tell(), path.stat().st_size)
            flat.write(path.read_bytes())
    return index


def measure_reading(folder, rounds):
    index = make_packs(folder)
    paths = list(index)
    random.Random(2).shuffle(paths)
    packs = seekless.open(folder / "packs")
    flat = os.open(folder / "flat", os.O_RDONLY)

    def by_pread():
        for path in paths:
            offset, size = index[path]
            os.pread(flat, size, offset)

    def by_package():
        read = packs.read
        for path in paths:
            read(path)

    buffer = bytearray(60_000)

    def into_memory():
        read_into = packs.read_into
        for path in paths:
            read_into(path, buffer)

    seconds = {by_pread: [], by_package: [], into_memory: []}
    for _ in range(rounds + 1):
        for call, of in seconds.items():
            begin = time.process_time()
            call()
            of.append(time.process_time() - begin)
    pread, package, into = (statistics.median(of[1:]) for of in seconds.values())
    for path in paths[:200]:
        offset, size = index[path]
        assert packs[path] == os.pread(flat, size, offset)
    print(f"reading {ASSETS} assets of {sum(size for _, size in index.values()) / 1e6:.0f} MB, cached, processor seconds: "
          f"os.pread with an index {pread:.3f}, read {package:.3f} ({package / pread:.2f} of it, hashes checked), "
          f"read_into {into:.3f} ({into / pread:.2f})", flush=True)


def write_trace(path, reads, is_burst):
    """Writes reads of 64 KiB: in sequential bursts of 16, like a loader's, or each at another place and in its own
    line."""
    rng = random.Random(3)
    lines = []
    for number in range(100_000 // 16 if is_burst else 100_000):
        lengths = "[" + ",".join(["65536"] * 16) + "]" if is_burst else "65536"
        span = ',"span":900' if is_burst else ""
        lines.append(f'{{"gap":{rng.randrange(1, 500)},"file":{rng.randrange(200)},"at":{rng.randrange(1 << 30)},'
                     f'"read":{lengths}{span},"took":{rng.randrange(900)}}}\n')
    block = "".join(lines)
    with open(path, "w") as file:
        file.write('{"seekless":"trace","version":1,"scenario":"map"}\n')
        file.writelines(f'{{"path":"data/archive{number}.pak"}}\n' for number in range(200))
        for _ in range(-(-reads // (100_000 if not is_burst else 100_000 // 16 * 16))):
            file.write(block)


def measure_traces(folder, rounds):
    for name, is_burst in (("in bursts of 16", True), ("each elsewhere, a line each", False)):
        path = folder / "trace.jsonl"
        write_trace(path, READS, is_burst)
        walls, cores = [], []
        for _ in range(rounds):
            begin, core = time.monotonic(), time.process_time()
            rows = seekless.read_trace(path).events.num_rows
            walls.append(rows / (time.monotonic() - begin) / 1e6)
            cores.append(rows / (time.process_time() - core) / 1e6)
        print(f"{rows} reads to Arrow, {name} ({path.stat().st_size / 1e6:.0f} MB): "
              f"{statistics.median(walls):.1f} M reads/s, {statistics.median(cores):.1f} M for each second of one core",
              flush=True)
        path.unlink()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    measure_reading(arguments.folder, arguments.rounds)
    measure_traces(arguments.folder, arguments.rounds)


if __name__ == "__main__":
    main()
