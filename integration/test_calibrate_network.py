"""`seekless drive calibrate` on a file of another machine: sshfs over a relay with a round trip and a rate."""
import json

import pytest

import slow_network
from game import noise
from test_play import pytestmark  # noqa: F401
from tool import FAILED, check_schema

pytestmark = [*pytestmark, pytest.mark.skipif(slow_network.why_not() is not None, reason=slow_network.why_not() or "")]
ROUND_TRIP_MS, RATE = 20, 8_000_000


@pytest.fixture
def file(tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "game.img").write_bytes(noise(1, 8 << 20))
    return tmp_path / "folder" / "game.img"


def calibrate(tool, file, tmp_path):
    return tool.run("drive", "calibrate", file, "-o", tmp_path / "net.json", "--seconds", "10", "--json", tmp_path / "r.json")


def test_it_finds_the_round_trip_and_that_several_reads_bring_more(tool, file, tmp_path):
    with slow_network.mounted(tmp_path / "source", file.parent, ROUND_TRIP_MS, RATE):
        answer = calibrate(tool, file, tmp_path)
        assert answer.code == 0, answer.err
    result = json.loads((tmp_path / "r.json").read_text())
    check_schema(result, "results/drive")
    network = result["network"]
    # These are the best values that the relay allows; a busy machine makes all of them worse.
    assert network["round_trip_ms"] >= ROUND_TRIP_MS and network["bytes_per_s"] <= 1.05 * RATE
    assert network["reads_at_once"] >= 1 and network["bytes_per_s"] >= network["alone_bytes_per_s"]
    profile = json.loads((tmp_path / "net.json").read_text())
    assert profile["latency_ms"] == min(network["round_trip_ms"], 100)


def test_a_server_that_is_lost_is_an_error(tool, file, tmp_path):
    with slow_network.mounted(tmp_path / "source", file.parent, ROUND_TRIP_MS, RATE) as network:
        network.stop()
        answer = calibrate(tool, file, tmp_path)
    assert answer.code == FAILED
    answer.says("expected an answer of its server within 5 s, found none")
    assert not (tmp_path / "net.json").exists()
