"""Tables: the extension's columns agree with the command line's answers for the same files."""
import gzip
import json

import pytest
import seekless
from conftest import TOP

WARZONE = sorted((TOP / "integration/traces/warzone2100").glob("*.lz4"))


@pytest.mark.parametrize("path", WARZONE, ids=lambda path: path.name)
def test_a_trace_holds_what_import_counts(path, tmp_path):
    trace = seekless.read_trace(path)
    counted = seekless.import_traces(path, tmp_path / "out.jsonl")["inputs"][0]
    kinds = dict(zip(*[trace.events["kind"].value_counts().flatten()[i].to_pylist() for i in (0, 1)]))
    assert trace.events.num_rows == counted["events"] == trace.about["events"]
    assert kinds["read"] == counted["reads"] == trace.about["reads"]
    assert trace.about["read_bytes"] == counted["bytes"]
    assert set(trace.events["scenario"].unique().to_pylist()) == {counted["scenario"]}


def test_every_dialect_has_a_description():
    assert {"strace", "jarlog", "procmon-csv"} <= set(seekless.dialects())
    assert all(seekless.dialects().values())


def test_an_event_is_what_was_recorded(tmp_path):
    path = tmp_path / "boot.strace"
    path.write_text('7 1700000010.000000 openat(AT_FDCWD, "/a", O_RDONLY) = 3</a> <0.000010>\n'
                    '7 1700000010.500000 pread64(3</a>, ""..., 100, 4096) = 100 <0.002000>\n'
                    '7 1700000010.600000 openat(AT_FDCWD, "/b", O_RDONLY) = -1 ENOENT (No such file) <0.000010>\n')
    events = seekless.read_trace(path).events.to_pylist()
    assert [event["kind"] for event in events] == ["open", "read", "open"]
    read = events[1]
    assert (read["path"], read["offset_bytes"], read["length_bytes"], read["thread"]) == ("/a", 4096, 100, 7)
    assert read["start_ns"] - events[0]["start_ns"] == 500_000_000 and read["duration_ns"] == 2_000_000
    assert events[2]["os_error"] == 2
    packed = tmp_path / "boot.strace.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert seekless.read_trace(packed).events.to_pylist() == events


def test_what_is_not_known_is_null(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("textures/a.png\ntextures/b.png\n")
    events = seekless.read_trace(path, format="list").events
    assert events["length_bytes"].null_count == 2 and events["duration_ns"].null_count == 2


def test_marks_and_splits_begin_runs(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"seekless":"trace","version":1,"scenario":"boot"}\n{"path":"a"}\n{"read":5}\n'
                    '{"gap":10,"begins":"map/rush"}\n{"read":6}\n{"gap":5000000,"read":7}\n')
    rows = seekless.read_trace(path).events.to_pylist()
    assert [(row["run"], row["scenario"]) for row in rows] == [(0, "boot"), (1, "map/rush"), (1, "map/rush")]
    rows = seekless.read_trace(path, mark="3=late").events.to_pylist()
    assert rows[-1]["scenario"] == "late"


def test_batches_come_in_bounded_size_and_may_be_stopped(tmp_path):
    path = tmp_path / "x.jsonl"
    with path.open("w") as file:
        file.write('{"seekless":"trace","version":1}\n{"path":"a"}\n')
        for number in range(600_000):
            file.write(f'{{"gap":1,"read":4096,"at":{number * 8192 % 2**40}}}\n')
    sizes = []
    about = seekless.trace_batches(path, lambda batch: sizes.append(batch.num_rows))
    assert sum(sizes) == 600_000 == about["reads"] and max(sizes) == 2**18 and len(sizes) == 3

    def stop(batch):
        raise KeyError("enough")
    with pytest.raises(KeyError, match="enough"):
        seekless.trace_batches(path, stop)


def test_a_damaged_trace_names_its_line(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"seekless":"trace","version":1}\n{"path":"a"}\n{"read":-1}\n{"read":1}\n')
    with pytest.raises(seekless.DamagedError, match="line 3"):
        seekless.read_trace(path)
    lenient = seekless.read_trace(path, lenient=True)
    assert lenient.events.num_rows == 1 and lenient.about["unparsed_lines"] == 1


def test_names_that_are_not_utf8_are_readable(tmp_path):
    path = tmp_path / "x.strace"
    path.write_bytes(b'7 1700000010.000000 openat(AT_FDCWD, "/caf\xe9", O_RDONLY) = 3</caf\xe9> <0.000010>\n'
                     b'7 1700000010.500000 read(3</caf\xe9>, ""..., 100) = 100 <0.002000>\n')
    assert "/caf" in seekless.read_trace(path).events["path"][1].as_py()


def test_a_profile_is_its_file(project):
    table = seekless.read_profile(project.profile)
    file = json.loads(project.profile.read_text())
    rows = [(scenario["name"], number, rank, file["assets"][asset]) for scenario in file["scenarios"]
            for number, run in enumerate(scenario["runs"]) for rank, asset in enumerate(run["assets"])]
    assert [(row["scenario"], row["run"], row["rank"], row["path"]) for row in table.to_pylist()] == rows


def test_a_layout_holds_every_asset(project):
    table = seekless.read_layout(project.layout)
    assert set(table["path"].to_pylist()) == set(project.files)
    assert set(table["kind"].unique().to_pylist()) <= {"common", "sub", "cold"}
    unread = table.filter([kind == "cold" for kind in table["kind"].to_pylist()])
    assert set(unread["scenarios"].to_pylist()) == {0}
