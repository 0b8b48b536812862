"""The cost of recorded loads on drives: Warzone 2100's archives and recorded loads of it, and a small game for bad
input. The former are skipped if the package warzone2100-data or the
traces are missing."""
import json
import os
import re
from pathlib import Path

import pytest

from tool import DAMAGED, FAILED, USAGE, check_schema
from warzone import recordings

GAME = Path("/usr/share/games/warzone2100")
ARCHIVES = [GAME / "base.wz", GAME / "mp.wz"]
TRACES = recordings()

warzone = [
    pytest.mark.skipif(not all(path.exists() for path in ARCHIVES),
                       reason="the package warzone2100-data isn't installed"),
    pytest.mark.skipif(not TRACES, reason="integration/traces/warzone2100 holds no trace")]
CONTENT = ["--content", *ARCHIVES]


def simulate(tool, *arguments):
    """Returns the drives of the checked JSON answer, by name."""
    answer = tool.ok("simulate", *arguments, "--json", "-").json
    check_schema(answer, "results/simulate")
    return {drive["name"]: {s["name"]: s for s in drive["scenarios"]} for drive in answer["drives"]}


@pytest.fixture(scope="module")
def packed(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("warzone")
    tool.ok("plan", *TRACES, *CONTENT, "-o", folder / "layout.json")
    tool.ok("pack", folder / "layout.json", "-o", folder / "packs")
    return folder


class TestWarzone:
    pytestmark = warzone

    def test_before_and_after_stand_in_one_table(self, tool, packed):
        answer = tool.ok("simulate", packed / "layout.json", *TRACES, *CONTENT, "--drive",
                         "wd-black-1tb", "--drive", "laptop-5400", "--drive", "nvme-optane")
        lines = answer.text.splitlines()
        assert max(len(line) for line in lines if not line.startswith("next: ")) <= 80
        assert sum(" today " in line for line in lines) == 7 * 3
        assert sum(re.search(r" packs +[0-9]", line) is not None for line in lines) == 7 * 3

    def test_sweeps_beat_what_is_recorded_on_disks(self, tool, packed):
        drives = simulate(tool, packed / "packs", *TRACES, *CONTENT, "--drive", "wd-black-1tb",
                          "--drive", "laptop-5400")
        assert list(drives) == ["wd-black-1tb", "laptop-5400"]
        for scenarios in drives.values():
            assert len(scenarios) == 7
            for scenario in scenarios.values():
                assert scenario["packs"]["seconds"] < scenario["today"]["seconds"] / 3
                assert scenario["packs"]["seeks"] < scenario["today"]["seeks"] / 10
                assert scenario["today"]["over_bound"] > scenario["packs"]["over_bound"] >= 1

    @pytest.mark.parametrize("policy", ["sweep", "demand"])
    def test_a_layout_costs_what_its_packs_cost(self, tool, packed, policy):
        how = [*TRACES, *CONTENT, "--policy", policy, "--place", "common.skl=500G"]
        planned = tool.ok("simulate", packed / "layout.json", *how, "--json", "-").json
        written = tool.ok("simulate", packed / "packs", *how, "--json", "-").json
        assert planned.pop("next").startswith("seekless pack ")
        assert written.pop("next").startswith("seekless report ")
        assert planned == written

    def test_a_map_that_was_not_planned_is_read_by_the_typical_scenario(self, tool, tmp_path):
        others = [trace for trace in TRACES if not trace.name.startswith("map+rush")]
        tool.ok("plan", *others, *CONTENT, "-o", tmp_path / "layout.json")
        how = ["simulate", tmp_path / "layout.json", *TRACES, *CONTENT]
        answer = tool.ok(*how, "--json", "-")
        assert "'map/rush' wasn't planned; the typical scenario is swept" in answer.err
        scenarios = {s["name"]: s["packs"] for s in answer.json["drives"][0]["scenarios"]}
        assert [name for name, packs in scenarios.items() if not packs["swept"]] == ["map/rush"]
        rush = scenarios["map/rush"]
        one_by_one = {s["name"]: s["packs"] for s in tool.ok(*how, "--policy", "demand", "--json", "-")
                      .json["drives"][0]["scenarios"]}["map/rush"]
        assert rush["seconds"] < 0.85 * one_by_one["seconds"]
        # The median may be the other one of the two recordings.
        assert rush["needed_bytes"] == pytest.approx(one_by_one["needed_bytes"], rel=0.05)
        assert rush["over_bound"] <= 1.4

    def test_solid_state_does_not_seek(self, tool, packed):
        drives = simulate(tool, packed / "layout.json", *TRACES, *CONTENT, "--drive", "sata-ssd",
                          "--drive", "nvme-optane")
        for scenarios in drives.values():
            for scenario in scenarios.values():
                assert scenario["today"]["seeks"] == scenario["packs"]["seeks"] == 0

    def test_archives_far_apart_cost_more(self, tool):
        maps = [trace for trace in TRACES if trace.name.startswith("map")]
        near = simulate(tool, *maps, *CONTENT)["wd-black-1tb"]
        apart = simulate(tool, *maps, *CONTENT, "--place", "base.wz=0", "--place",
                         "mp.wz=300G")["wd-black-1tb"]
        assert sum(s["today"]["seconds"] for s in apart.values()) > sum(
            s["today"]["seconds"] for s in near.values())
        for name, scenario in apart.items():
            assert scenario["today"]["bytes"] == near[name]["today"]["bytes"]
            # The bytes are the same, further in, but the seek to the nearest of them is shorter.
            assert scenario["today"]["bound_seconds"] == pytest.approx(near[name]["today"]["bound_seconds"], abs=0.02)

    def test_same_input_same_answer(self, tool, packed):
        how = ["simulate", packed / "layout.json", *TRACES, *CONTENT, "--queue-depth", 8, "--json", "-"]
        assert tool.ok(*how).out == tool.ok(*how).out
        assert tool.ok(*how, env={"LC_ALL": "de_DE.UTF-8"}).out == tool.ok(*how).out

    def test_read_ahead_turns_reads_into_bytes(self, tool):
        figures = {}
        for style in ("none", "windows", "linux", "linux:1Mi"):
            scenario = simulate(tool, *TRACES[:1], *CONTENT, "--read-ahead", style)["wd-black-1tb"]
            figures[style] = next(iter(scenario.values()))["today"]
        assert figures["none"]["reads"] > figures["windows"]["reads"] > figures["linux:1Mi"]["reads"]
        assert figures["none"]["bytes"] < figures["windows"]["bytes"] < figures["linux:1Mi"]["bytes"]
        assert len({f["needed_bytes"] for f in figures.values()}) == 1

    def test_report_has_the_same_figures(self, tool, packed):
        how = [*TRACES, *CONTENT, "--place", "mp.wz=300G", "--read-ahead", "windows",
               "--queue-depth", 4]
        report = tool.ok("report", packed / "packs", *how, "--json", "-").json
        check_schema(report, "results/report")
        scenarios = simulate(tool, packed / "packs", *how)["wd-black-1tb"]
        for scenario in report["scenarios"]:
            same = scenarios[scenario["name"]]
            for side, other in (("before", "today"), ("after", "packs")):
                assert scenario[side] == {key: same[other][key] for key in scenario[side]}
            assert scenario["bound_seconds"] == same["packs"]["bound_seconds"]


def content_of(made):
    return ["--content", made.game.folder]


def test_content_needs_no_packs_and_packs_no_content(tool, made):
    today = simulate(tool, *made.traces, *content_of(made))["wd-black-1tb"]
    packs = simulate(tool, made.layout, *made.traces)["wd-black-1tb"]
    assert all("packs" not in s and s["today"]["reads"] > 0 for s in today.values())
    assert all("today" not in s and s["packs"]["reads"] > 0 for s in packs.values())
    assert set(today) == set(packs)


@pytest.mark.alone
def test_one_scenario_of_ten_thousand_takes_a_second(tool, tmp_path):
    count = 10_000
    content = tmp_path / "content"
    content.mkdir()
    names = [f"a{i:05}" for i in range(count + 10)]
    for i, name in enumerate(names):
        (content / name).write_bytes(bytes(1 + i))
    runs = [[{"trace": "t", "assets": [i, count + i % 10]}] for i in range(count)]
    (tmp_path / "profile.json").write_text(json.dumps({
        "seekless": "profile", "version": 1, "assets": names,
        "scenarios": [{"name": f"s{i:05}", "runs": runs[i]} for i in range(count)]}))
    layout = tmp_path / "layout.json"
    tool.ok("plan", "--profile", tmp_path / "profile.json", "--content", content, "-o", layout)
    trace = tmp_path / "s00007.1.strace"
    trace.write_text("".join(
        f'7 {i}.100000 openat(AT_FDCWD, "{content / name}", O_RDONLY) = 3<{content / name}> <0.000010>\n'
        f'7 {i}.200000 read(3<{content / name}>, ""..., 20000) = {(content / name).stat().st_size} <0.000010>\n'
        for i, name in enumerate(["a00007", "a10007"], start=1)))
    before = os.times()
    answer = tool.ok("simulate", layout, trace, "--content", content, "--json", "-")
    after = os.times()
    [scenario] = answer.json["drives"][0]["scenarios"]
    assert scenario["name"] == "s00007" and scenario["packs"]["swept"]
    # It is processor time, so the machine's other work doesn't count.
    assert sum(after[2:4]) - sum(before[2:4]) <= 1


def test_compressed_packs_are_simulated_as_they_are(tool, made):
    raw = simulate(tool, made.packs, *made.traces)["wd-black-1tb"]
    lz4 = simulate(tool, made.lz4_packs, *made.traces)["wd-black-1tb"]
    for name in raw:
        assert lz4[name]["packs"]["bytes"] < raw[name]["packs"]["bytes"]


def test_json_goes_to_a_file_beside_the_table(tool, made, tmp_path):
    answer = tool.ok("simulate", made.layout, *made.traces, "--json", tmp_path / "a.json")
    check_schema(json.loads((tmp_path / "a.json").read_text()), "results/simulate")
    assert "packs" in answer.text


class TestBadInput:
    def refuses(self, tool, made, code, parts, *arguments, packs=True, content=True):
        front = [made.layout] if packs else []
        back = content_of(made) if content else []
        answer = tool.run("simulate", *front, *made.traces, *back, *arguments)
        assert answer.code == code, answer.err
        answer.says(*parts)

    def test_place_beyond_the_end_of_the_disk(self, tool, made):
        self.refuses(tool, made, USAGE, ["common.skl", "1000200000000"], "--place", "common.skl=2T")

    def test_places_that_overlap(self, tool, made):
        self.refuses(tool, made, USAGE, ["overlaps"], "--place", "common.skl=1G", "--place",
                     "cold.skl=1G")

    def test_place_of_a_file_that_is_not_there(self, tool, made):
        self.refuses(tool, made, USAGE, ["bsae.wz", "common.skl"], "--place", "bsae.wz=1G")

    @pytest.mark.parametrize("place", ["common.skl", "common.skl=", "=1G", "common.skl=1X"])
    def test_place_that_is_none(self, tool, made, place):
        self.refuses(tool, made, USAGE, ["--place", place], "--place", place)

    def test_unknown_drive(self, tool, made):
        self.refuses(tool, made, USAGE, ["wd-black-1tb", "'floppy'"], "--drive", "floppy")

    def test_one_drive_twice(self, tool, made):
        self.refuses(tool, made, USAGE, ["twice"], "--drive", "sata-ssd", "--drive", "sata-ssd")

    def test_content_larger_than_the_drive(self, tool, made, tmp_path):
        profile = {"version": 1, "name": "tiny", "kind": "disk", "rpm": 7200,
                   "capacity_bytes": 1_000_000, "outer_bytes_per_s": 126e6,
                   "inner_bytes_per_s": 60e6, "seek_t0_ms": 0.9, "seek_b_ms": 14.487,
                   "seek_c_ms": 5.525, "seek_e_ms": 10.475, "overhead_ms": 0.08,
                   "read_ahead_bytes": 262144, "interface_bytes_per_s": 600e6}
        (tmp_path / "tiny.json").write_text(json.dumps(profile))
        self.refuses(tool, made, USAGE, ["tiny", "1000000"], "--drive", tmp_path / "tiny.json",
                     packs=False)

    def test_policy_without_packs(self, tool, made):
        for policy in ("sweep", "demand"):
            self.refuses(tool, made, USAGE, ["--policy"], "--policy", policy, packs=False)

    def test_demand_without_content(self, tool, made):
        self.refuses(tool, made, USAGE, ["--content"], "--policy", "demand", content=False)

    def test_neither_packs_nor_content(self, tool, made):
        self.refuses(tool, made, USAGE, ["--content"], packs=False, content=False)

    def test_no_trace(self, tool, made):
        tool.run("simulate", made.layout, *content_of(made)).says("traces")

    @pytest.mark.parametrize("style", ["mac", "linux:", "linux:128K", "windows:64Ki"])
    def test_unknown_read_ahead(self, tool, made, style):
        self.refuses(tool, made, USAGE, [style], "--read-ahead", style)

    @pytest.mark.parametrize("depth", ["0", "33", "-1", "x"])
    def test_impossible_queue_depth(self, tool, made, depth):
        assert tool.run("simulate", made.layout, *made.traces, "--queue-depth", depth).code == USAGE

    def test_trace_without_reads_of_the_content(self, tool, made, tmp_path):
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "file").write_bytes(b"x" * 10_000)
        answer = tool.run("simulate", *made.traces, "--content", tmp_path / "other")
        assert answer.code == DAMAGED
        answer.says("reads of the content", "--map")

    def test_trace_that_reads_past_an_archives_end(self, tool, tmp_path):
        archive = tmp_path / "archive.bin"
        archive.write_bytes(b"x" * 10_000)
        trace = tmp_path / "boot.1.strace"
        trace.write_text(
            f'100 1700000000.000000 openat(AT_FDCWD, "{archive}", O_RDONLY) = 3<{archive}> <0.000010>\n'
            f'100 1700000000.000100 pread64(3<{archive}>, "x"..., 8192, 4096) = 8192 <0.000010>\n'
            f'100 1700000000.000200 pread64(3<{archive}>, "x"..., 4096, 50000) = 4096 <0.000010>\n')
        answer = tool.ok("simulate", trace, "--content", archive, "--json", "-")
        check_schema(answer.json, "results/simulate")
        assert "2 reads" in answer.err and "archive.bin" in answer.err
        assert len(answer.json["warnings"]) == 1
        today = answer.json["drives"][0]["scenarios"][0]["today"]
        assert today["needed_bytes"] == 10_000 - 4096

    def test_layout_whose_content_is_gone(self, tool, made, tmp_path):
        layout = tmp_path / "layout.json"
        layout.write_text(made.layout.read_text().replace(str(made.game.folder), str(tmp_path / "gone")))
        answer = tool.run("simulate", layout, *made.traces)
        assert answer.code in (FAILED, USAGE, DAMAGED)
        assert answer.errors

    def test_scenario_that_the_packs_do_not_have(self, tool, made, tmp_path):
        trace = tmp_path / "credits.1.strace"
        trace.write_bytes(made.straces[0].read_bytes())
        answer = tool.run("simulate", made.packs, trace)
        assert answer.code == FAILED
        answer.says("'credits'")
