"""seekless drive check and fit: on logged requests to real drives, if the logs lie beside the project, and on the
emulated disk's own log."""
import json
import mmap
import os
import random
import subprocess
from pathlib import Path

import pytest

from measure_drives import DRIVES, traces_in
from tool import DAMAGED, DONE, TOP, USAGE, check_schema

FIELDS = ["position_bytes", "length_bytes", "kind", "response_ms", "pause_ms"]


def table_of(rows):
    return "\n".join([",".join(FIELDS), *(",".join(map(str, row)) for row in rows)]) + "\n"


def made_up_rows(count=1200, turn_ms=8.333):
    """Requests of a drive whose seeks take 2 to 12 ms, with the platter at any angle."""
    chance = random.Random(5)
    rows, last = [], 0
    for _ in range(count):
        position = chance.randrange(0, 10**10, 4096)
        share = abs(position - last) / 10**10
        rows.append((position, 4096, "R" if chance.random() < 0.7 else "W",
                     f"{0.3 + 2 + 10 * share ** 0.5 + turn_ms * chance.random():.4f}", 20))
        last = position + 4096
    return rows


@pytest.fixture
def made_up(tmp_path):
    file = tmp_path / "made-up.csv"
    file.write_text(table_of(made_up_rows()))
    return file


def test_check_answers_in_its_schema_and_draws(tool, made_up, tmp_path):
    page = tmp_path / "page.html"
    answer = tool.run("drive", "check", made_up, "--json", "-", "--html", page)
    assert answer.code == DONE, str(answer)
    check_schema(answer.json, "results/drive")
    assert answer.json["fitted_requests"] == 600
    assert abs(answer.json["sum_error"]) < 0.05
    assert answer.json["profile"]["rpm"] == 7200
    text = page.read_text()
    assert text.count("<svg") == 3 and "Windows over time" in text and "http" not in text.split("</style>")[1]
    said = tool.run("drive", "check", made_up)
    assert said.text.startswith("The model predicts ")
    assert all(len(line) <= 80 for line in said.text.splitlines() if "seekless drive fit" not in line)


def test_the_fitted_profile_is_one_for_all_commands(tool, made_up, tmp_path):
    profile = tmp_path / "mine.json"
    answer = tool.run("drive", "fit", made_up, "-o", profile, "--name", "mine", "--rpm", "7200", "--json", "-")
    assert answer.code == DONE, str(answer)
    check_schema(answer.json, "results/drive")
    check_schema(json.loads(profile.read_text()), "drive")
    assert json.loads(profile.read_text()) == answer.json["profile"]
    assert tool.run("drive", "show", profile).code == DONE
    judged = tool.run("drive", "check", made_up, "--drive", profile, "--json", "-").json
    assert judged["fitted_requests"] == 0 and abs(judged["sum_error"]) < 0.02


def test_what_is_no_table_is_refused_and_leaves_no_profile(tool, made_up, tmp_path):
    bad = tmp_path / "bad.csv"
    profile = tmp_path / "bad.json"
    for text in ("", "a,b\n1,2\n", table_of([(0, 4096, "R", "nan", 1)]), table_of(made_up_rows(50)),
                 table_of([(4096 * n, 4096, "R", 0.1, 1) for n in range(3000)]), "\0" * 5000):
        bad.write_text(text)
        answer = tool.run("drive", "fit", bad, "-o", profile)
        assert answer.code == DAMAGED, str(answer)
        answer.says(bad)
        assert not profile.exists()
    assert tool.run("drive", "check", made_up, "--rpm", "5").code == USAGE


def test_real_drives_are_predicted(tool):
    traces = traces_in(DRIVES)
    if not traces:
        pytest.skip(f"no traces in {DRIVES}; SEEKLESS_DRIVES names a folder of requests that real drives served")
    for trace in traces:
        found = tool.run("drive", "check", trace, "--json", "-").json
        figures = {key: found[key] for key in ("sum_error", "window_median_error", "window_p90_error", "distribution_ms")}
        assert abs(found["sum_error"]) < 0.02, (trace.name, figures)
        assert found["window_median_error"] < 0.04, (trace.name, figures)
        assert found["window_p90_error"] < 0.09, (trace.name, figures)
        assert found["profile"]["rpm"] < 7000 or found["distribution_ms"] < 0.6, (trace.name, figures)


@pytest.mark.alone
def test_the_emulated_disks_own_log_gives_its_profile(tool, tmp_path):
    hdd = TOP / "integration/hdd/hdd"
    if os.geteuid() != 0 or not Path("/dev/fuse").exists():
        pytest.skip("the emulated disk needs root and /dev/fuse")
    disk, log, profile = tmp_path / "disk", tmp_path / "requests.csv", tmp_path / "fitted.json"
    up = subprocess.run([hdd, "up", disk, "--scale", "0", "--requests", log], capture_output=True, text=True)
    assert up.returncode == 0, up.stderr
    try:
        read_here_and_there(json.loads(subprocess.run([hdd, "stats", disk, "--json"], check=True,
                                                      capture_output=True).stdout)["device"])
    finally:
        # On a busy machine another program may have the device open for longer than 'down' waits.
        downs = (subprocess.run([hdd, "down", disk], capture_output=True).returncode for _ in range(6))
        assert any(code == 0 for code in downs)
    answer = tool.run("drive", "fit", log, "-o", profile, "--json", "-")
    assert answer.code == DONE, str(answer)
    found = answer.json["profile"]
    assert found["rpm"] == 7200
    assert found["outer_bytes_per_s"] == pytest.approx(126e6, rel=0.02)
    assert found["inner_bytes_per_s"] == pytest.approx(60e6, rel=0.03)
    mine, known = (tool.run("drive", "show", name).text for name in (profile, "wd-black-1tb"))
    assert average_access_ms(mine) == pytest.approx(average_access_ms(known), rel=0.03)


def read_here_and_there(device):
    """Reads a device at random places, and sequentially from there, with direct I/O."""
    chance = random.Random(11)
    descriptor = os.open(device, os.O_RDONLY | os.O_DIRECT)
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        memory = mmap.mmap(-1, 512 << 10)
        for _ in range(1000):
            place = chance.randrange(0, size - (4 << 20), 4096)
            for length in [4096 << chance.randrange(5)] + [512 << 10] * chance.choice([0, 0, 1, 4]):
                os.preadv(descriptor, [memoryview(memory)[:length]], place)
                place += length
    finally:
        os.close(descriptor)


def average_access_ms(shown):
    line = next(line for line in shown.splitlines() if "average access" in line)
    return float(line.split()[2])
