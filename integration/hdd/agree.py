"""Compares two profiles on the access patterns of `script/bench hdd`, by the model alone: seconds and differences.

usage: integration/hdd/agree.py PROFILE PROFILE      (names or files ending in .json; a release build)
       integration/hdd/agree.py --measure [DRIVE]    (also root)

With --measure, the two are measured on an emulated disk: one by `drive calibrate`, and one by `drive fit` from the
disk's log of the same reads, in blkparse's format. Both are also compared with the disk's own profile. If the kernel
can log requests (tracefs is mounted), a third is fitted to that log, which includes the host's time.
"""
import contextlib
import json
import pathlib
import statistics
import sys
import tempfile

import bench
import block_log

SIZE = 600 * bench.MIB
MEASURED_S = 60
# The angle of the platter between two places is random. A program that reads two files in turn returns after whole
# turns, three or four, so one angle determines all of its reads. So times are means over all angles, in even steps.
# Random reads each have their own angle, and 400 of them differ by 1.3 % from place to place.
PLACES = [(at, at + 0.4) for at in (0.001, 0.041, 0.081, 0.121)]  # shares of the capacity
ANGLES = 8


def turn_bytes(disk, place):
    """Returns how many bytes pass under the head in one turn there."""
    outer, inner = disk["outer_bytes_per_s"], disk["inner_bytes_per_s"]
    rate = (outer ** 2 - (outer ** 2 - inner ** 2) * place / disk["capacity_bytes"]) ** 0.5
    return rate * 60 / disk["rpm"]


def seconds(drive, work):
    """Maps each pattern to the seconds that the model gives it on the drive, the mean over places and angles."""
    files = [work / name for name in ("outer.bin", "inner.bin")]
    for file in files:
        with open(file, "wb") as zeros:
            zeros.truncate(SIZE)
    disk = json.loads(bench.run(bench.SEEKLESS, "drive", "show", drive, "-o", "-"))
    places = []
    for shares in PLACES:
        outer, inner = (int(share * disk["capacity_bytes"]) for share in shares)
        step = turn_bytes(disk, inner) / ANGLES
        places += [[("outer.bin", outer), ("inner.bin", inner + int(number * step))] for number in range(ANGLES)]
    found = {}
    for name, (reads, read_ahead_kib) in bench.patterns(*files, SIZE).items():
        trace = bench.write_trace(work / "pattern.jsonl", reads)
        sums = []
        for at in places:
            said = bench.simulate(drive, trace, "--content", *files, places=at, read_ahead_kib=read_ahead_kib)
            sums.append(said["pattern"]["today"]["seconds"])
        found[name] = statistics.mean(sums)
    return found


def compare(one, other):
    """Prints the patterns' seconds on both, and returns the largest difference as a share."""
    with tempfile.TemporaryDirectory() as work:
        found = [seconds(drive, pathlib.Path(work)) for drive in (one, other)]
    names = [pathlib.Path(drive).stem for drive in (one, other)]
    print(f"\n| pattern | {names[0]}, s | {names[1]}, s | apart |\n|---|---:|---:|---:|")
    for name, first in found[0].items():
        print(f"| {name} | {first:.3f} | {found[1][name]:.3f} | {found[1][name] / first - 1:+.1%} |")
    most = max(abs(found[1][name] / first - 1) for name, first in found[0].items())
    print(f"\nat most {most:.1%} apart", flush=True)
    return most


def measure(drive, work):
    """Returns the files of three profiles of an emulated disk: by calibrating it, and from two logs of that."""
    calibrated, own, kernels = (work / f"{name}.json" for name in ("calibrated", "fitted", "fitted-to-kernels-log"))
    # In real time, like a real disk: it turns and reads ahead while the host computes.
    options = ["--drive", drive, "--clock", "real", "--requests", own.with_suffix(".blkparse")]
    with bench.Disk(work / "disk", *options) as disk:
        device = bench.run("findmnt", "-no", "SOURCE", disk.folder, text=True).strip()
        log = block_log.BlockLog(device, kernels.with_suffix(".blkparse"))
        with log if block_log.is_possible() else contextlib.nullcontext():
            bench.run(bench.SEEKLESS, "drive", "calibrate", device, "-o", calibrated, "--seconds", MEASURED_S)
    for fitted in filter(lambda file: file.with_suffix(".blkparse").exists(), (own, kernels)):
        bench.run(bench.SEEKLESS, "drive", "fit", fitted.with_suffix(".blkparse"), "-o", fitted, "--name", "fitted")
    return calibrated, own, kernels


def main(words):
    if words[:1] != ["--measure"]:
        return compare(*words[:2])
    drive = words[1] if len(words) > 1 else "wd-black-1tb"
    with tempfile.TemporaryDirectory() as work:
        calibrated, own, kernels = measure(drive, pathlib.Path(work))
        for profile in (calibrated, own):
            compare(drive, profile)
        if kernels.exists():
            compare(calibrated, kernels)
        return compare(calibrated, own)


if __name__ == "__main__":
    main(sys.argv[1:])
