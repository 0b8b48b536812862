"""'seekless analyze' on recordings: small ones with figures worked out by hand, the game's, and real logs of other
programs. Its memory stays small however long a trace is."""
import html
import json
import os
import re

import pytest

from test_memory import peak_bytes
from test_warzone import ARCHIVES, GAME, TRACES
from tool import DAMAGED, TOP, USAGE, check_schema

SAMPLES = TOP.parent / "shared" / "samples"
LIMIT_BYTES = 32 << 20
needs_game = pytest.mark.skipif(not TRACES or not all((GAME / name).exists() for name in ARCHIVES),
                                reason="the package warzone2100-data isn't installed")


def analyse(tool, *arguments, **how):
    answer = tool.ok("analyze", *arguments, "--json", "-", **how).json
    check_schema(answer, "results/analyze")
    return answer


def strace(folder, *lines, name="game.1.strace"):
    path = folder / name
    path.write_bytes(b"".join(line if isinstance(line, bytes) else line.encode() + b"\n"
                              for line in lines))
    return path


def read_line(at_s, path, offset, length, took_s=0.000010, pid=1):
    return (f'{pid} {1700000000 + at_s:.6f} pread64(3<{path}>, "x"..., {length}, {offset}) = {length} '
            f"<{took_s:.6f}>")


def open_line(at_s, path, error="ENOENT (No such file or directory)", pid=1):
    return (f'{pid} {1700000000 + at_s:.6f} openat(AT_FDCWD, "{path}", O_RDONLY) = -1 {error} '
            "<0.000100>")


def test_small_reads_that_could_have_been_one(tool, tmp_path):
    trace = strace(tmp_path, *(read_line(i / 100, "/g/a.pkg", i * 16384, 16384) for i in range(21)))
    run, = analyse(tool, trace)["runs"]
    assert run["chains"]["reads_saved"] == 20
    assert run["chains"]["top"][0]["bytes"] == 336 * 1024
    text = tool.ok("analyze", trace, "--verbose").text
    assert re.search(r"\b21 +16 KiB +336 KiB +1\b", text)


def test_failed_opens_by_path_and_process(tool, tmp_path):
    trace = strace(tmp_path, read_line(0, "/g/a", 0, 10),
                   *(open_line(0.1, "/g/none", pid=pid) for pid in (1, 1, 2)))
    failed = analyse(tool, trace)["runs"][0]["failed_opens"]
    assert failed["count"] == 3 and failed["seconds"] == pytest.approx(0.0003)
    assert failed["top_paths"] == [{"path": "/g/none", "count": 3,
                                    "seconds": pytest.approx(0.0003)}]
    assert sum(process["count"] for process in failed["top_processes"]) == 3


def test_a_cold_recording_is_measured_and_a_warm_one_is_not_believed(tool, tmp_path):
    places = [(i * 7919 % 400) * 1_000_000 for i in range(400)]
    runs, verdicts = {}, {}
    for name, took_s in ("cold", 0.012), ("warm", 0.000012):
        trace = strace(tmp_path, *(read_line(i * 0.03, "/g/a.pkg", at, 4096, took_s)
                                   for i, at in enumerate(places)), name=f"{name}.strace")
        answer = analyse(tool, trace, "--drive", "wd-black-1tb")
        runs[name], = answer["runs"]
        verdicts[name] = answer["verdict"]
    assert verdicts["cold"]["judgement"] == verdicts["warm"]["judgement"] == "worth it", "by the model, not the clock"
    assert verdicts["cold"]["as_shipped_seconds"] == verdicts["warm"]["as_shipped_seconds"]
    cold, warm = (runs[name]["conclusion"] for name in ("cold", "warm"))
    assert runs["cold"]["time"]["read_seconds"] == pytest.approx(4.8, rel=0.01)
    assert not cold["warm"]
    assert warm["warm"] and "can't show" in warm["text"]
    assert runs["cold"]["cold"] == runs["warm"]["cold"]


def test_two_runs_of_a_scenario_stand_side_by_side(tool, tmp_path):
    for run, size in (1, 4096), (2, 65536):
        strace(tmp_path, *(read_line(i / 10, "/g/a", i * 65536, size) for i in range(9)),
               name=f"load.{run}.strace")
    text = tool.ok("analyze", tmp_path / "load.1.strace", tmp_path / "load.2.strace", "--verbose").text
    line, = (line for line in text.splitlines() if line.startswith("  bytes  "))
    assert line.split()[1:] == ["36.9", "kB", "590", "kB"]


def test_the_page_draws_each_trace_and_says_what_it_comes_to(tool, tmp_path):
    traces = [strace(tmp_path, *(read_line(i / 10, "/g/a", i * 65536, 4096) for i in range(9)),
                     name=f"load.{run}.strace") for run in (1, 2)]
    tool.ok("analyze", *traces, "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "load.1" in page and "load.2" in page
    assert "in order take" in page


def test_the_page_begins_with_the_verdict(tool, tmp_path):
    trace = strace(tmp_path, *(read_line(i / 10, f"/g/<{i * 7 % 9}>", 0, 65536) for i in range(9)))
    answer = analyse(tool, trace)
    tool.ok("analyze", trace, "--html", tmp_path / "page.html")
    body = (tmp_path / "page.html").read_text().split("<body>")[1]
    first = re.search(r"<p[^>]*>(.*?)</p>", body, re.DOTALL)[1]
    assert html.unescape(first) == answer["verdict"]["text"]
    assert body.index("</h1>") < body.index(first) < body.index("<figure")




def test_a_trace_from_a_pipe_gets_the_model(tool, tmp_path):
    trace = strace(tmp_path, read_line(0, "/g/a", 0, 10))
    answer = analyse(tool, "-", input=trace.read_bytes())
    assert answer["runs"][0]["cold"]["reads"] == 1
    assert not any("twice" in warning for warning in answer["warnings"])


def test_names_are_escaped(tool, tmp_path):
    trace = strace(tmp_path, read_line(0, r"/g/\33[2J&b\377", 0, 100))
    answer = tool.ok("analyze", trace, "--verbose")
    assert "\x1b" not in answer.text and r"\x1b[2J&b" in answer.text
    assert "\x1b" in analyse(tool, trace)["runs"][0]["top_files"][0]["path"]


def test_traces_without_reads(tool, tmp_path):
    only_opens = strace(tmp_path, open_line(0, "/g/none"))
    assert analyse(tool, only_opens, "--drive", "wd-black-1tb")["verdict"]["reason"] == "no reads"
    nothing = strace(tmp_path, '1 1700000000.000000 getpid() = 1 <0.000001>', name="nothing.strace")
    assert analyse(tool, nothing)["runs"] == []
    assert tool.ok("analyze", nothing, "--drive", "wd-black-1tb").text.startswith("Nothing to gain: ")


def test_absurd_places_are_no_crash(tool, tmp_path):
    header = {"seekless": "trace", "version": 1, "scenario": "x"}
    lines = [header, {"path": "/g/a"}, {"at": 0, "read": 2**53, "took": 2**51},
             {"gap": -2**51, "at": 2**53, "read": 0}, {"at": 2**53 - 1, "read": 1}, {"read": 0}]
    trace = tmp_path / "absurd.jsonl"
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run, = analyse(tool, trace)["runs"]
    assert run["needed_bytes"] == 2**53 and run["cold"] is None
    tool.ok("analyze", trace)


def test_names_alone_are_told_as_such(tool, tmp_path):
    lines = [{"seekless": "trace", "version": 1}, {"path": "/g/a"}, {"read": "whole"}]
    trace = tmp_path / "names.jsonl"
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
    of = analyse(tool, trace, "--drive", "wd-black-1tb")["verdict"]
    assert (of["judgement"], of["reason"]) == ("unknown", "names only")


def test_errors_name_what_is_wrong(tool, tmp_path):
    trace = strace(tmp_path, read_line(0, "/g/a", 0, 10))
    assert tool.run("analyze", tmp_path / "none").says("none").code != 0
    assert tool.run("analyze", trace, "--drive", "floppy").says("floppy").code == USAGE
    assert tool.run("analyze", trace, "--scenario", "menu").says("menu").code == USAGE
    (tmp_path / "noise").write_bytes(os.urandom(1000))
    assert tool.run("analyze", tmp_path / "noise").says("noise").code == DAMAGED


@needs_game
def test_the_game_costs_what_the_report_says(tool, tmp_path):
    """Both use the same drive, content and replay. `analyze` makes one pass after the other, in little memory."""
    content = ["--content", *(GAME / name for name in ARCHIVES)]
    tool.ok("plan", *TRACES, *content, "-o", tmp_path / "layout.json")
    tool.ok("pack", tmp_path / "layout.json", "-o", tmp_path / "packs")
    report = tool.ok("report", tmp_path / "packs", *TRACES, *content, "--json", "-").json
    seconds = {}
    for run in analyse(tool, *TRACES, *content)["runs"]:
        seconds.setdefault(run["scenario"], []).append(run["cold"]["seconds"])
    for scenario in report["scenarios"]:
        assert any(scenario["before"]["seconds"] == pytest.approx(each, rel=1e-6)
                   for each in seconds[scenario["name"]])


@needs_game
def test_the_game_reads_its_directories_again_and_again(tool):
    run, = analyse(tool, TRACES[0], "--content", GAME)["runs"]
    content = run["content"]
    assert content["top_repeated"][0]["path"] == "(central directory of base.wz)"
    assert content["outside_bytes"] == 0
    parts = ("data", "header", "directory", "hidden", "other", "outside")
    assert sum(content[f"{part}_bytes"] for part in parts) == run["bytes"]
    assert sum(of["reads"] for of in run["sizes"]["classes"]) == run["reads"] == 249527
    for line in tool.ok("analyze", *TRACES, "--content", GAME).text.splitlines():
        assert len(line) <= 80 or line.startswith("next: "), "a command is copied whole"


@pytest.mark.skipif(not (SAMPLES / "ls.strace").exists(), reason="no samples beside the project")
def test_a_real_strace(tool):
    run, = analyse(tool, SAMPLES / "ls.strace")["runs"]
    assert run["reads"] + run["empty_reads"] > 0
    assert run["time"]["timed_reads"] == run["reads"] + run["empty_reads"]


def test_memory_does_not_grow_with_reads(tool, tmp_path):
    """Uses three million reads: of one file in order, of one at random, by many threads."""
    trace = tmp_path / "long.jsonl"
    burst = "[" + ",".join(["4096"] * 1000) + "]"
    with open(trace, "w") as out:
        out.write('{"seekless":"trace","version":1}\n{"path":"/g/a"}\n{"path":"/g/b"}\n')
        for i in range(3000):
            out.write(f'{{"gap":10,"file":{i % 2},"thread":{i % 50},"at":{i * 7919 % 1000 * 4096000},'
                      f'"read":{burst},"span":50000,"took":20000}}\n')
    assert peak_bytes(tool, "analyze", trace) < LIMIT_BYTES
