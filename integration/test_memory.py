"""Peak memory of packing doesn't grow with content: it stays under 128 MiB for more than 2 GB. For planning and packing
it grows only with the number of assets, and little."""
import json
import os
import subprocess
import sys
import zipfile

import pytest

from game import info, noise
from project import Project
from tool import strace_can_inject

LIMIT_BYTES = 128 << 20
# The limit for a million is 300 MiB, including paths of about 140 bytes.
LIMIT_PER_ASSET = 315
# For its verdict, plan holds the catalog and the tables of packs that aren't written yet.
LIMIT_PER_ASSET_PLANNED = 620
# Threads fill these buffers before they write; one small asset hardly uses them.
BUFFERS_BYTES = 8 << 20
MEASURE = """
import os, resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, file=sys.stderr)
sys.exit(done.returncode)
"""


def peak_bytes(tool, *arguments):
    """Returns the command's largest resident set, as the system counted it."""
    done = subprocess.run([sys.executable, "-c", MEASURE, *tool.command(*arguments)],
                          capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return int(done.stderr.split()[-1])


@pytest.fixture(scope="module")
def planned(tool, tmp_path_factory):
    """Makes 1.5 GB in one asset and 512 MB in others, mostly holes; and a deflated entry of 300 MB."""
    folder = tmp_path_factory.mktemp("memory")
    content = folder / "content"
    content.mkdir()
    with open(content / "film.ogv", "wb") as file:
        file.truncate(1_500_000_000)
        for place in range(0, 1_500_000_000, 100_000_000):
            file.seek(place)
            file.write(noise(place, 100_000))
    for number in range(16):
        with open(content / f"level{number}.dat", "wb") as file:
            file.truncate((32 << 20) + number)
            file.write(noise(number, 1_000_000))
    with zipfile.ZipFile(content / "data.pk3", "w", compresslevel=1) as archive:
        with archive.open(info("music.wav", zipfile.ZIP_DEFLATED), "w") as entry:
            piece = noise(77, 100_000) + bytes(900_000)
            for _ in range(300):
                entry.write(piece)
        for number in range(3000):
            archive.writestr(info(f"small/{number}", zipfile.ZIP_DEFLATED), b"%d" % number * 300)
    film = content / "film.ogv"
    (folder / "film.strace").write_text(f'7 1.0 openat(AT_FDCWD</>, "{film}", O_RDONLY) = 3<{film}>\n'
                                        f'7 1.1 read(3<{film}>, ""..., 9) = 9\n')
    tool.ok("plan", folder / "film.strace", "--content", content, "-o", folder / "layout.json")
    layout = json.loads((folder / "layout.json").read_text())
    total = sum(a["bytes"] for pack in layout["packs"] for a in pack["assets"])
    assert total > 2_300_000_000
    return folder


# Writing so many uncompressed bytes takes long, but holes compress to nothing, so the test compresses. Both codecs use
# the same code except for the last step.
def test_packing_takes_little_memory(tool, planned):
    packs = planned / "packs"
    peak = peak_bytes(tool, "pack", planned / "layout.json", "-o", packs, "--codec", "lz4", "--threads", 8)
    print(f"peak of pack: {peak / 2**20:.0f} MiB")
    assert peak < LIMIT_BYTES
    assert peak_bytes(tool, "verify", packs, "--threads", 8) < LIMIT_BYTES
    done = subprocess.run([sys.executable, "-c", MEASURE, *tool.command("extract", "-o", "-", packs, "music.wav")],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0 and int(done.stderr.split()[-1]) < LIMIT_BYTES


def test_packing_without_compression_takes_little_memory(tool, planned, tmp_path):
    if os.statvfs(tmp_path).f_bavail * os.statvfs(tmp_path).f_frsize < 4_000_000_000:
        pytest.skip("less than 4 GB of disk free")
    peak = peak_bytes(tool, "pack", planned / "layout.json", "-o", tmp_path / "packs", "--threads", 8)
    assert peak < LIMIT_BYTES


def plan_many(folder, count):
    """Arguments of plan for `count` loose files, of which the trace reads the first."""
    content = folder / f"content-of-{count}"
    for number in range(count):
        file = content / f"sector{number // 1000:04}" / f"kind{number % 5}" / f"asset_{number:07}.dat"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        os.truncate(file, 100 + number % 7)
    first = content / "sector0000" / "kind0" / "asset_0000000.dat"
    trace = folder / f"of-{count}.strace"
    trace.write_text(f'7 1.0 openat(AT_FDCWD</>, "{first}", O_RDONLY) = 3<{first}>\n'
                     f'7 1.1 read(3<{first}>, ""..., 9) = 9\n')
    return "plan", trace, "--content", content, "-o", folder / f"of-{count}.json"


def test_an_asset_takes_little_memory(tool, tmp_path):
    count = 60_000
    peaks = {}
    for number in (1, count):
        peaks[number] = (peak_bytes(tool, *plan_many(tmp_path, number)),
                         peak_bytes(tool, "pack", tmp_path / f"of-{number}.json", "-o", tmp_path / f"p{number}"))
    limits = {"plan": LIMIT_PER_ASSET_PLANNED, "pack": LIMIT_PER_ASSET}
    for (name, limit), few, many in zip(limits.items(), peaks[1], peaks[count]):
        print(f"{name}: {(many - few) / count:.0f} bytes an asset")
        assert many - few < count * limit + BUFFERS_BYTES


# The limit for a million is less than 512 MiB, including threads' buffers.
LIMIT_PER_ASSET_BUILT = 480


@pytest.mark.parametrize("lock", [{}, {"lock": "layout.lock"}], ids=["without a lock", "with a lock"])
def test_building_takes_little_memory(tool, tmp_path, lock):
    count = 60_000
    peaks = {}
    for number in (1, count):
        plan_many(tmp_path, number)
        build_file = tmp_path / f"{number}.json"
        settings = {"content": [f"content-of-{number}"], "traces": [f"of-{number}.strace"], "state": f"state-{number}",
                    "outputs": {"packs": {"folder": f"packs-{number}"}}}
        build_file.write_text(json.dumps(settings | {key: f"{number}.lock" for key in lock}))
        peaks[number] = [peak_bytes(tool, "build", build_file) for _ in range(2)]
        first = tmp_path / f"content-of-{number}" / "sector0000" / "kind0" / "asset_0000000.dat"
        with open(first, "r+b") as file:
            file.write(b"edited")
        peaks[number].append(peak_bytes(tool, "build", build_file))
    for name, few, many in zip(("first", "no change", "one edited"), peaks[1], peaks[count]):
        print(f"{name}: {(many - few) / count:.0f} bytes an asset")
        assert many - few < count * LIMIT_PER_ASSET_BUILT + BUFFERS_BYTES


def heaps_reserved(tool, project, limit_bytes):
    """Returns how often a thread's own heap was reserved: 128 MiB of addresses, half of which it keeps."""
    build = tool.command("build", project.folder, "--paranoid", "-j", "8")
    done = subprocess.run(["prlimit", f"--as={limit_bytes}", "strace", "-f", "-e", "trace=mmap", *build],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stderr.count("mmap(NULL, 134217728, PROT_NONE")


@pytest.mark.skipif(not strace_can_inject(), reason="needs strace and the right to trace")
def test_threads_share_a_heap_where_addresses_are_limited(tool, tmp_path):
    project = Project(tool, tmp_path / "game")
    assert heaps_reserved(tool, project, 4 << 30) == 0
    assert heaps_reserved(tool, project, "unlimited") > 0
