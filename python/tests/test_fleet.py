"""A fleet from uploads to a profile: counts, shares, the same bytes for any partitioning of the data set, and drift."""
import errno
import json
import os
import random
import shutil
import subprocess
import sys
import time

import pytest
from game import Game

pytest.importorskip("duckdb")
pytest.importorskip("fsspec")
import pyarrow  # noqa: E402
import pyarrow.parquet  # noqa: E402
import seekless  # noqa: E402
import seekless.fleet  # noqa: E402
from fleet_maker import Fleet  # noqa: E402
from seekless.fleet import Catalog, aggregate, collect, drift, merge, write_profile  # noqa: E402
from seekless import _core  # noqa: E402
from seekless.fleet import cli  # noqa: E402
from seekless.fleet.aggregate import Settings, Statistics  # noqa: E402
from seekless.fleet.dataset import DataSet  # noqa: E402
from seekless.fleet.drift import LIMIT, Watch  # noqa: E402
from seekless.fleet.engines import DuckDb  # noqa: E402
from seekless.fleet.page import drift_page  # noqa: E402


@pytest.fixture(scope="module")
def fleet(project):
    return Fleet(project.packs)


@pytest.fixture(scope="module")
def uploads(fleet, tmp_path_factory):
    return fleet.write(tmp_path_factory.mktemp("uploads") / "day", clients=80)


@pytest.fixture(scope="module")
def data_set(fleet, uploads, tmp_path_factory):
    folder = tmp_path_factory.mktemp("set") / "fleet"
    return folder, collect(uploads, [fleet.catalog], folder)


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def profile_of(statistics, catalog, path):
    write_profile(statistics, catalog, path)
    return path.read_bytes()


def recut(source, target, pieces, seed):
    """Writes the same rows to other files, in another order."""
    for kind in ("reads", "runs"):
        for part in DataSet(source).parts():
            table = pyarrow.parquet.read_table(getattr(part, kind))
            rows = list(range(table.num_rows))
            random.Random(seed).shuffle(rows)
            table = table.take(pyarrow.array(rows))
            folder = DataSet(target).folder_of(kind, part.build, part.scenario)
            folder.mkdir(parents=True)
            size = -(-table.num_rows // pieces)
            for number in range(pieces):
                pyarrow.parquet.write_table(table.slice(number * size, size), folder / f"{number}.parquet")


def test_what_an_earlier_release_had_keeps_its_number_without_a_path(tmp_path):
    game = Game(tmp_path / "game")
    game.write_traces(tmp_path / "traces")
    (tmp_path / "seekless.json").write_text(json.dumps({
        "content": ["game"], "traces": ["traces/*"], "outputs": {"packs": {"folder": "packs"}}, "lock": "layout.lock",
        "generations": {"max_dead": 0.9}}))
    seekless.build(tmp_path)
    before = Catalog.read(tmp_path / "packs")
    (game.folder / "readme.txt").write_bytes(b"other words, and more of them")
    seekless.build(tmp_path)
    after = Catalog.read(tmp_path / "packs")
    assert "" not in before.paths and before.paths.count("readme.txt") == 1
    stayed = ["" if path == "readme.txt" else path for path in before.paths]
    assert after.paths == ["readme.txt", *stayed]  # edits go to an overlay, which comes first
    sizes = {path: len(content) for path, content in game.one_name_space().items()} | {"readme.txt": 29, "": 0}
    assert after.sizes_bytes == [sizes[path] for path in after.paths]


def test_what_is_collected_is_what_was_sent(data_set, fleet):
    folder, collected = data_set
    scenarios = len(fleet.catalog.scenarios)
    assert (collected.uploads, collected.clients, collected.runs) == (80, 80, 80 * scenarios)
    assert collected.set_aside_uploads == collected.cut_off == collected.broken_runs == 0
    assert {part.scenario for part in DataSet(folder).parts()} == set(fleet.catalog.scenarios)
    reads = sum(pyarrow.parquet.read_metadata(file).num_rows for part in DataSet(folder).parts() for file in part.reads)
    assert reads == collected.opens


def test_an_upload_takes_at_most_two_bytes_an_open(uploads, data_set):
    assert sum(path.stat().st_size for path in uploads.iterdir()) <= 2 * data_set[1].opens


def test_statistics_and_profiles_are_the_same_bytes_however_the_set_is_cut(data_set, fleet, tmp_path):
    first = aggregate(data_set[0])
    first.write(tmp_path / "first")
    profile = profile_of(first, fleet.catalog, tmp_path / "first.json")
    for pieces, seed in ((1, 2), (3, 3), (17, 4)):
        recut(data_set[0], tmp_path / f"cut{pieces}", pieces, seed)
        again = aggregate(tmp_path / f"cut{pieces}", engine=DuckDb(memory="200MB", threads=1 + pieces % 2))
        again.write(tmp_path / f"again{pieces}")
        assert bytes_of(tmp_path / f"again{pieces}") == bytes_of(tmp_path / "first")
        assert profile_of(again, fleet.catalog, tmp_path / "again.json") == profile


def test_statistics_add_up_in_any_order(fleet, tmp_path):
    parts = []
    for number in range(3):
        uploads = Fleet(fleet.packs, seed=10 + number)
        folder = uploads.write(tmp_path / f"up{number}", clients=20)
        collect(folder, [fleet.catalog], tmp_path / f"set{number}")
        parts.append(aggregate(tmp_path / f"set{number}", settings=Settings(exemplars=25)))
    for number, order in enumerate(((0, 1, 2), (2, 1, 0), (1, 0, 2))):
        merge([parts[i] for i in order]).write(tmp_path / f"m{number}")
    merge([merge([parts[2], parts[0]]), parts[1]]).write(tmp_path / "m3")
    collect([tmp_path / f"up{number}" for number in range(3)], [fleet.catalog], tmp_path / "all")
    aggregate(tmp_path / "all", settings=Settings(exemplars=25)).write(tmp_path / "m4")
    assert all(bytes_of(tmp_path / f"m{n}") == bytes_of(tmp_path / "m0") for n in range(1, 5))
    assert Statistics.read(tmp_path / "m0").settings.exemplars == 25


def test_spark_answers_the_same(data_set, fleet, tmp_path):
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java: default-jre-headless")
    from seekless.fleet.engines import Spark
    aggregate(data_set[0]).write(tmp_path / "duckdb")
    aggregate(data_set[0], engine=Spark(threads=2)).write(tmp_path / "spark")
    assert bytes_of(tmp_path / "spark") == bytes_of(tmp_path / "duckdb")


def test_plan_takes_the_profile(data_set, fleet, project, tmp_path):
    write_profile(aggregate(data_set[0]), fleet.catalog, tmp_path / "profile.json")
    profile = seekless.read_profile(tmp_path / "profile.json")
    assert set(profile["scenario"].unique().to_pylist()) == set(fleet.catalog.scenarios)
    plan = seekless.plan(profile=tmp_path / "profile.json", content=project.content, output=tmp_path / "layout.json")
    assert {scenario["name"] for scenario in plan["scenarios"]} >= set(fleet.catalog.scenarios)


def test_what_few_clients_read_is_left_out(fleet, uploads, tmp_path):
    rare = max(set(range(len(fleet.catalog.paths))) - set(fleet.orders[0]), default=None)
    assert rare is not None
    folder = tmp_path / "uploads"
    shutil.copytree(uploads, folder)
    for number in range(4):
        (folder / f"rare{number}").write_bytes(fleet.upload(20_000, [0], order=[*fleet.orders[0][:5], rare]))
    collect(folder, [fleet.catalog], tmp_path / "set")
    statistics = aggregate(tmp_path / "set", settings=Settings(exemplars=1000))
    name = fleet.catalog.scenarios[0]
    for least, is_there in ((5, False), (4, True)):
        write_profile(statistics, fleet.catalog, tmp_path / "p.json", least_clients=least)
        rows = seekless.read_profile(tmp_path / "p.json").to_pylist()
        assert (fleet.catalog.paths[rare] in {row["path"] for row in rows if row["scenario"] == name}) == is_there


def test_a_client_weighs_no_more_than_another(fleet, uploads, tmp_path):
    folder = tmp_path / "uploads"
    shutil.copytree(uploads, folder)
    liar = fleet.token()
    for number in range(50):
        order = list(reversed(fleet.orders[0]))[number:]
        (folder / f"liar{number}").write_bytes(fleet.upload(20_000, [0], client=liar, order=order))
    collected = collect(folder, [fleet.catalog], tmp_path / "set")
    assert collected.runs_beyond_share == 40
    honest_set, lied_set = aggregate_of(uploads, fleet, tmp_path / "honest"), aggregate(tmp_path / "set")
    share = 2520  # weight of all of a client's runs of a scenario together
    rows = {row["scenario"]: row for row in lied_set.tables["scenarios"].to_pylist()}
    assert rows[fleet.catalog.scenarios[0]]["weight"] == 81 * share
    mean = {}
    for name, statistics in (("honest", honest_set), ("lied", lied_set)):
        sums = {}
        for row in statistics.tables["places"].to_pylist():
            if row["scenario"] == fleet.catalog.scenarios[0]:
                of = sums.setdefault(row["asset"], [0, 0])
                of[0] += row["weight"]
                of[1] += row["place_sum"]
        mean[name] = {asset: (weight, total / weight) for asset, (weight, total) in sums.items()}
    for asset, (weight, place) in mean["honest"].items():
        if asset in mean["lied"]:
            assert abs(mean["lied"][asset][1] - place) <= 4096 * share / (weight + share) + 1


def aggregate_of(uploads, fleet, folder):
    collect(uploads, [fleet.catalog], folder)
    return aggregate(folder)


def forged(fleet, rng, number):
    """Makes bytes from an attacker who knows the format, or doesn't."""
    sound = fleet.upload(20_000, [0])
    kind = number % 6
    if kind == 0:
        return rng.randbytes(rng.randrange(400))
    if kind == 1:
        return sound[:rng.randrange(64)]
    if kind == 2:
        damaged = bytearray(sound)
        damaged[rng.randrange(64)] ^= 1 << rng.randrange(8)
        return bytes(damaged)
    if kind == 3:
        other = seekless.fleet.Catalog(rng.getrandbits(64), ["a"], ["p"] * 9, [1] * 9)
        return seekless.fleet.write_upload(other, rng.randbytes(16), 20_000, [seekless.fleet.Run(0, [1, 2])])
    if kind == 4:
        return seekless.fleet.write_upload(fleet.catalog, rng.randbytes(16), 20_000,
                                           [seekless.fleet.Run(0, [len(fleet.catalog.paths) + 5])])
    return seekless.fleet.write_upload(fleet.catalog, rng.randbytes(16), 20_000,
                                       [seekless.fleet.Run(rng.choice([0, 99]), [3, 4, 3])])


def test_forged_uploads_are_nothing_but_a_count(fleet, uploads, data_set, tmp_path):
    rng = random.Random(7)
    folder = tmp_path / "uploads"
    shutil.copytree(uploads, folder)
    for number in range(10_000):
        (folder / f"forged{number:05}").write_bytes(forged(fleet, rng, number))
    collected = collect(folder, [fleet.catalog], tmp_path / "set")
    assert collected.uploads == 10_080 and collected.runs == data_set[1].runs
    assert collected.set_aside_uploads + collected.broken_runs >= 9_990  # a flipped bit may hit the day
    aggregate(data_set[0]).write(tmp_path / "sound")
    aggregate(tmp_path / "set").write(tmp_path / "forged")
    assert bytes_of(tmp_path / "forged") == bytes_of(tmp_path / "sound")


def test_the_same_upload_twice_counts_once(uploads, fleet, data_set, tmp_path):
    collected = collect([uploads, uploads], [fleet.catalog], tmp_path / "set")
    assert collected.repeated_runs == collected.runs == data_set[1].runs


SLOW_COLLECT = """
import sys
from seekless.fleet import Catalog, collect
module = sys.modules["seekless.fleet.collect"]
module._BATCH_FILES = module._ROWS_IN_FILE = 1
collect(sys.argv[1:3], [Catalog.read(sys.argv[3])], sys.argv[4])
"""


def test_a_collection_that_was_killed_is_no_data_set(uploads, fleet, data_set, tmp_path):
    folder, blocks = tmp_path / "set", tmp_path / "blocks"
    os.mkfifo(blocks)
    with subprocess.Popen([sys.executable, "-c", SLOW_COLLECT, uploads, blocks, fleet.packs, folder]) as child:
        with open(blocks, "wb"):  # blocks until the child waits for this content, after all uploads
            while not list(folder.glob("reads/*/*/*.parquet")):
                assert child.poll() is None
                time.sleep(0.01)
            with pytest.raises(seekless.Error, match="writes there"):
                collect(uploads, [fleet.catalog], folder)
            child.kill()
    with pytest.raises(seekless.DamagedError, match="was stopped"):
        aggregate(folder)
    assert collect(uploads, [fleet.catalog], folder) == data_set[1]
    aggregate(folder).write(tmp_path / "stats")
    assert not (folder / "unfinished").exists()
    with pytest.raises(seekless.UsageError, match="an empty one"):
        collect(uploads, [fleet.catalog], folder)


def test_two_collections_at_once_lose_nothing(uploads, fleet, data_set, tmp_path, monkeypatch):
    folder = tmp_path / "set"
    looked = DataSet._may_be_written

    def looks_and_is_late(self):
        may = looked(self)
        monkeypatch.setattr(DataSet, "_may_be_written", looked)
        assert collect(uploads, [fleet.catalog], folder) == data_set[1]
        return may
    folder.mkdir()
    monkeypatch.setattr(DataSet, "_may_be_written", looks_and_is_late)
    with pytest.raises(seekless.UsageError, match="just written"):
        collect(uploads, [fleet.catalog], folder)
    assert DataSet(folder).about()["collected"]["runs"] == data_set[1].runs
    assert len(DataSet(folder).parts()) == len(fleet.catalog.scenarios)


def full(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_folder_with_a_file_of_the_marks_name_is_left_alone(uploads, fleet, tmp_path):
    for content in ("", "mine"):
        folder = tmp_path / f"set{content}"
        (folder / "runs").mkdir(parents=True)
        (folder / "unfinished").write_text(content)
        with pytest.raises(seekless.UsageError, match="an empty one"):
            collect(uploads, [fleet.catalog], folder)
        assert sorted(path.name for path in folder.iterdir()) == ["runs", "unfinished"]


def test_nothing_stays_of_a_collection_that_failed(uploads, fleet, tmp_path, monkeypatch):
    monkeypatch.setattr(pyarrow.parquet, "write_table", full)
    with pytest.raises(OSError, match="No space"):
        collect(uploads, [fleet.catalog], tmp_path / "set")
    assert not (tmp_path / "set").exists()


def test_statistics_that_were_not_written_to_the_end_are_none(data_set, tmp_path, monkeypatch):
    statistics = aggregate(data_set[0])
    statistics.write(tmp_path / "stats")

    monkeypatch.setattr(pyarrow.parquet.ParquetWriter, "write_table", full)
    with pytest.raises(OSError, match="No space"):
        statistics.write(tmp_path / "stats")
    with pytest.raises(seekless.DamagedError, match="found no 'statistics.json'"):
        Statistics.read(tmp_path / "stats")


def test_duckdb_says_that_it_has_too_little_memory(uploads, project, tmp_path, capsys):
    packs, out = str(project.packs), str(tmp_path / "set")
    assert cli.main(["collect", str(uploads), "--packs", packs, "-o", out]) == 0
    assert cli.main(["aggregate", out, "-o", str(tmp_path / "stats"), "--memory", "1MB", "--threads", "1"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("seekless: error: DuckDB: ") and "--memory" in told and told.count("\n") == 1


def test_object_stores_are_read_as_folders_are(uploads, fleet, data_set, tmp_path):
    import fsspec
    memory = fsspec.filesystem("memory")
    for path in uploads.iterdir():
        memory.pipe(f"/bucket/day/{path.name}", path.read_bytes())
    assert collect("memory://bucket/day", [fleet.catalog], tmp_path / "set").runs == data_set[1].runs


def test_drift_names_the_scenario_that_changed(fleet, data_set, tmp_path):
    days = range(20_001, 20_007)
    changed = list(reversed(fleet.orders[0]))
    orders = {(0, day): changed for day in days if day >= 20_004}
    uploads = fleet.write(tmp_path / "uploads", clients=20, days=days, orders=orders)
    collect(uploads, [fleet.catalog], tmp_path / "now")
    found = drift(tmp_path / "now", fleet.catalog, data_set[0])
    assert [alarm.scenario for alarm in found.alarms] == [fleet.catalog.scenarios[0]]
    assert found.alarms[0].alarm_day == 20_004 and found.alarms[0].lost_seconds > 0
    assert fleet.catalog.scenarios[0] in drift_page(found)


def charged(fleet, scenario, count):
    """Returns the seconds that `drift` computes for the synthesised fleet's runs; they vary with swaps and missing
    assets."""
    runs = [fleet.run(scenario).assets for _ in range(count)]
    return _core.run_seconds(fleet.catalog.sizes_bytes, list(range(len(fleet.catalog.paths))), runs, "wd-black-1tb")


@pytest.mark.parametrize("recordings_a_day", [5, 20])
def test_a_stable_fleet_raises_no_alarm_in_a_thousand_days(fleet, recordings_a_day):
    for scenario in range(len(fleet.catalog.scenarios)):
        watch = Watch(charged(fleet, scenario, 500))
        assert watch.deviation > 0.005 * watch.mean, "runs that are all alike can raise no alarm"
        now = charged(fleet, scenario, 1000 * recordings_a_day)
        sums = [watch.add(day, now[day * recordings_a_day:][:recordings_a_day]).sum for day in range(1000)]
        assert max(sums) <= LIMIT and any(sums)


def test_a_small_loss_that_stays_is_found():
    rng = random.Random(6)
    watch = Watch([3 + rng.lognormvariate(0, 0.5) for _ in range(2000)])
    for day in range(30):
        watch.add(day, [3.35 + rng.lognormvariate(0, 0.5) for _ in range(50)])
    assert watch.is_alarmed


def test_the_command_line_goes_all_the_way(uploads, project, tmp_path, capsys):
    packs, out = str(project.packs), str(tmp_path / "set")
    assert cli.main(["collect", str(uploads), "--packs", packs, "-o", out]) == 0
    assert "80 clients" in capsys.readouterr().out
    assert cli.main(["aggregate", out, "-o", str(tmp_path / "stats"), "--packs", packs,
                     "--profile", str(tmp_path / "profile.json")]) == 0
    assert cli.main(["aggregate", str(tmp_path / "stats"), "-o", str(tmp_path / "again")]) == 0
    assert bytes_of(tmp_path / "again") == bytes_of(tmp_path / "stats")
    assert cli.main(["drift", out, "--packs", packs, "--reference", out, "--html", str(tmp_path / "d.html"),
                     "--json", str(tmp_path / "d.json")]) == 0
    assert (tmp_path / "d.html").read_text().startswith("<!doctype html>")
    assert cli.main(["collect", str(tmp_path / "missing"), "--packs", packs, "-o", out + "2"]) == 2
    assert cli.main(["drift", str(tmp_path), "--packs", packs, "--reference", out]) == 3
