"""Compares `where` with filefrag, and `warm` with mincore, on the file system that the tests run on."""
import ctypes
import ctypes.util
import mmap
import os
import re
import shutil
import subprocess

import pytest

import page_cache
from game import noise

PAGE = 4096
LIBC = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)


def cached_bytes(path):
    """Returns how much of a file is in memory, as the kernel tells its owner."""
    size = os.path.getsize(path)
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), size, mmap.MAP_SHARED) as mapped:
        pages = (ctypes.c_ubyte * ((size + PAGE - 1) // PAGE))()
        front = ctypes.c_char.from_buffer(mapped)
        assert LIBC.mincore(ctypes.c_void_p(ctypes.addressof(front)), ctypes.c_size_t(size), pages) == 0
        del front
        return sum(min(PAGE, size - i * PAGE) for i, page in enumerate(pages) if page & 1)


@pytest.fixture
def on_disk(tool, tmp_path):
    """Makes two files on a file system that reports places; skips if there is none."""
    for name, size in (("a.bin", 5_000_000), ("b.bin", 3_000_000)):
        (tmp_path / name).write_bytes(noise(size, size))
    if tool.run("where", tmp_path).code != 0:
        pytest.skip("the temporary folder's file system doesn't tell where files lie")
    return tmp_path


def test_where_agrees_with_filefrag(tool, on_disk):
    if shutil.which("filefrag") is None:
        pytest.skip("there is no filefrag (package e2fsprogs)")
    answer = tool.json("where", on_disk, "--extents")
    assert [file["path"] for file in answer["files"]] == [f"{on_disk}/a.bin", f"{on_disk}/b.bin"]
    for file in answer["files"]:
        said = subprocess.run(["filefrag", "-b1", "-v", file["path"]], check=True, text=True,
                              capture_output=True).stdout
        places = [(int(begin), int(place)) for begin, place in
                  re.findall(r"^\s*\d+:\s+(\d+)\.\.\s*\d+:\s+(\d+)\.\.", said, re.MULTILINE)]
        for extent in file["extents"]:
            assert (extent["offset"], extent["place"]) in places
        assert sum(extent["bytes"] for extent in file["extents"]) == file["bytes"]
    assert answer["bytes"] == 8_000_000 and answer["relative"] >= 1


def test_where_counts_the_pieces_of_a_scattered_file(tool, on_disk):
    """Holes are punched into a file, and the next file's pieces fill them, or at least split the next file."""
    path = on_disk / "a.bin"
    whole = tool.json("where", path)
    subprocess.run(["fallocate", "--punch-hole", "--offset", "1MiB", "--length", "1MiB", path], check=True)
    holed = tool.json("where", path)
    assert holed["fragments"] == whole["fragments"] + 1
    assert holed["relative"] > 1
    assert holed["bytes"] == whole["bytes"] - (1 << 20)


def test_where_says_when_a_file_system_cant_tell(tool, small_disk):
    folder = small_disk(1 << 20)
    (folder / "f").write_bytes(b"x")
    tool.run("where", folder).says(f"{folder}/f", "tells where its files lie", "ext4")


def test_where_says_what_isnt_there(tool, tmp_path):
    tool.run("where", tmp_path / "none").says("none", "No such file")
    tool.run("where", tmp_path).says(tmp_path, "expected files")


def trace_of(folder, *ranges):
    """Returns reads of (file, offset, length), as strace prints them."""
    lines = []
    for number, (name, offset, length) in enumerate(ranges):
        path = folder / name
        lines.append(f'7 {number}.000000 openat(AT_FDCWD, "{path}", O_RDONLY) = 3<{path}> <0.000010>')
        lines.append(f'7 {number}.100000 pread64(3<{path}>, ""..., {length}, {offset}) = {length} <0.000010>')
        lines.append(f"7 {number}.200000 close(3<{path}>) = 0 <0.000010>")
    trace = folder / "load.strace"
    trace.write_text("\n".join(lines) + "\n")
    return trace


def test_warm_brings_just_what_a_trace_reads_into_memory(tool, on_disk):
    a, b = on_disk / "a.bin", on_disk / "b.bin"
    trace = trace_of(on_disk, ("a.bin", 4_000_000, 100_000), ("b.bin", 0, 50_000), ("a.bin", 0, 4096))
    page_cache.forget(a, b)
    answer = tool.json("warm", trace)
    assert answer["wanted_bytes"] >= 154_096
    assert answer["cached_bytes"] + answer["fetched_bytes"] == answer["bytes"]
    # The system may read ahead a little.
    assert answer["wanted_bytes"] <= cached_bytes(a) + cached_bytes(b) < 3_000_000
    again = tool.json("warm", trace)
    assert again["fetched_bytes"] == 0 and again["cached_bytes"] == answer["bytes"]


def test_warm_tells_what_it_would_do_and_reads_nothing(tool, on_disk):
    """Twice as much in one piece takes twice as long: the time that a disk needs at some 100 to 150 MB/s."""
    a = on_disk / "a.bin"
    seconds = []
    for length in (1_000_000, 2_000_000):
        trace = trace_of(on_disk, ("a.bin", 0, length))
        page_cache.forget(a)
        told = tool.json("warm", trace, "--dry-run")
        assert told["dry_run"] and told["cached_bytes"] is None and told["fetched_bytes"] == 0
        assert cached_bytes(a) == 0
        text = tool.ok("warm", trace, "--dry-run").text.splitlines()[0]
        assert f"wd-black-1tb would take {told['forecast_seconds']:.2f} s if nothing is in memory" in text
        read = tool.json("warm", trace)
        assert [read[of] for of in ("reads", "bytes", "wanted_bytes")] == [told[of] for of in ("reads", "bytes", "wanted_bytes")]
        assert not read["dry_run"] and read["forecast_seconds"] is None
        seconds.append(told["forecast_seconds"])
    assert 0.006 < seconds[1] - seconds[0] < 0.025


def test_warm_takes_a_layout_and_packs(tool, made):
    for given in (made.layout, made.packs, made.packs / "catalog.skl"):
        answer = tool.json("warm", given, "--scenario", "menu")
        assert answer["missing"] == [] and answer["wanted_bytes"] > 700_000
        assert answer["wanted_bytes"] < tool.json("warm", given)["wanted_bytes"]
        again = tool.json("warm", given, "--scenario", "menu")
        assert again["fetched_bytes"] < again["wanted_bytes"] / 10  # the system may have dropped some pages meanwhile
        tool.run("warm", given, "--scenario", "nope").says("--scenario", "'nope'")


def test_warm_keeps_to_a_rate(tool, on_disk):
    trace = trace_of(on_disk, ("a.bin", 0, 5_000_000))
    page_cache.forget(on_disk / "a.bin")
    answer = tool.json("warm", trace, "--rate", "10MB", "--idle")
    if answer["fetched_bytes"] < 4_000_000:
        pytest.skip("the file system keeps files in memory")
    assert answer["seconds"] >= 0.4


def test_warm_says_what_is_missing(tool, on_disk):
    trace = trace_of(on_disk, ("a.bin", 0, 4096), ("gone.bin", 0, 4096))
    answer = tool.ok("warm", trace)
    assert "1 of 2 files isn't there" in answer.err and "gone.bin" in answer.err
    tool.run("warm", trace, "--map", f"{on_disk}=/nowhere").says("/nowhere/a.bin", "--map")


def test_warm_notes_a_file_cut_short(tool, on_disk):
    """Reads beyond the end of today's file are left out."""
    trace = trace_of(on_disk, ("a.bin", 4_999_000, 1_000_000))
    assert tool.json("warm", trace)["wanted_bytes"] <= 5000
