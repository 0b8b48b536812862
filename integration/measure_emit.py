#!/usr/bin/python3
"""Cold starts of Python programs from a SquashFS on an emulated disk, in three orders of its files: what
`script/bench emit` runs.

The image holds Debian's whole Python: the standard library and every package that is installed. It is mounted by the
kernel, as an AppImage or a live system has it. Orders: mksquashfs' own; the files as first seen in one recording of each
program, one program after the other, as one would sort by hand; and `seekless emit`, from the same recordings. A fourth
program, that no recording knows, shows what an order costs others. Busy seconds are the disk's own.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
sys.path[:0] = [str(HERE), str(HERE / "hdd")]
from bench import SEEKLESS, Disk, run

SITE = """site_name: A page
theme: {name: material}
plugins: [search]
"""
PROGRAMS = {
    "mkdocs build": ["-m", "mkdocs", "build", "-q", "-d", "{out}", "-f", "{work}/site/mkdocs.yml"],
    "pytest": ["-m", "pytest", "-q", "-p", "no:cacheprovider", "{work}/site/test_one.py"],
    "numpy": ["-c", "import numpy, numpy.random, numpy.fft; numpy.linalg.inv(numpy.eye(9))"],
}
UNRECORDED = {"jsonschema, not recorded": ["-c", "import jsonschema, xml.dom.minidom, sqlite3, asyncio"]}


def make_environment(work):
    library = work / "env" / "lib"
    library.mkdir(parents=True)
    for name in ("python3", "python3.11"):
        shutil.copytree(f"/usr/lib/{name}", library / name, symlinks=True)
    site = work / "site"
    (site / "docs").mkdir(parents=True)
    (site / "mkdocs.yml").write_text(SITE)
    (site / "docs/index.md").write_text("# A page\n\n    some code\n")
    (site / "test_one.py").write_text("def test_one():\n    assert 1 + 1 == 2\n")
    return work / "env"


def program(words, env, work):
    """A command's words, and its environment: everything of Python comes from `env`."""
    out = work / "out"
    shutil.rmtree(out, ignore_errors=True)
    filled = [word.format(work=work, out=out) for word in words]
    variables = {**os.environ, "PYTHONHOME": str(env), "PYTHONPATH": f"{env}/lib/python3/dist-packages",
                 "PYTHONDONTWRITEBYTECODE": "1", "PYTHONNOUSERSITE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return ["/usr/bin/python3", "-B", *filled], variables


def record(work, env, rounds=2):
    traces = work / "traces"
    traces.mkdir()
    for name, words in PROGRAMS.items():
        for number in range(rounds):
            command, variables = program(words, env, work)
            run(SEEKLESS, "record", "--scenario", name.split()[0], "-o",
                traces / f"{name.split()[0]}.{number + 1}.trace", "--", *command, env=variables,
                stderr=subprocess.DEVNULL)
    return sorted(traces.iterdir())


def first_seen(work, env, traces):
    """Files in the order that one recording of each program reads them first."""
    names = {}
    for trace in traces[::2]:
        profile = work / "profile.json"
        run(SEEKLESS, "profile", trace, "--content", env, "--opaque", "**", "-o", profile, stderr=subprocess.DEVNULL)
        found = json.loads(profile.read_text())
        for asset in found["scenarios"][0]["runs"][0]["assets"]:
            names.setdefault(found["assets"][asset])
    lines = [f"{name.replace(' ', chr(92) + ' ')} {32767 - at}\n" for at, name in enumerate(names)]
    (work / "by-hand").write_text("".join(lines))
    return work / "by-hand"


def make_images(work, env, traces):
    emitted = work / "emitted"
    run(SEEKLESS, "emit", "mksquashfs", *traces, "--content", env, "-o", emitted, stderr=subprocess.DEVNULL)
    lists = {"mksquashfs' own": None, "first seen, by hand": first_seen(work, env, traces), "seekless emit": emitted}
    images = {}
    for number, (name, made) in enumerate(lists.items()):
        image = work / f"image{number}.squashfs"
        run("mksquashfs", env, image, "-noappend", "-quiet", "-no-progress", *(["-sort", made] if made else []))
        images[name] = image
    return images


def cold_start(disk, image, words, work, mount):
    """Mounts the image that lies on the disk, runs the program, and says what the disk did."""
    with disk.cold() as measured:
        run("mount", "-t", "squashfs", "-o", "ro,loop", image, mount)
        try:
            command, variables = program(words, mount, work)
            subprocess.run(command, env=variables, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        finally:
            run("umount", mount)
    # Another process's mount name space may hold the image for a while, and the disk isn't cold before that.
    deadline = time.monotonic() + 120
    while run("losetup", "-j", image) and time.monotonic() < deadline:
        time.sleep(0.2)
    return measured


def measure(disk, images, work, rounds):
    """Each image lies at the same place in its turn."""
    mount = work / "mount"
    mount.mkdir()
    programs = {**PROGRAMS, **UNRECORDED}
    rows = [{"program": what} for what in programs]
    for name, image in images.items():
        run(HERE / "hdd/hdd", "put", disk.folder, image, "--at", "400G")
        for row, words in zip(rows, programs.values()):
            found = [cold_start(disk, disk.folder / image.name, words, work, mount) for _ in range(rounds)]
            row[name] = {key: statistics.median(each[key] for each in found) for key in found[0]}
        (disk.folder / image.name).unlink()
    print("| program | " + " | ".join(images) + " |\n|---|" + "---:|" * len(images))
    for row in rows:
        print(f"| {row['program']} | " + " | ".join(
            f"{row[name]['busy_s']:.2f} ({row[name]['reads']:.0f}, {row[name]['seeks']:.0f}; {row[name]['wall_s']:.1f})"
            for name in images) + " |", flush=True)
    return rows


def bench(work, rounds=3, json_file=TOP / "build/bench/emit.json"):
    env = make_environment(work)
    files = [path for path in env.rglob("*") if path.is_file() and not path.is_symlink()]
    print(f"{len(files):,} files, {sum(path.stat().st_size for path in files) / 1e6:.0f} MB; "
          "busy seconds (reads, seeks; wall seconds)\n")
    images = make_images(work, env, record(work, env))
    print("images: " + ", ".join(f"{name} {image.stat().st_size / 1e6:.1f} MB" for name, image in images.items()) + "\n")
    with Disk(work / "disk", "--drive", "wd-black-1tb") as disk:
        rows = measure(disk, images, work, rounds)
    own, by_hand, emitted = (sum(row[name]["busy_s"] for row in rows[:len(PROGRAMS)]) for name in images)
    print(f"\nrecorded programs together: {own:.2f}, {by_hand:.2f}, {emitted:.2f} s: "
          f"{own / emitted:.2f} and {by_hand / emitted:.2f} times fewer")
    if json_file is not None:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(json.dumps(rows, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=pathlib.Path, help="where to put the disk and images")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        bench(pathlib.Path(work), options.rounds)


if __name__ == "__main__":
    main()
