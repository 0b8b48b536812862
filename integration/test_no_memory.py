"""When memory or threads run out: every allocation of the library fails in turn, and every start of a thread, in all
operations of a game. Each call returns an answer, nothing leaks, and the next attempt works."""
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tool import TOP

sys.path.insert(0, str(Path(__file__).resolve().parent / "runtime"))
import made_packs

BIN = TOP / "build/release/bin"
BLOCK = 64 * 1024


def make_content(folder):
    """Files of noise and of text: small ones, empty ones, some of several blocks."""
    noise = random.Random(5)
    sizes = [0, 1, 700, 30_000, 2 * BLOCK + 77, 40_000]
    for number, size in enumerate(sizes):
        content = noise.randbytes(size // 2)
        path = folder / f"group-{number % 3}" / f"asset-{number}.dat"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content + b"the same again " * ((size - len(content)) // 15)
                         + b"." * ((size - len(content)) % 15))
    return sorted(folder.rglob("*.dat"))


def make_zip(folder, files, path):
    with zipfile.ZipFile(path, "w") as archive:
        for number, file in enumerate(files):
            archive.write(file, file.relative_to(folder).as_posix(),
                          zipfile.ZIP_DEFLATED if number % 2 else zipfile.ZIP_STORED,
                          compresslevel=0)


@pytest.fixture(scope="module")
def mounts(tool, tmp_path_factory):
    """Returns paths that can be mounted, by kind, and the folder of their content."""
    work = tmp_path_factory.mktemp("no-memory")
    folder = work / "content"
    files = make_content(folder)
    trace = made_packs.write_trace(work / "map.jsonl", "map", folder, files)
    tool.ok("plan", trace, "--content", folder, "--block", BLOCK, "-o", work / "layout.json")
    for codec in ("raw", "lz4"):
        tool.ok("pack", work / "layout.json", "-o", work / codec, "--codec", codec)
    make_zip(folder, files, work / "content.zip")
    return {"raw": work / "raw", "lz4": work / "lz4", "folder": folder,
            "zip": work / "content.zip"}, folder


def run(program, *arguments):
    if not (BIN / program).exists():
        pytest.fail(f"{BIN / program}: not built")
    done = subprocess.run([BIN / program, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("kind", ["raw", "lz4", "folder", "zip"])
def test_every_allocation_and_every_thread_may_be_refused(mounts, kind):
    paths, folder = mounts
    assert int(run("no_memory", paths[kind], folder)) > 300


@pytest.mark.parametrize("kind", ["raw", "lz4"])
def test_reading_on_and_on_allocates_nothing(mounts, kind):
    """Continuous reading doesn't allocate, neither with the context's allocator nor without it."""
    paths, folder = mounts
    for line in run("count_allocations", paths[kind], folder).splitlines():
        name, count, past_allocator, by_allocator = line.split()
        assert int(count) >= 100, line
        assert int(past_allocator) == 0, line
        assert int(by_allocator) == 0, line
