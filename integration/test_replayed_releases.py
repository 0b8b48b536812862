"""The short form of `script/bench updates`: real and made-up histories, replayed by the tool and by an independent
client. SEEKLESS_LONG=1 takes all releases of both games."""
import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="the histories' content needs numpy")
sys.path.insert(0, str(Path(__file__).resolve().parent / "updates"))
import replay_releases  # noqa: E402

LONG = os.environ.get("SEEKLESS_LONG") == "1"
ROW = "as it comes"


def replay(tool, tmp_path, builds, *options):
    [result] = replay_releases.main(["--binary", tool.binary, "--work", str(tmp_path), "--builds", str(builds), "--only", ROW,
                           *options])
    return result


def quantiles_of(rows):
    return replay_releases.per_edited(replay_releases.ordinary(rows), "written")


@pytest.mark.parametrize("name", ["openra"] + (["freedoom"] if LONG else []))
def test_a_real_history_meets_its_goals(tool, tmp_path, name):
    result = replay(tool, tmp_path, 49 if LONG else 9, "--history", name)
    median, _, worst = quantiles_of(result["rows"][ROW])
    assert median <= 6 and worst <= 25
    assert replay_releases.per_edited(result["hot-fixes"], "written")[0] <= 25
    whole = {row["build"]: row["one archive"] for row in result["others"]}
    assert all(row["written"] <= whole[row["build"]] for row in result["rows"][ROW] if not row["ordinary"])
    for found in result["sweeps"]:
        kept, fresh = found["kept"], found["fresh"]
        both = [name for name in kept if name in fresh]
        slower = sum(kept[name][0] for name in both) / sum(fresh[name][0] for name in both)
        assert slower <= 1.02 or all(kept[name][1] <= fresh[name][1] + 1 for name in both)
    check_forecasts(result["forecasts"])


def check_forecasts(rows):
    """Compares with the counts of a client that really updated the files, for each release and in sum."""
    assert len(rows) >= 4
    for row in rows:
        assert row["forecast"]["written_bytes"] == pytest.approx(row["written"], rel=0.05), row
        if row["cut"] == "grid":
            assert row["forecast"]["downloaded_bytes"] == pytest.approx(row["downloaded"], rel=0.05), row
    for cut in ("grid", "chunks"):
        of = [row for row in rows if row["cut"] == cut]
        real = sum(row["downloaded"] for row in of)
        assert sum(row["forecast"]["downloaded_bytes"] for row in of) == pytest.approx(real, rel=0.05), cut


def test_a_history_that_is_made_up_meets_its_goals(tool, tmp_path):
    """Uses hot and cold folders, an upgrade of 40 % and a rename of a third: fifty releases."""
    result = replay(tool, tmp_path, 49, "--generated", "2" if LONG else "0.1")
    median, _, worst = quantiles_of(result["rows"][ROW])
    assert median <= 6 and worst <= 25
    whole = {row["build"]: row["one archive"] for row in result["others"]}
    assert all(row["written"] <= whole[row["build"]] for row in result["rows"][ROW] if not row["ordinary"])
