"""Traces of other tools, packed or with names made to deceive, through the commands that read them."""
import gzip
import zipfile

import pytest


@pytest.fixture
def content(tmp_path):
    folder = tmp_path / "content"
    folder.mkdir()
    with zipfile.ZipFile(folder / "base.zip", "w") as archive:
        for name in ("menu.txt", "map/rush.wrf", "rush.dat", "map/high.wrf", "high.dat"):
            archive.writestr(name, name * 10)
    return folder


def scenarios(answer):
    return {scenario["name"]: scenario["assets"] for scenario in answer["scenarios"]}


def test_split_begins_scenarios_with_entries_of_archives(tool, content, tmp_path):
    (tmp_path / "play.txt").write_text("menu.txt\nmap/rush.wrf\nrush.dat\nmap/high.wrf\nhigh.dat\n"
                                       "map/rush.wrf\n")
    answer = tool.json("profile", tmp_path / "play.txt", "--split", "map/*.wrf", "--content", content,
                       "-o", tmp_path / "p.json")
    assert scenarios(answer) == {"play": 1, "rush": 2, "high": 3}


def test_mark_begins_a_scenario_at_a_time(tool, content, tmp_path):
    (tmp_path / "play.txt").write_text("menu.txt\nrush.dat\nhigh.dat\n")
    answer = tool.json("profile", tmp_path / "play.txt", "--mark", "0.000001=later", "--content",
                       content, "-o", tmp_path / "p.json")
    assert scenarios(answer) == {"play": 1, "later": 2}
    tool.run("profile", tmp_path / "play.txt", "--mark", "soon=later", "--content", content, "-o",
             tmp_path / "p.json").says("--mark", "TIME=NAME")


def test_what_is_not_of_the_content_is_listed_and_made_safe(tool, content, tmp_path):
    trace = tmp_path / "t.strace"
    trace.write_bytes(
        f'1 1.0 pread64(3<{content}/base.zip>, "", 700, 0) = 700\n'.encode()
        + b'1 1.1 pread64(4</x/\\33[31m\\n<b>\\377.pak>, "", 900, 0) = 900\n'.replace(b"<b>", b"b")
        + b'1 1.2 mmap(NULL, 9000, PROT_READ, MAP_PRIVATE, 5</usr/lib/libc.so.6>, 0) = 0x7f0000\n')
    answer = tool.ok("profile", trace, "--content", content, "-o", tmp_path / "p.json", "--verbose")
    assert "/x/\\x1b[31m\\x0ab\\xff.pak" in answer.text
    assert "/usr/lib/libc.so.6" in answer.text and "\x1b" not in answer.text + answer.err
    assert "only 44 % of the bytes read" in answer.err
    listed = tool.json("profile", trace, "--content", content, "-o", tmp_path / "p.json")["traces"]
    assert [one["bytes"] for one in listed[0]["unmapped"]] == [9000, 900]


def test_the_systems_own_files_are_no_reason_to_warn(tool, content, tmp_path):
    trace = tmp_path / "t.strace"
    trace.write_text(
        f'1 1.0 pread64(3<{content}/base.zip>, "", 700, 0) = 700\n'
        '1 1.2 mmap(NULL, 9000, PROT_READ, MAP_PRIVATE, 5</usr/lib/libc.so.6>, 0) = 0x7f0000\n')
    assert tool.ok("profile", trace, "--content", content, "-o", tmp_path / "p.json").err == ""


def test_packed_traces_and_standard_input_are_read(tool, tmp_path):
    text = b"/g/a.pak\n/g/b.pak\n"
    with zipfile.ZipFile(tmp_path / "z.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("z.txt.gz", gzip.compress(text))
    for how in ({"input": text}, {"input": gzip.compress(text)}):
        answer = tool.json("import", "-", "-o", tmp_path / "o.jsonl", **how)
        assert answer["inputs"][0]["reads"] == 2
    assert tool.json("import", tmp_path / "z.zip", "-o", tmp_path / "o.jsonl")["inputs"][0]["reads"] == 2
