"""Measures reading on Windows, under Wine, in shorter forms of integration/windows/measure_reads.py: counts and
seconds of the disk, which don't depend on other programs."""
import collections
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tool import TOP, windows_environment

sys.path.insert(0, str(Path(__file__).resolve().parent / "windows"))
import measure_reads
from on_package import built, run
from test_hdd import why_not as why_no_disk
from test_package_on_windows import package  # noqa: F401

pytestmark = pytest.mark.alone


@pytest.mark.skipif(why_no_disk() is not None, reason=why_no_disk() or "")
def test_a_sweep_goes_at_the_disks_rate(package, tmp_path):  # noqa: F811
    program = built(package, TOP / "integration/c_program", tmp_path / "program") / "sweep_shared.exe"
    (tmp_path / "disk").mkdir()
    found = measure_reads.measure_sweep(program, tmp_path / "disk", 200_000_000, scale="0.2")
    print(found)
    assert found["share"] > 0.9
    assert found["jumps"] <= 1  # one to the start


def calls_below(program, small, what, log):
    """Counts the reading thread's calls on the pack or the file, and its requests to Wine's server. The thread reads
    each asset, or its place in the file, once."""
    # The server starts first; otherwise it would be traced, too.
    subprocess.run(["wineserver", "--persistent=60"], env={**os.environ, **windows_environment()})
    done = run(program, *small.arguments(what),
               before=("strace", "-f", "-y", "-s", "0", "-e", "trace=read,pread64,readv,preadv,lseek,openat,close,write,writev",
                       "-o", log))
    assert done.returncode == 0, done.stdout + done.stderr
    lines = log.read_text(errors="replace").splitlines()
    read = [line for line in lines if f"<{small.packs}/" in line or f"<{small.file}>" in line]
    # Wine's services, which end with the last program, begin with this one, and ask the server some 20,000 times.
    (reader, _), = collections.Counter(line.split()[0] for line in read).most_common(1)
    return len(read), sum(1 for line in lines if re.match(rf"{reader} +writev?\(", line))


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_an_asset_costs_the_calls_of_one_readfile(package, tmp_path):  # noqa: F811
    program = built(package, TOP / "integration/windows", tmp_path / "program") / "random_reads.exe"
    few, many = (measure_reads.ManySmall(tmp_path / str(count), count) for count in (10, 2000))
    found = {}
    for what in ("assets", "file"):
        one, all_ = (calls_below(program, small, what, tmp_path / "calls") for small in (few, many))
        found[what] = [more - less for more, less in zip(all_, one)]
    print(found)
    # Each read is at least one call; a few more calls come from opening larger tables.
    assert found["file"][0] >= 1990
    for ours, plain in zip(found["assets"], found["file"]):
        assert plain <= ours <= plain * 1.02 + 20


def test_an_asset_takes_little_more_of_the_processor_than_readfile(package, tmp_path):  # noqa: F811
    program = built(package, TOP / "integration/windows", tmp_path / "program") / "random_reads.exe"
    small = measure_reads.ManySmall(tmp_path / "small", 5000)
    ratios = small.ratios(program, rounds=30)
    print(ratios)
    assert ratios["processor"] < 2
