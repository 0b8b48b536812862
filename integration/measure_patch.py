#!/usr/bin/python3
"""Measures the size of a patch from one build to the next after edits of some assets: predicted by the packer and
measured on the files, under the two models that patching systems follow. Both models are implemented here separately,
and the packer's figures must agree with them.

Usage: measure_patch.py [--assets N] [--megabytes N] [--seeds N] [--builds N] [--binary FILE]
                        [--distribution NAME]... [--work FOLDER] [--write-figures]

Content is made up: sizes from a distribution, and incompressible bytes. The edit replaces the content of 2 % of the
assets by other content of up to 10 % more or less bytes.
"""
import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

import numpy
import xxhash

import figures

TOP = pathlib.Path(__file__).resolve().parent.parent
GRID_BYTES = 1 << 20
# FastCDC (Xia et al., USENIX ATC 2016): gear hash, normalised by two masks. The sizes are the
# paper's: 8 KiB on average, at least 2, at most 64.
LEAST, MEAN, MOST = 1 << 11, 1 << 13, 1 << 16
STRICT_BITS, LOOSE_BITS = 15, 11
PIECE_BYTES = 1 << 24
WINDOW = 64
SCENARIOS = ("s0", "s1", "s2", "s3")

DISTRIBUTIONS = {
    "log-normal": lambda r: r.lognormvariate(0, 1.5),
    "log-normal, wide": lambda r: r.lognormvariate(0, 2.2),
    "uniform": lambda r: r.uniform(0.01, 2),
    "equal": lambda r: r.uniform(0.98, 1.02),
    "two kinds": lambda r: r.uniform(0.02, 0.1) if r.random() < 0.8 else r.uniform(2, 7),
    "heavy tail": lambda r: min(r.paretovariate(1.2), 2000),
}


def sizes_of(name, count, total_bytes, seed):
    chance = random.Random(f"{name} {seed}")
    shares = [DISTRIBUTIONS[name](chance) for _ in range(count)]
    return [max(1, round(total_bytes * share / sum(shares))) for share in shares]


def noise(size_bytes, seed):
    return numpy.random.Generator(numpy.random.PCG64(seed)).bytes(size_bytes)


class Content:
    """Files in a folder; three in four are read by one of the four scenarios, by their endings."""

    def __init__(self, folder, sizes, seed):
        self.folder = pathlib.Path(folder)
        self.chance = random.Random(seed)
        self.sizes = {}
        self.next_seed = seed << 32
        for i, size in enumerate(sizes):
            ending = f".s{i * 7919 % 4}" if self.chance.random() < 0.75 else ""
            self.write(f"{i % 50:02}/asset-{self.chance.randrange(10**9):09}-{i:05}{ending}", size)

    def write(self, path, size):
        self.next_seed += 1
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(noise(size, self.next_seed))
        self.sizes[path] = size

    def remove(self, path):
        (self.folder / path).unlink()
        del self.sizes[path]

    def edit(self, share):
        """Returns the size of the new content."""
        paths = self.chance.sample(sorted(self.sizes), max(1, round(len(self.sizes) * share)))
        for path in paths:
            self.write(path, max(1, round(self.sizes[path] * self.chance.uniform(0.9, 1.1))))
        return sum(self.sizes[path] for path in paths)


def gear_table():
    """Returns splitmix64 of 0 to 255, as in the packer."""
    table = []
    mask = (1 << 64) - 1
    for i in range(256):
        z = (i + 1) * 0x9E3779B97F4A7C15 & mask
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        table.append(z ^ z >> 31)
    return numpy.array(table, dtype=numpy.uint64)


GEAR = gear_table()


def gear_hashes(piece):
    """Returns, for each byte, the sum over the last 64 bytes of table[byte] << age. It is computed by doubling."""
    hashes = GEAR[piece]
    for bits in (1, 2, 4, 8, 16, 32):
        shifted = hashes[:-bits] << numpy.uint64(bits)
        hashes[bits:] += shifted
    return hashes


def candidates(data, bits):
    """Returns ends of chunks as the hash alone gives them: after bytes whose hash has leading zeros."""
    found = []
    for begin in range(0, len(data), PIECE_BYTES):
        lead = min(begin, WINDOW)
        piece = numpy.frombuffer(data, dtype=numpy.uint8, offset=begin - lead,
                                 count=min(PIECE_BYTES, len(data) - begin) + lead)
        hashes = gear_hashes(piece)[lead:]
        found.append(numpy.flatnonzero(hashes >> numpy.uint64(64 - bits) == 0) + begin + 1)
    return numpy.concatenate(found) if found else numpy.array([], dtype=numpy.int64)


def chunks(data):
    """Yields chunks. The hash doesn't restart at a chunk, so it doesn't depend on where chunks begin."""
    strict, loose = candidates(data, STRICT_BITS), candidates(data, LOOSE_BITS)
    begin = 0
    while begin < len(data):
        end = min(begin + MOST, len(data))
        middle = min(begin + MEAN, end)
        at = numpy.searchsorted(strict, begin + LEAST)
        if at < len(strict) and strict[at] < middle:
            end = int(strict[at])
        else:
            at = numpy.searchsorted(loose, middle)
            if at < len(loose) and loose[at] < end:
                end = int(loose[at])
        yield data[begin:end]
        begin = end


def grid(data):
    return (data[begin:begin + GRID_BYTES] for begin in range(0, len(data), GRID_BYTES))


def digests(folder, cut):
    """Maps the digest of every chunk of every file of a set to its length."""
    known = {}
    for file in sorted(pathlib.Path(folder).glob("*.skl")):
        for chunk in cut(file.read_bytes()):
            known[xxhash.xxh3_128_digest(chunk)] = len(chunk)
    return known


def patch_bytes(known, folder, cut):
    """Returns the bytes of unknown chunks, each counted once, and all chunks of the new set."""
    new = digests(folder, cut)
    return sum(length for digest, length in new.items() if digest not in known), new


class Builds:
    """Successive runs of `seekless build` with a lock, each measured against the one before."""

    def __init__(self, binary, content, work):
        self.binary, self.content, self.work = binary, content, pathlib.Path(work)
        self.lock = self.work / "layout.lock"
        self.packs = self.work / "packs"
        self.grid, self.cdc = {}, {}
        for scenario in SCENARIOS:
            self.record(scenario, 1)
        (self.work / "seekless.json").write_text(json.dumps(
            {"content": [str(content.folder)], "traces": ["traces/*.strace"], "threads": 2,
             "outputs": {"packs": {"folder": "packs"}}, "lock": "layout.lock"}))

    def record(self, scenario, run):
        """Writes a load that reads the files whose names have this ending, in the order of their paths."""
        lines = []
        for i, path in enumerate(sorted(self.content.sizes)):
            if not path.endswith(f".{scenario}"):
                continue
            file, size = self.content.folder / path, self.content.sizes[path]
            lines.append(f'7 {i}.000000 openat(AT_FDCWD, "{file}", O_RDONLY) = 3<{file}> <0.000010>\n'
                         f'7 {i}.100000 read(3<{file}>, ""..., {size}) = {size} <0.000010>\n'
                         f'7 {i}.200000 close(3<{file}>) = 0 <0.000010>\n')
        traces = self.work / "traces"
        traces.mkdir(exist_ok=True)
        (traces / f"{scenario}.{run}.strace").write_text("".join(lines))

    def build(self):
        done = subprocess.run([str(self.binary), "build", str(self.work), "--json", "-"],
                              stdout=subprocess.PIPE, check=True, text=True)
        answer = json.loads(done.stdout)
        result = answer["patch"] or {}
        result["grid_actual"], self.grid = patch_bytes(self.grid, self.packs, grid)
        result["cdc_actual"], self.cdc = patch_bytes(self.cdc, self.packs, chunks)
        files = sum(file.stat().st_size for file in self.packs.glob("*.skl"))
        result["padding"] = 1 - sum(self.content.sizes.values()) / files
        return result


def measure(arguments, name, seed):
    with tempfile.TemporaryDirectory(dir=arguments.work) as work:
        sizes = sizes_of(name, arguments.assets, arguments.megabytes * 1_000_000, seed)
        content = Content(pathlib.Path(work) / "content", sizes, seed)
        builds = Builds(arguments.binary, content, work)
        first = builds.build()
        rows = []
        for _ in range(arguments.builds):
            edited = content.edit(arguments.share)
            result = builds.build()
            rows.append({"distribution": name, "seed": seed, "first_padding": first["padding"],
                         "edited": edited, **result})
            print_row(rows[-1])
        return rows


def print_row(row):
    edited = row["edited"]
    print(f"{row['distribution']:<18} {row['seed']:>4} {edited / 1e6:>8.1f} "
          f"{row['chunk_bytes'] / edited:>9.2f} {row['cdc_actual'] / edited:>7.2f} "
          f"{row['grid_bytes'] / edited:>9.2f} {row['grid_actual'] / edited:>7.2f} "
          f"{row['first_padding'] * 100:>8.1f} {row['padding'] * 100:>6.1f}",
          flush=True)


def figure_row(name, rows):
    """Returns a distribution's row; each cell has the least and the most value."""
    def range_of(values):
        return [min(values), max(values), statistics.mean(values)]

    return [f"{name}, {len(rows)} contents", range_of([row["edited"] / 1e6 for row in rows])[:2],
            range_of([row["cdc_actual"] / row["edited"] for row in rows]),
            range_of([row["grid_actual"] / row["edited"] for row in rows]),
            range_of([row["padding"] * 100 for row in rows])[:2]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assets", type=int, default=3000)
    parser.add_argument("--megabytes", type=int, default=526)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--builds", type=int, default=1, help="of edits, one after the other")
    parser.add_argument("--share", type=float, default=0.02, help="of the assets, edited in a build")
    parser.add_argument("--distribution", action="append", choices=DISTRIBUTIONS)
    parser.add_argument("--binary", type=pathlib.Path, default=TOP / "build/release/bin/seekless")
    parser.add_argument("--json", type=pathlib.Path, help="write the rows there")
    parser.add_argument("--work", help="a folder on the disk to use")
    parser.add_argument("--write-figures", action="store_true", help="write the rows to docs/figures")
    arguments = parser.parse_args()
    print(f"{arguments.assets} assets, {arguments.megabytes} MB; patch by edited bytes; padding in %\n"
          f"{'sizes':<18} {'seed':>4} {'edited':>8} {'chunks':>9} {'real':>7} {'grid':>9} {'real':>7} "
          f"{'at first':>8} {'now':>6}")
    rows = [row for name in arguments.distribution or DISTRIBUTIONS
            for seed in range(1, arguments.seeds + 1) for row in measure(arguments, name, seed)]
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")
    if arguments.write_figures:
        figures.write_rows("patches", [figure_row(name, [row for row in rows if row["distribution"] == name])
                                       for name in arguments.distribution or DISTRIBUTIONS])
    return 0


if __name__ == "__main__":
    sys.exit(main())
