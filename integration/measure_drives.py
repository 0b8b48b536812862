"""Compares the drive model with requests that real drives served, and tries packs on those drives.

For each trace in a folder, a profile is fitted to the first half and predicts the second (`seekless drive check`). Then
each fitted drive is scaled to a modern size: it gets the capacity and rates of a 1 TB disk, and keeps its mechanics and
firmware's habits. Packs of Warzone 2100 that were planned for `wd-black-1tb` are swept on each, and on drives with a
cache of 16 segments. Prints both tables.

With --emulated, a third table shows emulated disks with these profiles: recorded reads are replayed on the archives,
and the reader sweeps the packs, cold, in the disk's busy seconds (root, /dev/fuse).

usage: integration/measure_drives.py [--drives FOLDER] [--keep FOLDER] [--check-only] [--emulated]
       (a release build; SEEKLESS_DRIVES names FOLDER, too; the other tables need warzone2100-data)
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
SEEKLESS = os.environ.get("SEEKLESS_BIN", TOP / "build/release/bin/seekless")
DRIVES = pathlib.Path(os.environ.get("SEEKLESS_DRIVES", TOP.parent / "shared/drives"))
TRACES = TOP / "integration/traces/warzone2100"
ARCHIVES = [f"/usr/share/games/warzone2100/{name}.wz" for name in ("base", "mp")]
TARGET = "wd-black-1tb"
MIB = 1 << 20


def seekless(*words):
    """Returns the command's JSON."""
    done = subprocess.run([SEEKLESS, *map(str, words), "--json", "-"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def traces_in(folder):
    return sorted(folder.glob("*.trace.gz")) + sorted(folder.glob("*.trace"))


def name_of(trace):
    return trace.name.split(".")[0]


def profile_of(name):
    return json.loads(subprocess.run([SEEKLESS, "drive", "show", name, "-o", "-"], check=True,
                                     stdout=subprocess.PIPE).stdout)


def scaled(profile, name):
    """Returns a fitted drive with the capacity, the outer rate and the interface of the disk that packs are planned
    for. Its cache grows with its tracks."""
    target = profile_of(TARGET)
    factor = target["outer_bytes_per_s"] / profile["outer_bytes_per_s"]
    new = dict(profile, name=name, capacity_bytes=target["capacity_bytes"],
               interface_bytes_per_s=target["interface_bytes_per_s"])
    for key in ("outer_bytes_per_s", "inner_bytes_per_s"):
        new[key] = profile[key] * factor
    for key in ("read_ahead_bytes", "segment_bytes"):
        if key in profile:
            new[key] = min(1 << 30, int(profile[key] * factor))
    return new


def with_segments(profile, name, count=16):
    """Returns the same drive with the cache of a modern one."""
    new = dict(profile, name=name, segments=count, read_ahead_bytes=2 * MIB, segment_bytes=2 * MIB)
    new.pop("reads_whole_tracks", None)
    return new


def check_all(folder, keep):
    profiles = {}
    if not traces_in(folder):
        raise SystemExit(f"{folder}: expected files named *.trace.gz or *.trace, found none; name their folder with --drives")
    print("| drive | rpm | reads | sum | windows of 50, median | nine of ten | distribution, ms |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for trace in traces_in(folder):
        name = name_of(trace)
        profiles[name] = keep / f"{name}.json"
        found = seekless("drive", "check", trace, "--name", name)
        profiles[name].write_text(json.dumps(found["profile"]))
        print(f"| {name} | {found['profile']['rpm']:,.0f} | {found['reads']:,} | {found['sum_error']:+.1%} | "
              f"{found['window_median_error']:.1%} | {found['window_p90_error']:.1%} | "
              f"{found['distribution_ms']:.2f} |", flush=True)
    return profiles


def drives_to_try(profiles, keep):
    """Yields files of profiles: the target, each fitted drive scaled, and each of these with 16 segments."""
    plain = [profile_of(TARGET)]
    plain += [scaled(json.loads(file.read_text()), f"{name} scaled") for name, file in profiles.items()]
    for profile in plain + [with_segments(one, f"{one['name']} 16 segments") for one in plain]:
        file = keep / f"{profile['name'].replace(' ', '-')}.json"
        file.write_text(json.dumps(profile, indent=2))
        yield file


def layout_of_all(keep):
    """Plans packs of all recordings, unless that was done."""
    layout = keep / "layout.json"
    if not layout.exists():
        seekless("plan", *sorted(TRACES.glob("*.lz4")), "--content", *ARCHIVES, "-o", layout)
    return layout


def gains(profiles, keep):
    traces = sorted(TRACES.glob("*.lz4"))
    content = ["--content", *ARCHIVES]
    layout = layout_of_all(keep)
    files = list(drives_to_try(profiles, keep))
    words = [word for file in files for word in ("--drive", file)]
    found = {pauses: seekless("simulate", layout, *traces, *content, *words, "--pauses", pauses)
             for pauses in ("none", "recorded")}
    print("\n| drive | before, s | packs, s | times | least of the loads | before with pauses, s | times | "
          "least of the loads |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for number in range(len(files)):
        cells = [found["none"]["drives"][number]["name"]]
        for pauses, answer in found.items():
            rows = answer["drives"][number]["scenarios"]
            before = sum(row["today"]["seconds"] for row in rows)
            after = sum(row["packs"]["seconds"] for row in rows)
            least = min(rows, key=lambda row: row["today"]["seconds"] / row["packs"]["seconds"])
            cells.append(f"{before:.2f}")
            if pauses == "none":
                cells.append(f"{after:.2f}")
            cells += [f"{before / after:.1f}",
                      f"{least['today']['seconds'] / least['packs']['seconds']:.1f} (`{least['name']}`)"]
        print("| " + " | ".join(cells) + " |", flush=True)


def busy_s(disk, *command):
    with disk.cold() as measured:
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    return measured["busy_s"]


def gains_on_emulated_disks(profiles, keep):
    sys.path.insert(0, str(TOP / "integration/hdd"))
    import bench
    first = {}
    for trace in sorted(TRACES.glob("*.lz4")):
        first.setdefault(trace.name.split(".")[0].replace("+", "/"), trace)
    layout_of_all(keep)
    subprocess.run([SEEKLESS, "pack", keep / "layout.json", "-o", keep / "packs"], check=True,
                   stdout=subprocess.DEVNULL)
    print("\n| emulated disk | before, busy s | packs, busy s | times | least of the loads |\n|---|---:|---:|---:|---:|")
    for file in drives_to_try(profiles, keep):
        with bench.Disk(keep / "disk", "--drive", file, "--scale", "0") as disk:
            disk.put("1G", *ARCHIVES)
            disk.put("2G", *sorted((keep / "packs").iterdir()), "--into", "packs")
            mapped = ["--map", f"{pathlib.Path(ARCHIVES[0]).parent}={disk.folder}"]
            found = {name: (busy_s(disk, bench.BIN / "replay", *mapped, trace),
                            busy_s(disk, bench.BIN / "sweep", disk.folder / "packs", name))
                     for name, trace in first.items()}
        before, after = (sum(pair[side] for pair in found.values()) for side in (0, 1))
        least = min(found, key=lambda name: found[name][0] / found[name][1])
        print(f"| {json.loads(file.read_text())['name']} | {before:.2f} | {after:.2f} | {before / after:.1f} | "
              f"{found[least][0] / found[least][1]:.1f} (`{least}`) |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drives", type=pathlib.Path, default=DRIVES, help="folder of traces")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the profiles")
    parser.add_argument("--check-only", action="store_true", help="leave out the packs")
    parser.add_argument("--emulated", action="store_true", help="also try the packs on emulated disks")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        keep = arguments.keep or pathlib.Path(folder)
        keep.mkdir(parents=True, exist_ok=True)
        profiles = check_all(arguments.drives, keep)
        if not arguments.check_only:
            gains(profiles, keep)
        if arguments.emulated:
            gains_on_emulated_disks(profiles, keep)


if __name__ == "__main__":
    main()
