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


def test_text_as_powershell_writes_it_is_read_by_every_command(tool, content, tmp_path):
    """PowerShell's '>' writes UTF-16 with a mark; notepad puts one before UTF-8."""
    (tmp_path / "boot.txt").write_bytes("menu.txt\r\nrush.dat\r\n".encode("utf-16"))
    answer = tool.json("profile", tmp_path / "boot.txt", "--content", content, "-o", tmp_path / "p.json")
    assert scenarios(answer) == {"boot": 2}
    for name, encoding in (("p16.json", "utf-16"), ("p8.json", "utf-8-sig")):
        (tmp_path / name).write_bytes((tmp_path / "p.json").read_text().encode(encoding))
        tool.ok("plan", "--profile", tmp_path / name, "--content", content, "-o", tmp_path / "l.json")
    (tmp_path / "l16.json").write_bytes((tmp_path / "l.json").read_text().encode("utf-16"))
    tool.ok("pack", tmp_path / "l16.json", "-o", tmp_path / "packs")
    drive = tool.ok("drive", "show", "wd-black-1tb", "--json", "-").text
    (tmp_path / "d.json").write_bytes(drive.encode("utf-16"))
    tool.ok("plan", tmp_path / "boot.txt", "--content", content, "--drive", tmp_path / "d.json", "-o", tmp_path / "l.json")


def test_a_trace_of_opens_alone_counts_whole_files_and_says_so(tool, tmp_path):
    folder = tmp_path / "g"
    folder.mkdir()
    for i in range(3):
        (folder / f"t{i}.bin").write_bytes(bytes(5000))
    trace = tmp_path / "opens.strace"
    trace.write_text("".join(f'170000000{i}.0 openat(AT_FDCWD, "/g/t{i}.bin", O_RDONLY) = {i + 3}\n' for i in (2, 0, 1)))
    for command in (["import", trace, "-o", tmp_path / "o.jsonl"],
                    ["profile", trace, "--map", f"/g={folder}", "--content", folder, "-o", tmp_path / "p.json"],
                    ["plan", trace, "--map", f"/g={folder}", "--content", folder, "-o", tmp_path / "l.json"]):
        assert "no read was recorded, so each file that was opened counts as read whole" in tool.ok(*command).err
    answer = tool.json("profile", tmp_path / "o.jsonl", "--map", f"/g={folder}", "--content", folder, "-o", tmp_path / "p.json")
    assert list(scenarios(answer).values()) == [3]


def test_a_trace_without_any_read_does_not_blame_the_folder(tool, content, tmp_path):
    trace = tmp_path / "none.strace"
    trace.write_text('1.0 openat(AT_FDCWD, "/g/none", O_RDONLY) = -1 ENOENT (No such file or directory)\n')
    assert "nothing was read" in tool.ok("import", trace, "-o", tmp_path / "o.jsonl").err
    refused = tool.run("plan", trace, "--content", content, "-o", tmp_path / "l.json")
    refused.says("no read of any file", "record it again")


def test_names_of_the_content_win_over_what_lists_say_besides(tool, content, tmp_path):
    (tmp_path / "boot.txt").write_text("menu.txt 1\nrush.dat 2\nmap/rush.wrf 3\n")
    answer = tool.ok("profile", tmp_path / "boot.txt", "--content", content, "-o", tmp_path / "p.json", "--json", "-")
    assert scenarios(answer.json) == {"boot": 3}
    assert "a number behind it" in answer.err
    for i, name in enumerate(("menu.txt", "rush.dat", "map/rush.wrf"), 1):
        path = tmp_path / "numbered" / f"{name} {i}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    answer = tool.ok("profile", tmp_path / "boot.txt", "--content", tmp_path / "numbered", "-o", tmp_path / "p.json",
                     "--json", "-")
    assert scenarios(answer.json) == {"boot": 3}
    assert "a number behind it" not in answer.err


def test_brackets_in_a_folders_name_are_no_set(tool, tmp_path):
    folder = tmp_path / "Quest [GOTY]"
    folder.mkdir()
    (tmp_path / "t.txt").write_text(f"{folder}/a.pak\n{tmp_path}/other/b.pak\n")
    answer = tool.json("import", tmp_path / "t.txt", "-o", tmp_path / "o.jsonl", "--only", f"{folder}/**")
    assert answer["inputs"][0]["reads"] == 1
    for name in ("a.pak", "b.pak"):
        (folder / name).write_text(name)
    answer = tool.json("profile", tmp_path / "t.txt", "--content", tmp_path, "--exclude", "Quest [GOTY]/b*", "-o",
                       tmp_path / "p.json")
    assert list(scenarios(answer).values()) == [1]
