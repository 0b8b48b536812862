"""The forecasts of `repack`: its gain, what one order costs, and which entries are better stored."""
import zipfile

import pytest

import zips
from archive_set import ArchiveSet
from game import noise
from strace_lines import read_of
from zips import Entry, archive

pytestmark = pytest.mark.skipif(not zips.have_readers(), reason="needs unzip, bsdtar and libzip")


@pytest.fixture
def games(tool, tmp_path):
    return ArchiveSet(tool, tmp_path)


def test_what_it_brings_is_told_when_it_is_done(games):
    games.read_backwards(games.add("a.zip", archive([Entry(f"{n}", noise(n, 300_000)) for n in range(9)])))
    told = games.repacked()["forecast"]
    assert told["scenarios"] and told == games.repacked("--dry-run")["forecast"]
    assert "Predicted" in games.repack().text


def test_what_one_order_costs_several_loads_is_told(games):
    path = games.add("a.zip", archive([Entry(f"{n:02}", noise(n, 400_000)) for n in range(30)]))
    offsets = zips.data_offsets(path)
    orders = {"up": range(30), "down": range(29, -1, -1), "even": range(0, 30, 2)}
    traces = []
    for name, order in orders.items():
        traces.append(games.trace.with_name(f"{name}.strace"))
        traces[-1].write_text("".join(f"{line}\n" for at_s, n in enumerate(order)
                                      for line in read_of(path, offsets[n], 400_000, at_s=at_s)))
    forecast = games.tool.json("repack", *traces, "--content", games.content, "-o", games.output, "--dry-run")["forecast"]
    together = sum(load["after"]["seconds"] for load in forecast["scenarios"])
    apart = sum(load["alone"]["seconds"] for load in forecast["scenarios"])
    swept = sum(load["swept_after_s"] for load in forecast["scenarios"])
    assert apart < 0.8 * together and swept < 0.9 * together
    for load in forecast["scenarios"]:  # 12 MB at 100 to 150 MB/s, a way to them, and for one gaps as long
        assert load["after"]["needed_bytes"] / 150e6 < load["swept_after_s"] < 12e6 / 100e6 + 0.04
        assert load["alone"]["seconds"] <= load["after"]["seconds"]
    (note,) = [note for note in forecast["notes"] if "One order serves 3 loads" in note]
    assert "With archives of their own" in note and "'warm', 'play'" in note


def test_one_load_has_an_order_of_its_own_anyway(games):
    games.read_backwards(games.add("a.zip", archive([Entry(f"{n}", noise(n, 300_000)) for n in range(9)])))
    forecast = games.repacked("--dry-run")["forecast"]
    assert forecast["scenarios"][0]["alone"] is None and forecast["notes"] == []


def stored_entries(answer):
    return sum(archive["unpacked_entries"] for archive in answer["archives"])


def test_deflated_entries_stay_so_where_that_pays(games):
    """For 27 MB of zeros that take 27 KB, the disk would need 0.2 s, and inflating takes 0.1 s."""
    games.read_backwards(games.add("a.zip", archive([Entry(f"{n}", bytes(3_000_000), 8) for n in range(9)])))
    best = games.repacked()
    assert stored_entries(best) == 0
    kept, stored = best["forecast"]["storing"]
    assert (kept["from_share"], stored["from_share"]) == (None, 0)
    assert kept["inflate_s"] == pytest.approx(27e6 / 300e6) and stored["inflate_s"] == 0
    assert kept["disk_s"] + kept["inflate_s"] < stored["disk_s"]
    assert "all kept deflated" in " ".join(best["forecast"]["notes"])
    forced = games.repacked("--compression", "store")
    assert stored_entries(forced) == 9 and forced["forecast"]["storing"] == []
    assert forced["forecast"]["scenarios"][0]["after"]["seconds"] == pytest.approx(stored["disk_s"])
    kept_alone = games.repacked("--keep-compression")["forecast"]
    assert kept_alone["scenarios"] == best["forecast"]["scenarios"] and kept_alone["storing"] == []


def test_entries_are_stored_that_deflating_hardly_shortens(games):
    entries = [Entry(f"{n}.jpg", noise(n, 900_000) + bytes(20_000), 8) for n in range(9)]
    entries += [Entry(f"{n}.txt", bytes(3_000_000), 8) for n in range(9)]
    games.read_backwards(games.add("a.zip", archive(entries)))
    best = games.repacked()
    assert best["forecast"]["storing"][0]["from_share"] == 0.9
    assert stored_entries(best) == 9
    with zipfile.ZipFile(games.output / "a.zip") as opened:
        assert {info.compress_type for info in opened.infolist() if info.filename.endswith("jpg")} == {0}
        assert {info.compress_type for info in opened.infolist() if info.filename.endswith("txt")} == {8}


def test_of_stored_entries_there_is_nothing_to_choose(games):
    games.read_backwards(games.add("a.zip", archive([Entry(f"{n}", noise(n, 90_000)) for n in range(9)])))
    assert games.repacked()["forecast"]["storing"] == []
