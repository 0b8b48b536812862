#!/usr/bin/env python3
"""Measures the reader for Windows on a disk, and its costs without one, under Wine: a sub-pack swept from the emulated
disk, cold, beside the sequential rate; and 30,000 assets of 8 KiB read in random order beside `ReadFile` on one file
of the same bytes.

Usage: integration/windows/measure_reads.py    (needs build/windows, build/release, Wine, mingw-w64, root and FUSE)"""
import re
import statistics
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "runtime")]
import disk_loads  # noqa: E402
import made_packs  # noqa: E402
import on_package  # noqa: E402

TOP = on_package.TOP
ASSET_BYTES = 8192


def ran(program, *arguments, **how):
    done = on_package.run(program, *arguments, **how)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def measure_sweep(program, work, total_bytes, scale="1"):
    """Returns the share of the sequential rate, and the figures of the program and the disk."""
    loose, packs = work / "loose", work / "packs"
    names = made_packs.write_files(loose, made_packs.sizes_of_a_game(total_bytes))
    made_packs.pack(loose, names, packs, work)
    with disk_loads.disk_of(work, "--scale", scale) as disk:
        folder = disk_loads.put(disk, packs, "100G", "packs")
        pack_bytes = max(path.stat().st_size for path in folder.iterdir())
        pack_file = next(path for path in folder.iterdir() if path.stat().st_size == pack_bytes)
        in_turn = disk_loads.read_sequentially(disk, pack_file)
        with disk.cold(disk_loads.AHEAD_KIB) as swept:
            said = ran(program, folder, "map")
    assets, size, reads, jumps = map(int, re.search(
        r"map: (\d+) assets, (\d+) bytes, in (\d+) reads and (\d+) jumps", said).groups())
    assert assets == len(names), said
    rate = {"dd": disk_loads.rate(pack_bytes, in_turn), "sweep": disk_loads.rate(size, swept)}
    return {"share": rate["sweep"] / rate["dd"], "mb_s": rate, "assets": assets, "bytes": size, "reads": reads,
            "jumps": jumps, "disk": {"dd": in_turn, "sweep": swept},
            "share_of_wall": in_turn["wall_s"] / swept["wall_s"] * size / pack_bytes}


class ManySmall:
    """A pack of assets named 00000 and so on, and a file of the same bytes."""

    def __init__(self, work, count):
        self.count, self.file, self.packs = count, work / "one", work / "packs"
        loose = work / "loose"
        loose.mkdir(parents=True)
        with open(self.file, "wb") as one:
            for i in range(count):
                data = i.to_bytes(8, "little") * (ASSET_BYTES // 8)
                (loose / f"{i:05}").write_bytes(data)
                one.write(data)
        made_packs.pack(loose, sorted(path.name for path in loose.iterdir()), self.packs, work)

    def arguments(self, what):
        return self.packs, self.file, self.count, ASSET_BYTES, what

    def ratios(self, program, rounds=9):
        """Returns our seconds divided by those of ReadFile: wall time (median of the rounds), and processor time (of
        all)."""
        return {clock: float(ratio) for clock, ratio in re.findall(
            r"(\w+): .* ratio ([\d.]+)", ran(program, *self.arguments(rounds)))}


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        package = on_package.unpacked(work / "package")
        sweep = on_package.built(package, TOP / "integration/c_program", work / "c_program") / "sweep_shared.exe"
        random_reads = on_package.built(package, HERE, work / "random") / "random_reads.exe"
        (work / "sweep").mkdir()
        found = measure_sweep(sweep, work / "sweep", 2 * 10**9)
        print(f"a sweep of {found['bytes'] / 1e9:.2f} GB, cold: {found['disk']['sweep']['busy_s']:.2f} s busy, "
              f"{found['mb_s']['sweep']:.1f} MB/s, {found['share'] * 100:.1f} % of dd's {found['mb_s']['dd']:.1f} "
              f"(wall: {found['share_of_wall'] * 100:.1f} %); {found['reads']} reads, {found['jumps']} jumps", flush=True)
        (work / "small").mkdir()
        small = ManySmall(work / "small", 30_000)
        each = [small.ratios(random_reads) for _ in range(5)]
        for clock in ("wall", "processor"):
            ratios = sorted(one[clock] for one in each)
            print(f"30,000 assets of 8 KiB, {clock}: {statistics.median(ratios):.2f} times ReadFile "
                  f"({ratios[0]:.2f} to {ratios[-1]:.2f} in {len(ratios)} runs)")


if __name__ == "__main__":
    main()
