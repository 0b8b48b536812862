"""seekless drive: profiles listed, shown and measured; on loop devices, and on the emulated disk.

The unit tests check the measured values against the model; these tests check measuring on a real system.
"""
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tool import DAMAGED, DONE, FAILED, TOP, USAGE, check_schema

pytestmark = pytest.mark.alone
HDD = TOP / "integration" / "hdd" / "hdd"
DRIVE = HDD.with_name("wd-black-1tb-64mb.json")
ENOUGH_BYTES = 1 << 30
REAL_TIME = 10  # scheduling priority, so that other tests' load doesn't look like the disk's


@pytest.fixture
def loop_device(tmp_path):
    """Makes a read-only block device of a given size, of zeros."""
    made = []

    def make(size_bytes):
        image = tmp_path / f"image{len(made)}"
        with open(image, "wb") as file:
            file.truncate(size_bytes)
        done = subprocess.run(["losetup", "--find", "--show", "--read-only", image],
                              capture_output=True, text=True)
        if done.returncode != 0:
            pytest.skip("a loop device needs root")
        made.append(done.stdout.strip())
        return made[-1]

    yield make
    for device in made:
        subprocess.run(["losetup", "--detach", device], check=True)


@pytest.fixture
def emulated_disk(tmp_path):
    if not HDD.exists():
        pytest.skip(f"{HDD}: no emulated disk")
    if os.geteuid() != 0 or not Path("/dev/fuse").exists():
        pytest.skip("the emulated disk needs root and /dev/fuse")
    folder = tmp_path / "disk"
    # Like the platter of a real disk, this one turns while the host computes. Otherwise the host's time for each read
    # would be measured as a longer turn.
    up = subprocess.run([HDD, "up", folder, "--drive", DRIVE, "--clock", "real"],
                        capture_output=True, text=True)
    assert up.returncode == 0, up.stderr
    backing = tmp_path / "disk.hdd" / "fuse"
    try:
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                serves = str(backing).encode() in process.read_bytes().split(b"\0")
            except OSError:
                continue
            if serves:
                for task in (process.parent / "task").iterdir():
                    os.sched_setscheduler(int(task.name), os.SCHED_FIFO, os.sched_param(REAL_TIME + 1))
        yield subprocess.run(["losetup", "--noheadings", "--output", "NAME", "--associated",
                              backing / "disk"], check=True, capture_output=True, text=True).stdout.strip()
    finally:
        subprocess.run([HDD, "down", folder], check=True, capture_output=True)


def left_in(folder):
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("image"))


def test_list_is_a_table_and_json(tool):
    table = tool.ok("drive", "list").text
    assert all(len(line) <= 80 for line in table.splitlines())
    answer = tool.ok("drive", "list", "--json", "-").json
    check_schema(answer, "results/drive")
    names = [drive["name"] for drive in answer["drives"]]
    assert "wd-black-1tb" in names and all(name in table for name in names)
    black = answer["drives"][names.index("wd-black-1tb")]
    assert abs(black["average_access_ms"] - 12.64) < 0.01
    assert abs(black["random_4k_iops"] - 78.8) < 0.2


def test_shown_profile_is_a_file_to_begin_from(tool, tmp_path):
    for drive in tool.ok("drive", "list", "--json", "-").json["drives"]:
        mine = tmp_path / "mine.json"
        tool.ok("drive", "show", drive["name"], "-o", mine)
        text = tool.ok("drive", "show", drive["name"]).text
        assert drive["name"] in text and all(len(line) <= 80 for line in text.splitlines())
        check_schema(json.loads(mine.read_text()), "drive")
        assert tool.ok("drive", "show", mine, "--json", "-").text == mine.read_text()


def test_unknown_and_damaged_profiles_are_refused(tool, tmp_path):
    assert tool.run("drive", "show", "nothing").says("wd-black-1tb").code == USAGE
    broken = tmp_path / "broken.json"
    broken.write_text('{"version": 1, "rpm": 0}')
    assert tool.run("drive", "show", broken).says("broken.json").code == DAMAGED


def test_a_file_with_holes_is_warned_of(tool, tmp_path):
    file = tmp_path / "holed"
    with open(file, "wb") as writing:
        writing.write(bytes(4096))
        writing.seek(1 << 20)
        writing.write(bytes(4096))
    if tool.run("where", file).code != DONE:
        pytest.skip("the file system doesn't tell where its files lie")
    answer = tool.run("drive", "calibrate", file, "-o", tmp_path / "out.json")
    assert answer.says(ENOUGH_BYTES).code == FAILED
    assert "is a file" in answer.err and "lies in 2 pieces" in answer.err
    assert f"{(1 << 20) - 4096} of {(1 << 20) + 4096} bytes" in answer.err and "never written" in answer.err


def test_solid_state_is_recognised(tool, tmp_path, loop_device):
    out = tmp_path / "ssd.json"
    answer = tool.ok("drive", "calibrate", loop_device(4 * ENOUGH_BYTES), "-o", out, "--seconds", 10,
                     "--name", "loop", "--json", "-").json
    check_schema(answer, "results/drive")
    profile = json.loads(out.read_text())
    check_schema(profile, "drive")
    assert profile == answer["profile"] and profile["kind"] == "ssd" and profile["name"] == "loop"
    assert not answer["is_file"] and answer["failed_reads"] == 0
    tool.ok("drive", "show", out)


def test_what_cannot_be_measured_is_refused(tool, tmp_path, small_disk, loop_device):
    def refused(device, *parts, code=FAILED, out="out.json", extra=()):
        answer = tool.run("drive", "calibrate", device, "-o", tmp_path / out, *extra)
        assert answer.says(*parts).code == code

    file = tmp_path / "image-file"
    file.touch()
    folder = tmp_path / "image-folder"
    folder.mkdir()
    pipe = tmp_path / "image-pipe"
    os.mkfifo(pipe)
    refused(folder, "a folder")
    refused(pipe, "a pipe")
    refused("/dev/null", "a character device")
    refused(tmp_path / "absent", "No such file")
    refused(file, "an empty file")
    in_memory = small_disk(1 << 20) / "file"
    in_memory.write_bytes(b"x")
    refused(in_memory, "a file system in memory")
    small = loop_device(1 << 20)
    refused(small, ENOUGH_BYTES, 1 << 20)
    refused(small, "--seconds", code=USAGE, extra=("--seconds", 9))
    refused(small, "--seconds", code=USAGE, extra=("--seconds", "nan"))
    refused(small, "--name", code=USAGE, extra=("--name", "a/b"))
    refused(file, "another file", code=USAGE, out="image-file")
    refused(small, "cannot create", out="absent/out.json")
    refused(small, "a folder", out="image-folder")
    assert left_in(tmp_path) == ["disk0"]


def test_too_many_unreadable_places_end_it(tool, tmp_path):
    """A device mapper target that fails every read."""
    name = f"seekless-test-{os.getpid()}"
    made = subprocess.run(["dmsetup", "create", name, "--table", f"0 {4 * ENOUGH_BYTES // 512} error"],
                          capture_output=True) if Path("/dev/mapper/control").exists() else None
    if made is None or made.returncode != 0:
        pytest.skip("a failing device needs root and the device mapper")
    try:
        tool.run("drive", "calibrate", f"/dev/mapper/{name}", "-o", tmp_path / "out.json").says("reads failed")
        assert left_in(tmp_path) == []
    finally:
        subprocess.run(["dmsetup", "remove", name], check=True)


def test_interrupt_leaves_nothing(tool, tmp_path, emulated_disk):
    out = tmp_path / "out.json"
    with subprocess.Popen(tool.command("drive", "calibrate", emulated_disk, "-o", out),
                          stderr=subprocess.PIPE) as running:
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        assert b"interrupted" in running.communicate(timeout=20)[1]
    assert running.returncode == FAILED
    assert not out.exists() and not list(tmp_path.glob(".seekless*"))


def test_emulated_disk_comes_back(tool, tmp_path, emulated_disk):
    out = tmp_path / "found.json"
    done = tool.run("drive", "calibrate", emulated_disk, "-o", out, "--seconds", 20, "--json", "-",
                    prefix=("chrt", "--fifo", REAL_TIME))
    assert done.code == DONE, done.err
    check_schema(done.json, "results/drive")
    found = json.loads(out.read_text())
    assert found == done.json["profile"] and found["kind"] == "disk"
    black = json.loads(DRIVE.read_text())

    def near(key, share):
        assert abs(found[key] / black[key] - 1) <= share, (key, found[key], black[key])

    near("capacity_bytes", 1e-6)
    near("rpm", 0.01)
    near("outer_bytes_per_s", 0.05)
    near("inner_bytes_per_s", 0.05)
    for x in (0.05, 0.25, 1.0):  # including the time that the system adds to each command
        def access_ms(profile):
            near_ms = profile["seek_t0_ms"] + profile["seek_b_ms"] * x ** 0.5
            far_ms = profile["seek_c_ms"] + profile["seek_e_ms"] * x
            return profile["overhead_ms"] + (near_ms if x < 0.25 else far_ms)
        assert abs(access_ms(found) - access_ms(black)) <= 1.2, (x, found)
    assert abs(done.json["fit"]["predicted_access_ms"] / 12.64 - 1) <= 0.08
    assert black["segments"] - 1 <= found["segments"] <= black["segments"]
    # The steps are a fifth; the value is missing if a segment holds about as much as is read ahead.
    segment_bytes = found.get("segment_bytes", found["read_ahead_bytes"])
    assert 0.7 <= segment_bytes / black["segment_bytes"] <= 1.01
