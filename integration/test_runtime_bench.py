"""Checks the reader's figures, compared with peers and on disks, in shorter forms of `script/bench runtime`. The bounds
are wider than the documented figures, because other programs run at the same time. Skipped if a program, root or FUSE
is missing."""
import shutil
import statistics
import sys
from pathlib import Path

import pytest

from own_disks import NEEDS_EMULATED_DISK

sys.path.insert(0, str(Path(__file__).resolve().parent / "runtime"))
import disk_loads
import library_size
import measure_peers
import random_open
from made_packs import MIB, pack, write_files

BIN = disk_loads.BIN
pytestmark = pytest.mark.alone
DISK = [
    *NEEDS_EMULATED_DISK,
    pytest.mark.skipif(not (BIN / "load").exists(), reason="the release build has no benchmarks")]


def on_disk(test):
    for mark in DISK:
        test = mark(test)
    return test


# ---- Many small assets --------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def reading(tmp_path_factory):
    if not (BIN / "open_each").exists():
        pytest.skip("open_each isn't built: libphysfs-dev, libzip-dev or liblmdb-dev was missing")
    if shutil.which("mksquashfs") is None or shutil.which("strace") is None:
        pytest.skip("squashfs-tools or strace isn't installed")
    with random_open.reading(tmp_path_factory.mktemp("reading"), 3000) as of:
        yield of


@pytest.mark.parametrize("threads", [1, 8])
def test_small_assets_cost_little_more_than_pread(reading, threads):
    rounds = random_open.measure(reading, threads, rounds=7, passes=10)
    # Processor times are affected less by other programs than wall times.
    cpu, wall = ({kind: statistics.median(of[clock] for of in each) for kind, each in rounds.items()}
                 for clock in ("cpu", "wall"))
    print({kind: (round(us, 2), round(wall[kind], 2)) for kind, us in cpu.items()})
    assert cpu["packs"] < 2 * cpu["indexed"]
    for peer in ("loose", "zip", "physfs"):
        assert cpu["packs"] < cpu[peer], peer
    # PhysFS has one lock, under which it opens a zip's file while the other threads sleep, so it keeps only one of two
    # processors busy. Packs keep both busy, and finish sooner.
    assert wall["physfs_packs"] < wall["physfs"]
    if threads == 1:
        assert cpu["physfs_packs"] < cpu["physfs"]


def test_warm_readers_share_no_lock_and_open_nothing(reading):
    calls = reading.calls("packs", threads=8)
    # Starting and ending threads makes a few calls in any run.
    assert all(each < 0.005 for each in calls.values()), calls
    assert reading.calls("physfs", threads=8)["futex"] > 0.1


def test_large_assets_cost_less_without_a_copy(tmp_path):
    if not (BIN / "open_each").exists():
        pytest.skip("open_each isn't built: libphysfs-dev, libzip-dev or liblmdb-dev was missing")
    names = write_files(tmp_path / "loose", [MIB] * 16)
    packs = pack(tmp_path / "loose", names, tmp_path / "packs", tmp_path)
    listed = measure_peers.list_of(tmp_path, names)
    us = measure_peers.alternated(5, **{kind: lambda kind=kind: measure_peers.microseconds(kind, packs, listed, 1, 10)
                                        for kind in ("packs", "mapped")})
    print(us)
    assert us["mapped"] < us["packs"]


# ---- Disks --------------------------------------------------------------------------------------------

@on_disk
def test_a_sweep_goes_at_the_disks_rate_with_urgent_requests_mixed_in(tmp_path):
    sums = disk_loads.sums_of_sweep(disk_loads.measure_sweep(
        tmp_path, 200_000_000, urgent=60, gap_us=30_000))
    print(sums)
    assert sums["share"] > 0.92
    assert sums["peak_mib"] <= 16
    assert sums["requests"] == 60 and sums["failed"] == 0
    assert sums["missed_deadlines"] == sums["counted"]
    assert sums["extra_s"] < sums["allowed_s"]


@on_disk
def test_urgent_requests_hold_their_deadlines_beside_a_sweep(tmp_path):
    found = disk_loads.measure_urgent(tmp_path, 200_000_000, rates=(0, 50))
    requests, alone_s, beside_s = found[50]["requests"], found[0]["sweep"]["seconds"], found[50]["sweep"]["seconds"]
    print(requests["latency_ms"], alone_s, beside_s)
    assert requests["failures"] == [] and requests["done"] > 50
    # Other programs run on this machine, too.
    assert requests["missed_deadlines"] <= 0.05 * requests["done"]
    assert beside_s < 4 * alone_s


@on_disk
def test_queues_halve_what_arrival_order_costs(tmp_path):
    found = disk_loads.measure_demand(tmp_path, 60_000_000, count=900)
    print({name: of["disk"] for name, of in found.items()})
    assert found["queues"]["disk"]["busy_s"] < 0.5 * found["arrival"]["disk"]["busy_s"]
    assert found["queues"]["said"]["requests"]["bytes"] == found["arrival"]["said"]["requests"]["bytes"]


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    work = tmp_path_factory.mktemp("damaged")
    with disk_loads.disk_of(work, "--scale", "0.05") as disk:
        yield disk_loads.Damaged(disk, work, 60_000_000)


def check_all_but(of, said, hit):
    """Checks that the requests for `hit` failed and are named, that all others arrived, and that the sweep names
    what it left out."""
    requests = said["requests"]
    assert disk_loads.paths_of(requests["failures"]) == sorted(hit)
    assert sorted(requests["arrived"]) == sorted({*of.swept, *of.cold} - set(hit))
    swept = said["sweep"]
    assert swept["wrong"] == []
    left_out = set(of.swept) - set(swept["arrived"])
    assert left_out >= set(hit) and len(left_out) < len(of.swept) / 4
    assert len(swept["failures"]) >= 1
    # The message names three assets of a block, and says how many more there are.
    assert any(name in failure for failure in swept["failures"] for name in left_out)
    assert said["stats"]["leased_bytes"] == 0


@on_disk
def test_a_flipped_bit_costs_one_asset(damaged):
    name = damaged.swept[len(damaged.swept) // 2]
    check_all_but(damaged, damaged.with_a_flipped_bit(name), [name])


@on_disk
def test_a_bad_sector_costs_one_asset(damaged):
    name = damaged.swept[len(damaged.swept) // 3]
    check_all_but(damaged, damaged.with_a_bad_sector(name), [name])


@on_disk
def test_a_truncated_pack_costs_its_assets_and_no_others(damaged):
    said = damaged.truncated(damaged.pack_file.stat().st_size // 2)
    assert "map.skl" in said["sweep"]["refused"]
    assert disk_loads.paths_of(said["requests"]["failures"]) == sorted(damaged.swept)
    assert sorted(said["requests"]["arrived"]) == sorted(damaged.cold)


@on_disk
def test_a_pack_that_shrinks_while_it_is_read_costs_what_it_loses(damaged):
    said = damaged.truncated_while_loading(4096)
    requests = said["requests"]
    failed = disk_loads.paths_of(requests["failures"])
    assert failed and set(failed) <= set(damaged.swept)
    assert sorted([*failed, *requests["arrived"]]) == sorted([*damaged.swept, *damaged.cold])


@on_disk
def test_after_damage_all_is_well_again(damaged):
    said = damaged.load()
    assert said["requests"]["failures"] == [] and said["sweep"]["failures"] == []
    assert sorted(said["sweep"]["arrived"]) == sorted(damaged.swept)


# ---- Size ---------------------------------------------------------------------------------------------

def test_the_library_is_small_and_exports_its_own_names_alone(tmp_path):
    if not (BIN.parent / "lib" / "libseekless.so").exists():
        pytest.skip("the shared library isn't built")
    found = library_size.measure(tmp_path)
    # Calls of forked processes, rings that the system closes, and names of zips took 4 KiB; links in folders another 4;
    # frames of compressed blocks, and reads from the cache without another thread, 8; leases on mapped packs 4.
    assert found["stripped_bytes"] <= 340 * 1024
    assert all(name.startswith("skl_") for name in found["symbols"]) and len(found["symbols"]) > 20
