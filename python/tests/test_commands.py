"""Commands as functions: answers as tables, warnings, errors by kind, progress, and Ctrl-C."""
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import seekless


def test_answers_are_mappings_and_tables(project):
    plan = project.planned
    assert plan["command"] == "plan" and dict(plan)["assets"] == len(project.files)
    assert "MB" in str(plan)
    packs = plan.frame("packs")
    assert set(packs["name"]) and packs["assets"].sum() >= len(project.files)
    scenarios = plan.table("scenarios").to_pylist()
    assert [row["name"] for row in scenarios][:2] == ["map", "menu"]


def test_simulations_have_a_row_for_each_drive_and_scenario(project):
    result = seekless.simulate(project.traces, packs=project.packs, content=project.content,
                               drive=["wd-black-1tb", "sata-ssd"])
    table = result.frame("drives/scenarios")
    assert set(table["drives.name"]) == {"wd-black-1tb", "sata-ssd"}
    assert set(table["name"]) == {"map", "menu"} and (table["packs.seconds"] >= 0).all()


def test_a_report_and_a_diff(project, tmp_path):
    report = seekless.report(project.packs, project.traces, content=project.content, html=tmp_path / "r.html")
    assert report.table("scenarios").num_rows == 2 and (tmp_path / "r.html").exists()
    diff = seekless.diff(project.packs, project.packs)
    assert diff["same"]["assets"] > 0 and diff.table("changes").num_rows == 0


def test_an_option_is_named_as_on_the_command_line(project, tmp_path):
    seekless.plan(profile=project.profile, content=project.content, output=tmp_path / "l.json", block="1M",
                  budget=1)
    assert json.loads((tmp_path / "l.json").read_text())["block_bytes"] == 1 << 20
    with pytest.raises(seekless.UsageError, match="--blocks.*--block"):
        seekless.plan(profile=project.profile, content=project.content, output=tmp_path / "m.json", blocks=1)
    with pytest.raises(ValueError, match="either traces"):
        seekless.plan(content=project.content, output=tmp_path / "m.json")


def test_what_goes_wrong_has_its_kind(project, tmp_path):
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(seekless.DamagedError, match="bad.json"):
        seekless.read_layout(tmp_path / "bad.json")
    with pytest.raises(seekless.Error, match="missing.json"):
        seekless.pack(tmp_path / "missing.json", tmp_path / "out")
    with pytest.raises(seekless.UsageError):
        seekless.run("no-such-command")


def test_a_file_that_is_called_like_an_option_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(seekless.Error, match="--lenient"):
        seekless.analyze("--lenient")


def test_warnings_are_pythons(project, tmp_path):
    trace = tmp_path / "boot.strace"
    text = project.traces[0].read_text()
    trace.write_text(text + '7 99.0 read(3</elsewhere/data.bin>, ""..., 100000000) = 100000000 <0.1>\n')
    with pytest.warns(seekless.SeeklessWarning):
        seekless.profile(trace, content=project.content, output=tmp_path / "p.json")


def test_nothing_is_printed(project, tmp_path, capfd):
    seekless.plan(project.traces, content=project.content, output=tmp_path / "l.json")
    assert capfd.readouterr() == ("", "")


def long_trace(path, reads=3_000_000):
    block = "".join(f'{{"gap":1,"read":4096,"at":{n * 8192}}}\n' for n in range(10_000))
    with open(path, "w") as file:
        file.write('{"seekless":"trace","version":1}\n{"path":"a"}\n')
        for _ in range(reads // 10_000):
            file.write(block)


def test_progress_is_told_and_may_stop(tmp_path):
    long_trace(tmp_path / "x.jsonl")
    seen = []
    seekless.import_traces(tmp_path / "x.jsonl", tmp_path / "y.jsonl", progress=seen.append)
    assert seen and seen[-1].what == "importing" and 0 < seen[-1].share <= 1 and seen[-1].seconds > 0

    def stop(now):
        raise RuntimeError("seen enough")
    with pytest.raises(RuntimeError, match="seen enough"):
        seekless.import_traces(tmp_path / "x.jsonl", tmp_path / "z.jsonl", progress=stop)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.jsonl", "y.jsonl"]  # nothing half-written
    assert len(seekless.run("drive list")["drives"]) > 1  # the next command isn't affected


def test_a_callback_may_not_run_a_command(tmp_path):
    long_trace(tmp_path / "x.jsonl")
    with pytest.raises(seekless.UsageError, match="callback"):
        seekless.import_traces(tmp_path / "x.jsonl", tmp_path / "y.jsonl",
                               progress=lambda now: seekless.run("drive list"))


def test_other_threads_run_meanwhile(tmp_path):
    long_trace(tmp_path / "x.jsonl")
    ticks = []

    def tick(done):
        while not done.wait(0.01):
            ticks.append(time.monotonic())
    done = threading.Event()
    thread = threading.Thread(target=tick, args=(done,))
    thread.start()
    before = time.monotonic()
    seekless.import_traces(tmp_path / "x.jsonl", tmp_path / "y.jsonl")
    seconds = time.monotonic() - before
    done.set()
    thread.join()
    assert len([at for at in ticks if at > before]) > 10 * seconds  # a hundred a second, fewer on a busy machine


INTERRUPTED = """
import os, signal, sys, threading, time, seekless
threading.Timer(float(sys.argv[2]), os.kill, (os.getpid(), signal.SIGINT)).start()
signal.signal(signal.SIGINT, signal.default_int_handler)
began = time.process_time()  # whatever else the machine does
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", time.process_time() - began)
"""


@pytest.mark.parametrize("call", [
    "seekless.import_traces(sys.argv[1], sys.argv[1] + '.out.jsonl')",
    "seekless.read_trace(sys.argv[1])",
])
def test_ctrl_c_works(tmp_path, call):
    long_trace(tmp_path / "x.jsonl", reads=20_000_000)
    done = subprocess.run([sys.executable, "-c", INTERRUPTED.format(call=call), tmp_path / "x.jsonl", "0.5"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("interrupted"), done
    assert float(done.stdout.split()[1]) < 5
    assert [path.name for path in tmp_path.iterdir()] == ["x.jsonl"]


def test_ctrl_c_ends_planning(tmp_path):
    """Makes a profile that takes long to plan: noisy runs of many assets."""
    import random
    rng = random.Random(1)
    game = tmp_path / "game"
    game.mkdir()
    for number in range(9000):
        (game / f"{number:04}").write_bytes(b"x" * (100 + number))
    order = list(range(9000))
    runs = []
    for number in range(60):
        run = order[:]
        for _ in range(600):
            i, j = rng.randrange(9000), rng.randrange(9000)
            run[i], run[j] = run[j], run[i]
        runs.append({"trace": str(number), "assets": run})
    profile = tmp_path / "profile.json"
    profile.write_text(json.dumps({"seekless": "profile", "version": 1, "assets": [f"{n:04}" for n in range(9000)],
                                   "scenarios": [{"name": "map", "runs": runs}]}))
    call = f"seekless.plan(profile={str(profile)!r}, content={str(game)!r}, output=sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", INTERRUPTED.format(call=call), tmp_path / "layout.json", "0.7"],
                          capture_output=True, text=True, timeout=120,
                          env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")})
    assert done.stdout.startswith("interrupted"), done
    assert float(done.stdout.split()[1]) < 10
    assert not (tmp_path / "layout.json").exists()


def test_the_command_line_is_in_the_package(project):
    script = os.path.join(os.path.dirname(sys.executable), "seekless")
    done = subprocess.run([script, "verify", project.packs], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("all sound")
    done = subprocess.run([script, "verify", project.folder / "missing"], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("seekless: error: ")
    assert subprocess.run([script, "--version"], capture_output=True, text=True).stdout.split()[1] == seekless.__version__


def test_ctrl_c_ends_the_command_line(tmp_path):
    long_trace(tmp_path / "x.jsonl", reads=10_000_000)
    script = os.path.join(os.path.dirname(sys.executable), "seekless")
    process = subprocess.Popen([script, "import", tmp_path / "x.jsonl", "-o", tmp_path / "y.jsonl"],
                               stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) in (1, -signal.SIGINT)
    assert [path.name for path in tmp_path.iterdir()] == ["x.jsonl"]
