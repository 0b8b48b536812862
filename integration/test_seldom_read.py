"""Content that only some of a map's runs read, such as the sides that players choose: the map's sweep leaves it out if
it is cheaper for the runs that need it to request it."""
import json
import random

import pytest

SHARED, SIDES, EACH = 60, 3, 20
MIB = 1 << 20


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seldom")
    content = folder / "game"
    content.mkdir()
    names = [f"shared{i:02}.dat" for i in range(SHARED)]
    sides = [[f"side{side}-{i:02}.dat" for i in range(EACH)] for side in range(SIDES)]
    for number, name in enumerate([*names, *sum(sides, [])]):
        size = 200_000 if name.startswith("shared") else MIB
        (content / name).write_bytes(random.Random(number).randbytes(size))
    traces = []
    for run in range(9):
        read = names + sides[run % SIDES]
        random.Random(run % SIDES).shuffle(read)
        lines = [{"seekless": "trace", "version": 1, "scenario": "map/sea"}]
        for file, name in enumerate(read):
            size = (content / name).stat().st_size
            lines += [{"path": str(content / name)}, {"gap": 1, "open": True}, {"gap": 1, "file": file, "at": 0, "read": size}]
        traces.append(folder / f"map+sea.{run}.jsonl")
        traces[-1].write_text("".join(json.dumps(line) + "\n" for line in lines))
    return content, traces[:6], traces[6:]


def simulated(tool, layout, content, traces):
    answer = tool.ok("simulate", layout, *traces, "--content", content, "--json", "-").json
    return answer["drives"][0]["scenarios"][0]["packs"]


def test_runs_that_were_held_out_load_as_forecast(tool, game, tmp_path):
    content, recorded, later = game
    layout = tmp_path / "layout.json"
    done = tool.ok("plan", *recorded, "--content", content, "-o", layout, "--verbose")
    assert f"leaves out {SIDES * EACH} assets (62.9 MB) that only some of its runs read" in " ".join(done.text.split())
    predicted = json.loads(layout.read_text())["scenarios"][0]["predicted"]
    assert predicted["needed_bytes"] == SHARED * 200_000 + EACH * MIB
    load = simulated(tool, layout, content, later)
    assert load["seconds"] == pytest.approx(predicted["sweep_s"], rel=0.1)
    everything = SHARED * 200_000 + SIDES * EACH * MIB
    assert load["bytes"] < 0.6 * everything


def test_packs_have_all_and_sweep_what_all_runs_need(tool, game, tmp_path):
    content, recorded, later = game
    tool.ok("plan", *recorded, "--content", content, "-o", tmp_path / "layout.json")
    tool.ok("pack", tmp_path / "layout.json", "-o", tmp_path / "packs")
    tool.ok("verify", tmp_path / "packs")
    tool.ok("extract", tmp_path / "packs", "-o", tmp_path / "out")
    for file in content.iterdir():
        assert (tmp_path / "out" / file.name).read_bytes() == file.read_bytes()
    of_layout = simulated(tool, tmp_path / "layout.json", content, later)
    of_packs = simulated(tool, tmp_path / "packs", content, later)
    assert of_packs["seconds"] == pytest.approx(of_layout["seconds"], rel=0.02)
    assert of_packs["missing_assets"] == 0


def test_a_lock_keeps_it(tool, game, tmp_path):
    content, recorded, later = game
    build = tmp_path / "seekless.json"
    build.write_text(json.dumps({"content": [str(content)], "traces": [str(trace) for trace in recorded],
                                 "outputs": {"packs": {"folder": "packs"}}, "lock": "layout.lock"}))
    tool.ok("build", build)
    first = simulated(tool, tmp_path / "packs", content, later)
    swept = content / "side0-00.dat"
    before = swept.read_bytes()
    swept.write_bytes(random.Random(99).randbytes(MIB))
    try:
        tool.ok("build", build)
        tool.ok("verify", tmp_path / "packs")
        assert simulated(tool, tmp_path / "packs", content, later)["seconds"] <= 1.1 * first["seconds"]
    finally:
        swept.write_bytes(before)
