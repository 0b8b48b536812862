#!/usr/bin/python3
"""Measures cold starts of Python programs from images whose files lie in three orders. `script/bench emit` runs it.

An image holds Debian's whole Python: the standard library and every package that is installed. SquashFS and EROFS lie
on an emulated disk and are mounted by the kernel, as an AppImage or a live system has them. A tar lies on a web server
that takes 20 ms for each request. The kernel mounts it, too, with an index that mkfs.erofs (1.7 or newer) made of it.
Orders: the packer's own; the files as first seen in one recording of each program, one program after the other, as
people would sort by hand; and the order of `seekless emit`, from the same recordings, with the command that
docs/emit.md shows. If that command has options for larger blocks, the other orders are tried with them, too. A fourth,
unrecorded program shows how an order affects other programs. Busy seconds are the disk's own.
"""
import argparse
import contextlib
import json
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
sys.path[:0] = [str(HERE), str(HERE / "hdd")]
import figures
from bench import SEEKLESS, Disk, run
from range_server import RangeServer

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
OWN, BY_HAND, EMITTED = "its own", "first seen, by hand", "seekless emit"
OWN_LARGE, BY_HAND_LARGE = "its own, large blocks", "by hand, large blocks"
ORDERS = (OWN, BY_HAND, EMITTED)
WITH_BLOCKS = (OWN, OWN_LARGE, BY_HAND, BY_HAND_LARGE, EMITTED)
REQUEST_S = 0.02
DISK_KEYS, SERVER_KEYS = ("busy_s", "reads", "seeks"), ("waits_s", "requests", "mb")  # keys in a cell of docs/figures


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
    """Returns a command's words, and its environment: everything of Python comes from `env`."""
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
    """Returns the files in the order in which one recording of each program first reads them."""
    names = {}
    for trace in traces[::2]:
        profile = work / "profile.json"
        run(SEEKLESS, "profile", trace, "--content", env, "--opaque", "**", "-o", profile, stderr=subprocess.DEVNULL)
        found = json.loads(profile.read_text())
        for asset in found["scenarios"][0]["runs"][0]["assets"]:
            names.setdefault(found["assets"][asset])
    return list(names)


class Orders:
    """Returns the lists that packers take, for each of ORDERS."""

    def __init__(self, work, env, traces):
        self.work, self.env, self.traces = work, env, traces
        self.by_hand = first_seen(work, env, traces)

    def list(self, packer, order):
        made = self.work / f"list.{packer}"
        if order in (OWN, OWN_LARGE):
            return None
        if order == EMITTED:
            run(SEEKLESS, "emit", packer, *self.traces, "--content", self.env, "-o", made, stderr=subprocess.DEVNULL)
        else:
            made.write_text(getattr(self, packer)())
        return made

    def mksquashfs(self):
        return "".join(f"{name.replace(' ', chr(92) + ' ')} {32767 - at}\n" for at, name in enumerate(self.by_hand))

    def erofs(self):
        return "set -e\nmkdir ' first'\n" + "".join(
            f"ln {shlex.quote('./' + name)} ' first/{at:08}'\n" for at, name in enumerate(self.by_hand))

    def tar(self):
        others = subprocess.run(["find", ".", "-mindepth", "1", "-print0"], cwd=self.env, capture_output=True, check=True)
        names = dict.fromkeys("./" + name for name in self.by_hand)
        names.update(dict.fromkeys(filter(None, others.stdout.decode().split("\0"))))
        return "".join(name + "\0" for name in names)


def make_squashfs(env, image, made, large):
    run("mksquashfs", env, image, "-noappend", "-quiet", "-no-progress", *(["-b", "1M"] if large else []),
        *(["-sort", made] if made else []))


def make_erofs(env, image, made, large):
    """Makes a compressed image, as SquashFS is. A folder that comes first has second names of the files in the wanted
    order: see docs/emit.md."""
    copy = image.with_name("copy")
    run("cp", "-al", env, copy)
    if made:
        with open(made) as script:
            subprocess.run(["sh"], stdin=script, cwd=copy, check=True)
    run("mkfs.erofs", "--quiet", "-zlz4hc", *(["-C1048576", "-Eall-fragments"] if large else []), image, copy)
    shutil.rmtree(copy)


def make_tar(env, archive, made):
    listed = ["--null", "--no-recursion", "-T", made] if made else ["."]
    run("tar", "-C", env, "-cf", archive, *listed)


def make_erofs_of_tar(env, image, made, _):
    """Makes an image in the tar's order, which can't be compressed."""
    archive = image.with_name("image.tar")
    make_tar(env, archive, made)
    run("mkfs.erofs", "--quiet", "--tar=f", "--sort=none", "-Enoinline_data", image, archive)
    archive.unlink()


def mkfs_erofs_has(option):
    return option in subprocess.run(["mkfs.erofs", "--help"], capture_output=True, text=True).stdout


@contextlib.contextmanager
def mounted(image, mount, kind, options=""):
    run("mount", "-t", kind, "-o", "ro,loop" + options, image, mount)
    try:
        yield
    finally:
        run("umount", mount)
    # Another process's mount name space may hold the image for a while; until then its pages stay cached.
    deadline = time.monotonic() + 120
    while run("losetup", "-j", image) and time.monotonic() < deadline:
        time.sleep(0.2)


def start(words, mount, work):
    command, variables = program(words, mount, work)
    subprocess.run(command, env=variables, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def on_disk(disk, image, kind, words, work, mount):
    with disk.cold() as measured:
        with mounted(image, mount, kind):
            start(words, mount, work)
    return measured


def on_server(server, archive, index, words, work, mount):
    """Mounts the web server's files in a folder (httpfs2); the kernel reads from the tar there."""
    remote = work / "remote"
    remote.mkdir(exist_ok=True)
    run("httpfs2", f"{server.url}/{archive.name}", remote, stderr=subprocess.DEVNULL)
    try:
        loop = run("losetup", "--find", "--show", "--read-only", remote / archive.name, text=True).strip()
        try:
            server.reset()
            started = time.monotonic()
            with mounted(index, mount, "erofs", f",device={loop}"):
                start(words, mount, work)
                found = {"requests": server.requests, "mb": server.bytes / 1e6, "wall_s": time.monotonic() - started}
        finally:
            run("losetup", "--detach", loop)
            time.sleep(0.5)
    finally:
        run("fusermount", "-u", "-z", remote)
    return {**found, "waits_s": found["requests"] * REQUEST_S}


def medians(found):
    return {key: statistics.median(each[key] for each in found) for key in found[0]}


def print_table(what, rows, cell):
    orders = list(rows[0])[1:]
    print(f"| {what} | " + " | ".join(orders) + " |\n|---|" + "---:|" * len(orders))
    for row in rows:
        print(f"| {row['program']} | " + " | ".join(cell(row[order]) for order in orders) + " |")


def print_sum(rows, key, unit):
    sums = {order: sum(row[order][key] for row in rows[:len(PROGRAMS)]) for order in list(rows[0])[1:]}
    print("\nrecorded programs together: " + "; ".join(
        f"{order} {found:.2f} {unit}" + (f" ({found / sums[EMITTED]:.2f} times)" if order != EMITTED else "")
        for order, found in sums.items()) + "\n", flush=True)


def write_figures(found):
    """Writes each table of the page, and the recorded programs' sums as multiples of the figure with `emit`."""
    sums = []
    for what, name, label, keys in (("squashfs", "emit-squashfs", "SquashFS", DISK_KEYS),
                                    ("erofs", "emit-erofs", "EROFS of the folder", DISK_KEYS),
                                    ("erofs of tar", "emit-erofs-tar", "EROFS of a tar", DISK_KEYS),
                                    ("tar", "emit-server", "tar on a web server, waiting", SERVER_KEYS)):
        rows = found.get(what)
        if rows is None:
            continue
        orders = list(rows[0])[1:]
        figures.write_rows(name, [[row["program"], *([row[order][key] for key in keys] for order in orders)] for row in rows])
        taken = {order: sum(row[order][keys[0]] for row in rows[:len(PROGRAMS)]) for order in orders}
        sums.append([label, *(taken[order] / taken[EMITTED] if order in taken else None for order in WITH_BLOCKS[:-1])])
    figures.write_rows("emit-sums", sums)


def new_rows():
    return [{"program": what} for what in (*PROGRAMS, *UNRECORDED)], {**PROGRAMS, **UNRECORDED}.values()


def bench_images(work, orders, what, packer, make, disk, rounds, tried=WITH_BLOCKS):
    """Measures the images one after the other, each at the same place of the disk."""
    kind = what.split()[0]
    rows, programs = new_rows()
    sizes = []
    for order in tried:
        image = work / f"image.{kind}"
        make(orders.env, image, orders.list(packer, order), order in (OWN_LARGE, BY_HAND_LARGE, EMITTED))
        sizes.append(f"{image.stat().st_size / 1e6:.1f}")
        run(HERE / "hdd/hdd", "put", disk.folder, image, "--at", "400G")
        image.unlink()
        for row, words in zip(rows, programs):
            row[order] = medians([on_disk(disk, disk.folder / image.name, kind, words, work, work / "mount")
                                  for _ in range(rounds)])
        (disk.folder / image.name).unlink()
    print(f"{what}, {', '.join(sizes)} MB; busy seconds (reads, seeks; wall seconds)\n")
    print_table(what, rows, lambda found: f"{found['busy_s']:.2f} ({found['reads']:.0f}, {found['seeks']:.0f}; "
                                          f"{found['wall_s']:.1f})")
    print_sum(rows, "busy_s", "s")
    return rows


def bench_tar(work, orders, rounds):
    lacks = [name for name in ("httpfs2", "mkfs.erofs") if shutil.which(name) is None]
    if lacks or not mkfs_erofs_has("--tar"):
        print(f"tar on a web server: not measured, for want of {', '.join(lacks) or 'an mkfs.erofs with --tar (1.7)'}\n")
        return None
    rows, programs = new_rows()
    served = work / "served"
    served.mkdir()
    with RangeServer(served, REQUEST_S) as server:
        for order in ORDERS:
            archive, index = served / "env.tar", work / "index.erofs"
            make_tar(orders.env, archive, orders.list("tar", order))
            index.unlink(missing_ok=True)
            run("mkfs.erofs", "--quiet", "--tar=i", index, archive)
            for row, words in zip(rows, programs):
                row[order] = medians([on_server(server, archive, index, words, work, work / "mount")
                                      for _ in range(rounds)])
    print(f"tar on a web server, {archive.stat().st_size / 1e6:.1f} MB; seconds of waiting at 20 ms a request "
          "(requests, MB; wall seconds)\n")
    print_table("tar", rows, lambda found: f"{found['waits_s']:.2f} ({found['requests']:.0f}, {found['mb']:.1f}; "
                                           f"{found['wall_s']:.1f})")
    print_sum(rows, "waits_s", "s of waiting")
    return rows


def bench(work, rounds=3, json_file=TOP / "build/bench/emit.json"):
    env = make_environment(work)
    files = [path for path in env.rglob("*") if path.is_file() and not path.is_symlink()]
    print(f"{len(files):,} files, {sum(path.stat().st_size for path in files) / 1e6:.0f} MB\n", flush=True)
    orders = Orders(work, env, record(work, env))
    (work / "mount").mkdir()
    found = {}
    with Disk(work / "disk", "--drive", "wd-black-1tb") as disk:
        found["squashfs"] = bench_images(work, orders, "squashfs", "mksquashfs", make_squashfs, disk, rounds)
        if shutil.which("mkfs.erofs") and mkfs_erofs_has("--sort"):
            found["erofs"] = bench_images(work, orders, "erofs", "erofs", make_erofs, disk, rounds)
            found["erofs of tar"] = bench_images(work, orders, "erofs of tar", "tar", make_erofs_of_tar, disk, rounds, ORDERS)
        else:
            print("erofs: not measured, for want of an mkfs.erofs with all that docs/emit.md names (1.8)\n")
    found["tar"] = bench_tar(work, orders, rounds)
    if json_file is not None:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(json.dumps(found, indent=1))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=pathlib.Path, help="where to put the disk and images")
    parser.add_argument("--write-figures", action="store_true", help="write the rows to docs/figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.work) as work:
        found = bench(pathlib.Path(work), options.rounds)
    if options.write_figures:
        write_figures(found)


if __name__ == "__main__":
    main()
