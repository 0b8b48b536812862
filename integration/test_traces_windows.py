"""Logs of Windows' tools, from the original file to reads and assets: Process Monitor's CSV and PML, and xperf's dumper
text. Real logs lie beside the clone, compressed; if they are missing, the tests that need them are skipped."""
import csv
import io
import json
import lzma
import os
import zipfile
from pathlib import Path

import pytest

from game import info, noise
from tool import DAMAGED, TOP

SAMPLES = Path(os.environ.get("SEEKLESS_SAMPLES", TOP.parent / "shared" / "samples"))
# From the samples' README: rows of ReadFile, including paging and reads at a file's end.
ROWS = {"all": 1381, "paging": 171, "paging_explained": 0, "at_end": 5, "failed": 0}
COLUMNS = ["Time of Day", "Process Name", "PID", "Operation", "Path", "Result", "Detail"]


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    for ending in ("csv", "pml"):
        packed = SAMPLES / f"procmon-64bit-utc.{ending}.xz"
        if not packed.exists():
            pytest.skip(f"no {packed}; SEEKLESS_SAMPLES names the folder of real logs")
        with lzma.open(packed) as file:
            (folder / f"session.{ending}").write_bytes(file.read())
    return folder


@pytest.fixture(scope="module")
def sample_rows(samples):
    text = (samples / "session.csv").read_text(encoding="utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def imported(tool, log, output):
    """Returns import's answer for one log, and its trace's lines without the header."""
    [answer] = tool.json("import", log, "-o", output)["inputs"]
    header, *lines = output.read_text().splitlines()
    assert json.loads(header)["dialect"] == answer["dialect"]
    return answer, lines


def write_csv(path, rows, columns):
    with open(path, "w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, columns, quoting=csv.QUOTE_ALL, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)


def test_csv_and_pml_of_a_real_session_give_the_same(tool, samples, tmp_path):
    of_csv, csv_lines = imported(tool, samples / "session.csv", tmp_path / "csv.jsonl")
    of_pml, pml_lines = imported(tool, samples / "session.pml", tmp_path / "pml.jsonl")
    assert (of_csv["dialect"], of_pml["dialect"]) == ("procmon-csv", "procmon-pml")
    assert csv_lines == pml_lines
    for answer in (of_csv, of_pml):
        assert answer["read_rows"] == ROWS
        assert answer["reads"] == 1376
        assert answer["unparsed_lines"] == 0


def test_reads_of_a_real_session_are_those_that_python_finds(tool, samples, sample_rows, tmp_path):
    _, lines = imported(tool, samples / "session.csv", tmp_path / "csv.jsonl")
    rows = [row for row in sample_rows if row["Operation"] == "ReadFile" and row["Result"] == "SUCCESS"]
    lengths = [int(row["Detail"].split("Length: ")[1].split(", ")[0].replace(",", "")) for row in rows]
    answer = tool.json("import", samples / "session.csv", "-o", tmp_path / "again.jsonl")["inputs"][0]
    assert answer["reads"] == len(rows)
    assert answer["bytes"] == sum(lengths)
    assert {json.loads(line)["path"] for line in lines if line.startswith('{"path"')} >= {
        row["Path"] for row in rows}


def test_columns_left_out_and_reordered_change_no_read(tool, samples, sample_rows, tmp_path):
    few = ["Detail", "Path", "Result", "Operation", "PID", "Process Name", "Time of Day"]
    write_csv(tmp_path / "few.csv", sample_rows, few)
    answer, _ = imported(tool, tmp_path / "few.csv", tmp_path / "few.jsonl")
    assert answer["read_rows"] == ROWS
    assert (answer["reads"], answer["bytes"]) == (1376, 4268079)


class WindowsGame:
    """A zip of stored entries, and a log of Process Monitor that reads some of them in pieces, under
    the names that they had on another machine."""
    ROOT = r"C:\Games\X"

    def __init__(self, folder):
        self.content = folder / "content"
        self.content.mkdir()
        with zipfile.ZipFile(self.content / "base.zip", "w") as archive:
            for number in range(5):
                archive.writestr(info(f"d/{number}.bin"), noise(number, 20_000))
        (self.content / "loose.dat").write_bytes(noise(9, 50_000))
        with zipfile.ZipFile(self.content / "base.zip") as archive:
            self.places = {entry.filename: entry.header_offset for entry in archive.infolist()}

    def rows(self):
        rows = []

        def add(operation, path, detail, result="SUCCESS"):
            rows.append({"Time of Day": f"18:11:{len(rows):02},4818361", "Process Name": "x.exe",
                         "PID": "7", "Operation": operation, "Path": path, "Result": result,
                         "Detail": detail})

        def number(value):
            return f"{value:,}".replace(",", ".")

        add("CreateFile", r"C:\Games\X\gone.dat", "Desired Access: Generic Read", "NAME NOT FOUND")
        for spelling, name in ((r"C:\GAMES\x\BASE.zip", "d/3.bin"), (r"c:\games\X\base.ZIP", "d/1.bin")):
            place = self.places[name] + 200
            for offset in range(place, place + 16384, 8192):
                add("ReadFile", spelling, f"Offset: {number(offset)}, Length: 8.192")
        add("ReadFile", r"C:\games\x\Loose.DAT", "Offset: 0, Length: 50.000")
        add("ReadFile", r"C:\Games\X\BASE.ZIP",
            f"Offset: {number(self.places['d/3.bin'])}, Length: 4.096, I/O Flags: Non-cached, Paging I/O")
        return rows

    def wanted(self):
        return ["base.zip/d/3.bin", "base.zip/d/1.bin", "loose.dat"]


@pytest.fixture
def windows_game(tmp_path):
    return WindowsGame(tmp_path)


def assets_of(profile):
    """Paths in the order of the first run's first reads."""
    answer = json.loads(profile.read_text())
    [scenario] = answer["scenarios"]
    [run] = scenario["runs"]
    return [answer["assets"][number] for number in run["assets"]]


@pytest.mark.parametrize("rule", [r"c:\games\x", "C:/Games/X/"])
def test_windows_paths_of_any_case_are_mapped_onto_entries(tool, windows_game, tmp_path, rule):
    log = tmp_path / "load.csv"
    write_csv(log, windows_game.rows(), COLUMNS)
    content = ["--content", windows_game.content, "--map", f"{rule}={windows_game.content}"]
    profile = tmp_path / "profile.json"
    answer = tool.json("profile", log, *content, "-o", profile)
    assert answer["assets"] == 3
    assert [Path(asset).name for asset in assets_of(profile)] == ["3.bin", "1.bin", "loose.dat"]
    plan = tool.json("plan", log, *content, "-o", tmp_path / "layout.json")
    assert sum(pack["assets"] for pack in plan["packs"] if pack["kind"] != "cold") == 3
    assert plan["gone"] == []


def test_counts_of_a_small_log(tool, windows_game, tmp_path):
    write_csv(tmp_path / "load.csv", windows_game.rows(), COLUMNS)
    answer, _ = imported(tool, tmp_path / "load.csv", tmp_path / "load.jsonl")
    assert answer["read_rows"] == {"all": 6, "paging": 1, "paging_explained": 1, "at_end": 0, "failed": 0}
    assert answer["reads"] == 5
    told = tool.ok("import", tmp_path / "load.csv", "-o", tmp_path / "again.jsonl").text
    assert "6 rows of reads, 1 of them paging" in told


@pytest.mark.parametrize("only", [r"C:\Games\X\*.zip", "c:/games/x/BASE.*"])
def test_what_is_kept_is_named_as_windows_names_it(tool, windows_game, tmp_path, only):
    write_csv(tmp_path / "load.csv", windows_game.rows(), COLUMNS)
    [answer] = tool.json("import", tmp_path / "load.csv", "-o", tmp_path / "load.jsonl", "--only", only)["inputs"]
    assert answer["reads"] == 4  # another read is of loose.dat


def test_the_csv_of_another_tool_is_refused_by_what_it_lacks(tool, tmp_path):
    (tmp_path / "sales.csv").write_text('"Region","Month","Total"\n"North","May","7"\n')
    answer = tool.run("import", tmp_path / "sales.csv", "-o", tmp_path / "out.jsonl")
    assert answer.code == DAMAGED
    answer.says("sales.csv", "Process Monitor", "'Operation'")
    assert not (tmp_path / "out.jsonl").exists()


XPERF_HEADER = """BeginHeader
 FileIoRead,  TimeStamp,     Process Name ( PID),   ThreadID, IrpPtr, FileObject, ByteOffset, Size, Flags, FileName
   DiskRead,  TimeStamp,     Process Name ( PID),   ThreadID, IrpPtr, ByteOffset, IOSize, ElapsedTime, FileObject, FileName
EndHeader
"""


def test_a_log_of_xperf_is_mapped_onto_entries(tool, windows_game, tmp_path):
    place = windows_game.places["d/2.bin"] + 100
    log = tmp_path / "load.txt"
    log.write_text(XPERF_HEADER + "".join(
        f' FileIoRead, {100 + number}, x.exe (7), 8, 0xa{number}, 0xb0, {place + number * 4096:#012x}, '
        f'0x00001000, 0x00060900, "C:\\Games\\X\\Base.zip"\n' for number in range(3))
        + ' DiskRead, 90, x.exe (7), 8, 0xa9, 0x018f0b8000, 0x00001000, 60, 0xb0, "C:\\Games\\X\\Base.zip"\n',
        newline="\r\n")
    profile = tmp_path / "profile.json"
    tool.json("profile", log, "--content", windows_game.content, "--map",
              f"C:\\Games\\X={windows_game.content}", "-o", profile)
    assert [Path(asset).name for asset in assets_of(profile)] == ["2.bin"]
