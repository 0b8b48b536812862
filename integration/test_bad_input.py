"""Every fault of an input gives the right exit code, a message that names the file, the place and what to do, and
nothing half-written on disk. A crash, a signal or a hang fails any of these tests (see Tool.run)."""
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import time
import zipfile

import pytest
import xxhash

import skl_reader
from game import info, noise
from tool import DAMAGED, FAILED, USAGE, check_schema, strace_can_inject, tree

WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search",
                  "--inh-caps=-dac_override,-dac_read_search"]


class Bench:
    """A folder for experiments, with a small content, its trace and its layout."""

    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder
        self.content = folder / "content"
        self.content.mkdir()
        self.zip = self.content / "data.wz"
        with zipfile.ZipFile(self.zip, "w") as archive:
            for number in range(4):
                archive.writestr(info(f"d/{number}.bin"), noise(number, 20_000))
            archive.writestr(info("d/text", zipfile.ZIP_DEFLATED), b"a line of text\n" * 5000)
        self.loose = self.content / "loose.bin"
        self.loose.write_bytes(noise(9, 300_000))
        self.trace = folder / "load.strace"
        self.record(self.loose)
        self.layout = folder / "layout.json"
        self.packs = folder / "packs"

    def record(self, file, size_bytes=1000):
        self.trace.write_text(f'7 1.0 openat(AT_FDCWD</>, "{file}", O_RDONLY) = 3<{file}>\n'
                              f'7 1.1 read(3<{file}>, ""..., {size_bytes}) = {size_bytes}\n')

    def plan(self, *options):
        return self.tool.run("plan", self.trace, "--content", self.content, "-o", self.layout, *options)

    def pack(self, *options):
        return self.tool.run("pack", self.layout, "-o", self.packs, *options)

    def planned(self):
        assert self.plan().code == 0
        return self

    def packed(self):
        assert self.planned().pack().code == 0
        return self


@pytest.fixture
def bench(tool, tmp_path):
    return Bench(tool, tmp_path)


def refused(bench, code, run, *parts):
    """Checks that `run` fails as it should, and that everything on disk is unchanged."""
    before = tree(bench.folder)
    answer = run().says(*parts)
    assert answer.code == code, answer.err
    assert tree(bench.folder) == before
    return answer


# ---- files that aren't there, or can't be read ------------------------------------------------

def test_missing_files_are_named(bench):
    gone = bench.folder / "gone"
    for command, code in {
            ("import", gone, "-o", bench.folder / "t.jsonl"): FAILED,
            ("plan", gone, "--content", bench.content, "-o", bench.layout): FAILED,
            ("plan", bench.trace, "--content", gone, "-o", bench.layout): USAGE,
            ("plan", "--profile", gone, "--content", bench.content, "-o", bench.layout): FAILED,
            ("pack", gone, "-o", bench.packs): FAILED,
            ("verify", gone): FAILED, ("info", "--assets", gone): FAILED, ("info", gone): FAILED,
            ("extract", "-o", "-", gone, "a"): FAILED,
            ("extract", gone, "-o", bench.folder / "out"): FAILED}.items():
        refused(bench, code, lambda: bench.tool.run(*command), gone)


def test_missing_asset_is_named(bench):
    bench.packed()
    refused(bench, FAILED, lambda: bench.tool.run("extract", "-o", "-", bench.packs, "d/9.bin"), "d/9.bin", "info --assets")


@pytest.mark.parametrize("which", ["zip", "loose", "trace", "layout", "pack"])
def test_unreadable_files_are_named(bench, which):
    bench.packed()
    file = {"pack": bench.packs / "load.skl"}.get(which) or getattr(bench, which)
    command = {"pack": ("verify", bench.packs), "layout": ("pack", bench.layout, "-o", bench.packs),
               "loose": ("pack", bench.layout, "-o", bench.packs)}.get(
        which, ("plan", bench.trace, "--content", bench.content, "-o", bench.layout))
    before = tree(bench.folder)
    file.chmod(0)
    prefix = WITHOUT_RIGHTS if os.geteuid() == 0 else []
    answer = bench.tool.run(*command, prefix=prefix)
    file.chmod(0o644)
    assert tree(bench.folder) == before
    if which == "pack":  # verify reports unreadable files and continues; that isn't damage
        assert answer.says("load.skl", "Permission denied", "nothing was found damaged").code == FAILED
        assert "load.skl" in answer.text
    else:
        assert answer.says(file, "Permission denied").code == FAILED


@pytest.fixture
def circle(bench):
    (bench.content / "deep").mkdir()
    (bench.content / "deep" / "back").symlink_to(bench.content)
    return bench


def test_links_that_lead_in_a_circle_are_told_and_passed_over(circle):
    answer = circle.plan()
    assert answer.code == 0 and circle.layout.exists()
    assert "1 link that leads nowhere, or back to a folder" in answer.err and "deep/back" in answer.err, answer.err
    assert circle.plan("--strict").says("deep/back", "a link back to", "--exclude").code == DAMAGED


@pytest.mark.parametrize("pattern", ["back", "deep/back", "deep/back/**", "deep/*"])
def test_links_that_lead_in_a_circle_may_be_left_out(circle, pattern):
    answer = circle.plan("--strict", "--exclude", pattern)
    assert answer.code == 0 and answer.err == ""


@pytest.mark.parametrize("command", ["analyze", "profile", "where", "warm", "place", "repack", "overlay", "init", "build"])
def test_no_command_is_stopped_by_a_circle(circle, command):
    content, trace, out = circle.content, circle.trace, circle.folder / "out"
    if command in ("init", "build"):
        circle.tool.ok("init", circle.folder)
    if command in ("repack", "overlay"):
        circle.record(circle.zip)
    circle.tool.ok(*{
        "analyze": ("analyze", trace, "--content", content),
        "profile": ("profile", trace, "--content", content, "-o", out),
        "where": ("where", content),
        "warm": ("warm", trace, "--content", content, "--dry-run"),
        "place": ("place", content, trace, "--dry-run"),
        "repack": ("repack", trace, "--content", content, "-o", out),
        "overlay": ("repack", trace, "--content", content, "--overlay", "zz.wz", "--force"),
        "init": ("--version",),
        "build": ("build", circle.folder)}[command])


def test_a_folder_that_is_left_out_needs_no_rights(bench):
    (bench.content / "private").mkdir(mode=0)
    prefix = WITHOUT_RIGHTS if os.geteuid() == 0 else []
    plan = ("plan", bench.trace, "--content", bench.content, "-o", bench.layout)
    assert bench.tool.run(*plan, prefix=prefix).says("private", "Permission denied").code == FAILED
    assert bench.tool.run(*plan, "--exclude", "private/**", prefix=prefix).code == 0


# ---- archives ---------------------------------------------------------------------------------

def damage(path, place, value=None):
    data = bytearray(path.read_bytes())
    data[place] = data[place] ^ 0x10 if value is None else value
    path.write_bytes(data)


def directory_start(path):
    with zipfile.ZipFile(path) as archive:
        return archive.start_dir


def test_bad_central_directories_are_refused(bench):
    start = directory_start(bench.zip)
    whole = bench.zip.read_bytes()
    for what, place, bits in [("signature", 0, 0xFF), ("stored size", 23, 0x7F), ("name length", 29, 0x70),
                              ("header offset", 45, 0x7F)]:
        data = bytearray(whole)
        data[start + place] ^= bits
        bench.zip.write_bytes(data)
        refused(bench, DAMAGED, bench.plan, bench.zip, "expected", "found", ";")
    for cut in [len(whole) - 1, len(whole) - 22, start + 10, start, 5000]:
        bench.zip.write_bytes(whole[:cut])
        refused(bench, DAMAGED, bench.plan, bench.zip)


def test_bits_flipped_in_an_archive_never_crash_plan_or_pack(bench):
    whole = bench.zip.read_bytes()
    start = directory_start(bench.zip)
    rng = random.Random(1)
    outcomes = set()
    for _ in range(60):
        place = rng.randrange(start, len(whole))
        data = bytearray(whole)
        data[place] ^= 1 << rng.randrange(8)
        bench.zip.write_bytes(data)
        answer = bench.plan()
        if answer.code == 0:
            answer = bench.pack()
        outcomes.add(answer.code)
        assert answer.code in (0, DAMAGED), answer.err
    assert DAMAGED in outcomes


def test_wrong_crc_names_the_entry(bench):
    bench.planned()
    damage(bench.zip, 10_000)
    refused(bench, DAMAGED, bench.pack, bench.zip, "d/0.bin", "CRC-32", "get it again")


def test_broken_deflate_stream_names_the_entry(bench):
    bench.planned()
    with zipfile.ZipFile(bench.zip) as archive:
        entry = archive.getinfo("d/text")
    damage(bench.zip, entry.header_offset + 30 + 6 + 20)
    refused(bench, DAMAGED, bench.pack, bench.zip, "d/text")


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/etc/evil", "C:/evil", "a//../b", "..",
                                  "a/./b/..", "bell\a", "x" * 65_535])
def test_names_that_lead_elsewhere_are_left_out_or_refused(bench, name):
    with zipfile.ZipFile(bench.zip, "a") as archive:
        archive.writestr(info(name), b"evil")
    answer = refused(bench, DAMAGED, lambda: bench.plan("--strict"), bench.zip, "expected a relative path", "exclude")
    assert len(answer.err) < 2000 and "\a" not in answer.err
    answer = bench.plan()
    assert answer.code == 0 and str(bench.zip) in answer.err
    assert len(answer.err) < 2000 and "\a" not in answer.err
    assert all(b"evil" not in bytes_ for bytes_ in tree(bench.packed().packs).values())


def test_excluding_a_bad_name_lets_the_rest_be_packed(bench):
    with zipfile.ZipFile(bench.zip, "a") as archive:
        archive.writestr(info("evil/../../x"), b"evil")
    assert bench.plan("--exclude", "evil/**").code == 0


def test_names_that_exclude_each_other_are_both_named(bench):
    (bench.content / "d").mkdir()
    (bench.content / "d" / "0.bin").mkdir()
    (bench.content / "d" / "0.bin" / "below").write_bytes(b"x")
    refused(bench, DAMAGED, bench.plan, "d/0.bin", "d/0.bin/below", "rename")


def test_names_that_differ_in_case_collide_only_when_folded(bench):
    with zipfile.ZipFile(bench.zip, "a") as archive:
        archive.writestr(info("D/0.BIN"), b"x")
    refused(bench, DAMAGED, lambda: bench.plan("--fold-case"), "d/0.bin", "D/0.BIN", "rename")
    assert bench.plan().code == 0


def test_of_duplicates_in_one_archive_the_last_wins_and_the_other_is_told(bench):
    with pytest.warns(UserWarning, match="Duplicate name"):
        with zipfile.ZipFile(bench.zip, "a") as archive:
            archive.writestr(info("d/0.bin"), b"the last one")
    answer = bench.tool.json("plan", bench.trace, "--content", bench.content, "-o", bench.layout)
    assert [s["path"] for s in answer["shadowed"]] == ["d/0.bin"]
    assert bench.pack().code == 0
    assert bench.tool.ok("extract", "-o", "-", bench.packs, "d/0.bin").out == b"the last one"


def test_content_that_cannot_be_unpacked_is_refused(bench):
    with zipfile.ZipFile(bench.zip, "a") as archive:
        archive.writestr(info("d/bz", zipfile.ZIP_BZIP2), b"x" * 1000)
    refused(bench, DAMAGED, bench.plan, bench.zip, "d/bz", "bzip2", "exclude")


def test_content_without_an_asset_is_refused(bench):
    empty = bench.folder / "empty"
    empty.mkdir()
    refused(bench, FAILED, lambda: bench.tool.run("plan", bench.trace, "--content", empty, "-o",
                                                  bench.layout), empty, "no file in it")


# ---- traces -----------------------------------------------------------------------------------

def test_a_trace_without_one_mappable_read_is_refused(bench):
    bench.record("/usr/lib/libother.so")
    refused(bench, DAMAGED, bench.plan, bench.trace, "/usr/lib/libother.so", "--map")
    refused(bench, DAMAGED, lambda: bench.tool.run("profile", bench.trace, "--content", bench.content,
                                                   "-o", bench.folder / "p.json"), bench.trace)


@pytest.mark.parametrize("text", ["", "\n", "7 1.0 exit_group(0) = ?\n", "not a trace at all\n" * 50,
                                  '{"seekless": "trace", "version": 99}\n', "\0" * 3000])
def test_traces_of_nothing_are_refused(bench, text):
    bench.trace.write_text(text)
    refused(bench, DAMAGED, lambda: bench.tool.run("import", bench.trace, "-o", bench.folder / "t.jsonl"),
            bench.trace)
    refused(bench, DAMAGED, bench.plan, bench.trace)


def test_a_recording_of_nothing_beside_others_is_left_out(bench):
    nothing = [bench.folder / f"nothing-{number}.jsonl" for number in "ab"]
    nothing[0].write_text('{"seekless": "trace", "version": 1, "scenario": "nothing"}\n')
    nothing[1].write_text('{"seekless": "trace", "version": 1, "scenario": "libraries"}\n'
                          '{"path": "/usr/lib/libother.so"}\n{"read": 900}\n')
    options = ("--content", bench.content, "-o", bench.layout)
    answer = bench.tool.ok("plan", nothing[0], bench.trace, *options)
    assert f"1 recording reads no asset of the content, and is left out: {nothing[0]}\n" in answer.err
    answer = bench.tool.ok("plan", *nothing, bench.trace, *options)
    assert f"2 recordings read no asset of the content, and are left out, such as {nothing[0]}\n" in answer.err
    assert [one["name"] for one in json.loads(bench.layout.read_text())["scenarios"]] == ["load"]
    bench.tool.run("plan", nothing[0], *options).says(nothing[0], "found no read of any file")
    bench.record("/games/other.bin")  # the path may belong to another game
    refused(bench, DAMAGED, lambda: bench.tool.run("plan", bench.trace, nothing[0], *options), "/games/other.bin")


def test_content_of_empty_files_needs_a_profile(bench):
    empty = bench.folder / "empty"
    empty.mkdir()
    (empty / "one").touch()
    refused(bench, DAMAGED, lambda: bench.tool.run("plan", bench.trace, "--content", empty, "-o", bench.layout),
            bench.trace, "all of its files are empty", "--profile")
    profile = bench.folder / "profile.json"
    profile.write_text(json.dumps({"seekless": "profile", "version": 1, "assets": ["one"],
                                   "scenarios": [{"name": "s", "runs": [{"trace": "t", "assets": [0]}]}]}))
    bench.tool.ok("plan", "--profile", profile, "--content", empty, "-o", bench.layout)
    assert bench.pack().code == 0
    bench.tool.ok("verify", bench.packs)


@pytest.mark.parametrize("left_bytes", [0, 40])
def test_content_that_became_shorter_is_told(bench, left_bytes):
    """The advice must not be to name the folder, because the command already does."""
    bench.record(bench.zip, 60_000)
    other = bench.folder / "other.strace"
    other.write_text(bench.trace.read_text().replace(str(bench.zip), str(bench.loose)))
    bench.zip.write_bytes(b"1" * left_bytes)
    options = ("--content", bench.content, "-o", bench.layout)
    for traces in [(bench.trace,), (bench.trace, other)]:
        answer = bench.tool.run("plan", *traces, *options)
        assert "were larger when it was recorded" in answer.err and "add their folder" not in answer.err, answer.err


def test_a_packed_recording_cut_before_its_first_line_is_told(bench):
    plain = bench.folder / "plain.jsonl"
    plain.write_text('{"seekless": "trace", "version": 1}\n{"path": "/a"}\n' +
                     "".join(f'{{"read": {length}}}\n' for length in range(20_000)))
    packed = bench.folder / "whole.jsonl.lz4"
    bench.tool.ok("import", plain, "-o", packed)
    bench.trace.write_bytes(packed.read_bytes()[:3000])
    refused(bench, DAMAGED, bench.plan, bench.trace, "cut off before its first line")


@pytest.mark.parametrize("name,shown,fault", [(b"ne\nw", "ne\\x0aw", "a control character"),
                                              (b"b\xff", "b\\xff", "aren't UTF-8")])
def test_recordings_whose_names_can_be_no_scenarios_are_named(bench, name, shown, fault):
    trace = os.path.join(bench.folder, os.fsdecode(name) + ".1.strace")
    shutil.copy(bench.trace, trace)
    plan = ("plan", trace, "--content", bench.content, "-o", bench.layout)
    refused(bench, DAMAGED, lambda: bench.tool.run(*plan), f"{shown}.1.strace: scenario '{shown}'", fault, "--runs")
    bench.tool.ok(*plan, "--runs", "*=menu")
    assert bench.pack().code == 0
    marked = bench.folder / "marked.jsonl"
    marked.write_bytes(b'{"seekless": "trace", "version": 1}\n{"begins": "a\\nb"}\n'
                       b'{"path": "%s"}\n{"read": 900}\n' % os.fsencode(bench.loose))
    bench.tool.run("plan", marked, *plan[2:]).says(marked, "scenario 'a\\x0ab'", "call the mark")


def test_cut_and_flipped_traces_never_crash(bench, made):
    whole = made.traces[-1].read_bytes()
    rng = random.Random(2)
    file = bench.folder / "menu.jsonl.lz4"
    for number in range(60):
        data = bytearray(whole)
        if number % 2:
            del data[rng.randrange(len(data)):]
        else:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        file.write_bytes(data)
        answer = bench.tool.run("plan", file, "--content", made.game.folder, "-o", bench.layout)
        assert answer.code in (0, DAMAGED), answer.err
        if answer.code:
            answer.says(file)


def test_a_profile_of_other_content_is_refused(bench):
    profile = bench.folder / "p.json"
    bench.tool.ok("profile", bench.trace, "--content", bench.content, "-o", profile)
    of_loose = profile.read_text()
    profile.write_text(of_loose.replace("loose.bin", "other.bin"))
    plan = ("plan", "--profile", profile, "--content", bench.content, "-o", bench.layout)
    refused(bench, DAMAGED, lambda: bench.tool.run(*plan), profile, "none of them there")
    for text in ["", "[]", "{}", of_loose.replace('"version":1', '"version":2'), of_loose[:-9],
                 of_loose.replace("[0]", "[1]"), of_loose.replace("[0]", '["0"]')]:
        assert text != of_loose
        profile.write_text(text)
        refused(bench, DAMAGED, lambda: bench.tool.run(*plan), profile, "seekless profile")


# ---- layouts ----------------------------------------------------------------------------------

def test_malformed_layouts_are_refused(bench):
    bench.planned()
    whole = bench.layout.read_text()
    for text in ["", "[]", "null", "{", "[" * 100_000, '{"a":' * 100_000, whole + "x", "\xff" + whole,
                 *[whole[:cut] for cut in range(1, len(whole) - 2, 37)]]:
        bench.layout.write_text(text)
        refused(bench, DAMAGED, bench.pack, bench.layout, "plan")


def change(layout, place, value):
    at = layout
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value


def test_a_layout_with_a_scenario_without_a_name_is_refused(bench):
    bench.planned()
    layout = json.loads(bench.layout.read_text())
    change(layout, ("scenarios", 0, "name"), "")
    bench.layout.write_text(json.dumps(layout))
    refused(bench, DAMAGED, bench.pack, bench.layout, "scenario ''", "another name")


@pytest.mark.parametrize("place, value", [
    (("seekless",), "trace"), (("version",), 2), (("version",), "1"), (("block_bytes",), 3),
    (("block_bytes",), 1 << 40), (("block_bytes",), -65536), (("block_bytes",), 65536.5),
    (("fold_case",), 1), (("read_through_bytes",), "many"), (("sources",), None), (("sources",), {}),
    (("scenario_sets", 0), [7]), (("scenario_sets", 1), [0, 0]), (("scenario_sets",), 5),
    (("packs", 0, "name"), "../evil"), (("packs", 0, "name"), "a/b"),
    (("packs", 0, "name"), "catalog"), (("packs", 0, "name"), "cold"), (("packs", 0, "name"), 7),
    (("packs", 0, "kind"), "warm"), (("packs", 0, "assets", 0, "path"), "../evil"),
    (("packs", 0, "assets", 0, "path"), "/evil"), (("packs", 0, "assets", 0, "path"), None),
    (("packs", 0, "assets", 0, "source"), 99), (("packs", 0, "assets", 0, "source"), -1),
    (("packs", 0, "assets", 0, "set"), 99), (("packs", 0, "assets", 0, "bytes"), "x"),
    (("packs", 0, "assets", 0, "alignment"), 3), (("packs", 0, "assets", 0, "alignment"), 8192),
    (("packs", 0, "assets", 0, "entry"), 0), (("packs", 1, "assets", 0, "entry"), 1 << 32),
    (("packs", 1, "assets", 1, "path"), "d/0.bin"),
])
def test_layouts_that_contradict_themselves_are_refused(bench, place, value):
    bench.planned()
    layout = json.loads(bench.layout.read_text())
    change(layout, place, value)
    bench.layout.write_text(json.dumps(layout))
    refused(bench, DAMAGED, bench.pack, bench.layout, "plan again")


@pytest.mark.parametrize("place, value", [
    (("packs", 0, "assets", 0, "bytes"), 299_999), (("packs", 0, "assets", 0, "bytes"), 1 << 62),
    (("packs", 1, "assets", 0, "bytes"), 1), (("packs", 1, "assets", 0, "entry"), 3),
    (("packs", 1, "assets", 0, "entry"), 99), (("packs", 1, "assets", 0, "crc32"), 1),
    (("sources", 0, "bytes"), 5), (("sources", 0, "path"), "gone.wz"),
])
def test_layouts_that_contradict_the_content_are_refused(bench, place, value):
    bench.planned()
    layout = json.loads(bench.layout.read_text())
    assert layout["packs"][1]["assets"][0]["path"] == "d/0.bin"
    change(layout, place, value)
    bench.layout.write_text(json.dumps(layout))
    refused(bench, FAILED, bench.pack)


# ---- content that changes after planning ------------------------------------------------------

def test_content_changed_after_planning_is_named(bench):
    bench.planned()
    whole_zip, whole_loose = bench.zip.read_bytes(), bench.loose.read_bytes()
    for file, change_it in [(bench.loose, lambda: bench.loose.write_bytes(whole_loose + b"x")),
                            (bench.loose, lambda: bench.loose.write_bytes(whole_loose[:-1])),
                            (bench.loose, bench.loose.unlink),
                            (bench.zip, lambda: bench.zip.write_bytes(whole_zip + b"x")),
                            (bench.zip, bench.zip.unlink)]:
        change_it()
        refused(bench, FAILED, bench.pack, file)
        bench.zip.write_bytes(whole_zip)
        bench.loose.write_bytes(whole_loose)
    assert bench.pack().code == 0


def test_an_archive_made_anew_with_as_many_bytes_is_noticed(bench):
    bench.planned()
    size = bench.zip.stat().st_size
    with zipfile.ZipFile(bench.zip, "w") as archive:
        for number in range(4):
            archive.writestr(info(f"d/{number}.bin"), noise(number + 50, 20_000))
        archive.writestr(info("d/text", zipfile.ZIP_DEFLATED), b"a line of text\n" * 5000)
    assert bench.zip.stat().st_size == size
    refused(bench, FAILED, bench.pack, bench.zip, "CRC-32", "plan again")


def test_a_failed_pack_leaves_the_old_set_intact(bench):
    bench.packed()
    damage(bench.zip, 10_000)
    refused(bench, DAMAGED, bench.pack, bench.zip)
    refused(bench, DAMAGED, lambda: bench.pack("--codec", "lz4"), bench.zip)
    bench.tool.ok("verify", bench.packs)


# ---- outputs ----------------------------------------------------------------------------------

def test_an_output_folder_that_holds_something_else_is_refused(bench):
    bench.planned()
    bench.packs.mkdir()
    (bench.packs / "holiday.jpg").write_bytes(b"dear")
    refused(bench, FAILED, bench.pack, bench.packs, "holiday.jpg", "choose another")


def test_a_stranger_among_the_packs_is_left_alone(bench):
    bench.packed()
    (bench.packs / "deep").mkdir()
    (bench.packs / "deep" / "notes.txt").write_bytes(b"dear")
    refused(bench, FAILED, bench.pack, "deep/notes.txt")


def test_an_output_that_is_a_file_is_refused(bench):
    bench.planned()
    bench.packs.write_bytes(b"dear")
    refused(bench, FAILED, bench.pack, bench.packs)
    refused(bench, FAILED, lambda: bench.tool.run("pack", bench.layout, "-o", bench.packs / "below"))


def test_a_set_with_a_damaged_catalog_is_not_replaced(bench):
    bench.packed()
    damage(bench.packs / "catalog.skl", 700)
    refused(bench, FAILED, bench.pack, "catalog.skl", "remove that set")


def test_outputs_in_folders_that_are_not_there_are_refused(bench):
    bench.packed()
    gone = bench.folder / "gone" / "file"
    for command in [("plan", bench.trace, "--content", bench.content, "-o", gone),
                    ("import", bench.trace, "-o", gone), ("info", bench.packs, "--json", gone),
                    ("profile", bench.trace, "--content", bench.content, "-o", gone)]:
        refused(bench, FAILED, lambda: bench.tool.run(*command), gone)


@pytest.mark.parametrize("what", ["assets", "info", "verify", "extract", "json", "help", "version"])
def test_standard_output_that_is_full_is_an_error(bench, what):
    bench.packed()
    command = {"assets": ("info", "--assets", bench.packs), "extract": ("extract", "-o", "-", bench.packs, "loose.bin"),
               "json": ("info", "--assets", bench.packs, "--json", "-"), "help": ("--help",), "version": ("--version",)}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(bench.tool.command(*command.get(what, (what, bench.packs))), stdout=full,
                              stderr=subprocess.PIPE)
    assert done.returncode == FAILED
    assert b"seekless: error: standard output: " in done.stderr


FULL = 200 * 1024


@pytest.mark.parametrize("codec", ["raw", "lz4"])
@pytest.mark.parametrize("is_root", [True, False], ids=["mount", "below"])
def test_a_full_disk_leaves_nothing_of_a_pack(bench, small_disk, is_root, codec):
    bench.planned()
    disk = small_disk(FULL)
    output = disk if is_root else disk / "packs"
    answer = bench.tool.run("pack", bench.layout, "-o", output, "--codec", codec)
    assert answer.says(output, "No space left", "free some space").code == FAILED
    assert tree(disk) == {}


def test_a_disk_that_fills_up_leaves_the_old_set_intact(bench, small_disk):
    bench.planned()
    disk = small_disk(700 * 1024)
    bench.tool.ok("pack", bench.layout, "-o", disk / "packs")
    before = tree(disk)
    answer = bench.tool.run("pack", bench.layout, "-o", disk / "packs")
    assert answer.says("No space left", "free some space").code == FAILED
    assert tree(disk) == before
    bench.tool.ok("verify", disk / "packs")


def test_a_full_disk_leaves_no_half_of_other_files(bench, small_disk):
    bench.packed()
    disk = small_disk(16 * 1024)
    big = bench.folder / "big.strace"
    # Entries differ, so that the trace isn't small once compressed.
    rng = random.Random(3)
    lines = [f'7 1.0 openat(AT_FDCWD</>, "{bench.loose}", O_RDONLY) = 3<{bench.loose}>']
    lines += [f'7 {1 + i / 1000 + rng.random() / 2000:.6f} pread64(3<{bench.loose}>, ""..., '
              f'{rng.randrange(1, 9000)}, {rng.randrange(290_000)}) = {rng.randrange(1, 2)}'
              for i in range(20_000)]
    big.write_text("\n".join(lines) + "\n")
    for command in [("import", big, "-o", disk / "t.jsonl.lz4"), ("import", big, "-o", f"{disk}/t.jsonl"),
                    ("extract", bench.packs, "-o", disk, "loose.bin")]:
        assert bench.tool.run(*command).says("No space left", "free some space").code == FAILED
        assert tree(disk) == {}


def test_an_extraction_that_fails_keeps_only_whole_files(bench, small_disk):
    bench.packed()
    disk = small_disk(100 * 1024)
    bench.tool.run("extract", bench.packs, "-o", disk, "*.bin").says("No space left")
    content = {f"d/{n}.bin": noise(n, 20_000) for n in range(4)}
    left = {path: bytes_ for path, bytes_ in tree(disk).items() if bytes_ is not None}
    assert all(content[path] == bytes_ for path, bytes_ in left.items())


# ---- killed in the midst ----------------------------------------------------------------------

def killed_at(bench, output, call, count):
    """Packs, and kills the packer at its `count`th call of that name; returns False if it ends before."""
    done = subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}",
                           "-e", f"inject={call}:signal=KILL:when={count}",
                           *bench.tool.command("pack", bench.layout, "-o", output)], capture_output=True)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0


@pytest.mark.parametrize("call", ["renameat", "unlinkat", "fsync", "pwrite64", "mkdirat"])
def test_a_packer_killed_at_any_step_can_be_run_again(bench, call):
    if not strace_can_inject():
        pytest.skip("needs strace and the right to trace")
    bench.packed()
    expected = tree(bench.packs)
    # The folder already has other packs, one of which must be removed.
    bench.record("/elsewhere")
    other = bench.folder / "other.strace"
    with zipfile.ZipFile(bench.zip) as archive:
        offset = archive.getinfo("d/1.bin").header_offset + 30 + 7
    other.write_text(f'7 1.0 openat(AT_FDCWD</>, "{bench.zip}", O_RDONLY) = 3<{bench.zip}>\n'
                     f'7 1.1 pread64(3<{bench.zip}>, ""..., 9000, {offset}) = 9000\n')
    old_layout = bench.folder / "old.json"
    bench.tool.ok("plan", other, "--content", bench.content, "-o", old_layout)
    kills = 0
    for count in range(1, 30):
        output = bench.folder / f"again{count}"
        bench.tool.ok("pack", old_layout, "-o", output)
        old = tree(output)
        was_killed = killed_at(bench, output, call, count)
        kills += was_killed
        if was_killed and call in ("pwrite64", "mkdirat"):
            # Nothing is moved before everything is written: the old set is used until then.
            assert {n: b for n, b in tree(output).items() if not n.startswith(".seekless-new")} == old
        bench.tool.ok("pack", bench.layout, "-o", output)
        assert tree(output) == expected
        shutil.rmtree(output)
        if not was_killed:
            break
    assert kills >= 1


def test_a_packer_killed_at_any_time_can_be_run_again(bench):
    with open(bench.content / "big.bin", "wb") as file:
        file.truncate(64 << 20)
    bench.packed()
    expected = tree(bench.packs)
    kills = 0
    for step in range(8):
        output = bench.folder / f"again{step}"
        process = subprocess.Popen(bench.tool.command("pack", bench.layout, "-o", output),
                                   stdout=subprocess.DEVNULL)
        time.sleep(0.004 * 2 ** (step * 0.7))
        process.send_signal(signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        bench.tool.ok("pack", bench.layout, "-o", output)
        assert tree(output) == expected
        shutil.rmtree(output)
    assert kills >= 1


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_a_packer_told_to_stop_leaves_nothing(bench, told):
    with open(bench.content / "big.bin", "wb") as file:
        file.truncate(1 << 30)
    bench.planned()
    output = bench.folder / "interrupted"
    process = subprocess.Popen(bench.tool.command("pack", bench.layout, "-o", output),
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    staging = output / ".seekless-new"
    while process.poll() is None and not (staging.exists() and any(staging.iterdir())):
        time.sleep(0.001)
    process.send_signal(told)
    assert "interrupted" in process.communicate()[1]
    assert process.returncode == FAILED
    assert not output.exists()


# ---- packs ------------------------------------------------------------------------------------

@pytest.fixture(scope="module", params=["raw", "lz4"])
def sound_set(request, made):
    return made.packs if request.param == "raw" else made.lz4_packs


def verify_damaged(tool, path, file_name):
    answer = tool.run("verify", path, "--json", "-")
    assert answer.code == DAMAGED, f"{file_name}: {answer.out[-500:]}"
    answer.says("damage", " in ", "pack again")
    check_schema(answer.json, "results/verify")
    damages = answer.json["damages"]
    assert damages and damages[0]["file"].endswith(file_name)
    return damages


def test_a_pack_cut_anywhere_is_named(tool, sound_set, tmp_path):
    rng = random.Random(4)
    for name in ["menu.skl", "catalog.skl"]:
        whole = (sound_set / name).read_bytes()
        header = skl_reader.read_file(sound_set / name).header
        cuts = {0, 1, 7, 8, 511, 512, len(whole) - 1, len(whole) - 4096,
                *(s.offset_bytes for s in header.sections), *rng.sample(range(len(whole)), 15)}
        for cut in sorted(c for c in cuts if 0 <= c < len(whole)):
            (tmp_path / name).write_bytes(whole[:cut])
            verify_damaged(tool, tmp_path / name, name)


def test_any_bit_flipped_in_a_pack_is_named(tool, sound_set, tmp_path):
    whole = (sound_set / "menu.skl").read_bytes()
    pack = skl_reader.Pack(sound_set / "menu.skl")
    first_block = pack.blocks[0].offset_bytes
    rng = random.Random(5)
    places = [rng.randrange(512) for _ in range(25)]
    places += [rng.randrange(512, first_block) for _ in range(30)]
    places += [rng.randrange(first_block, len(whole)) for _ in range(25)]
    places += [b.offset_bytes + b.extent_bytes - 1 for b in pack.blocks]  # padding, mostly
    for place in places:
        data = bytearray(whole)
        data[place] ^= 1 << rng.randrange(8)
        (tmp_path / "menu.skl").write_bytes(data)
        damages = verify_damaged(tool, tmp_path / "menu.skl", "menu.skl")
        if place < first_block:
            continue
        number, block = next((n, b) for n, b in enumerate(pack.blocks)
                             if b.offset_bytes <= place < b.offset_bytes + b.extent_bytes)
        hit = {path for path, asset in zip(pack.paths, pack.assets) if asset.size_bytes > 0 and
               asset.block <= number < asset.block - (
                   -(asset.offset_in_block + asset.size_bytes) // pack.block_bytes)}
        assert damages[0]["offset"] == block.offset_bytes
        assert f"block {number} " in damages[0]["what"]
        assert set(damages[0]["assets"]) == hit


def test_any_bit_flipped_in_a_catalog_is_named(tool, sound_set, tmp_path):
    shutil.copytree(sound_set, tmp_path / "packs")
    whole = (sound_set / "catalog.skl").read_bytes()
    rng = random.Random(6)
    for _ in range(40):
        data = bytearray(whole)
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        (tmp_path / "packs" / "catalog.skl").write_bytes(data)
        verify_damaged(tool, tmp_path / "packs", "catalog.skl")


def test_a_damaged_block_costs_only_its_own_assets(tool, made, tmp_path):
    shutil.copytree(made.packs, tmp_path / "packs")
    pack = skl_reader.Pack(made.packs / "menu.skl")
    assert len(pack.blocks) >= 3
    damage(tmp_path / "packs" / "menu.skl", pack.blocks[-1].offset_bytes)
    assert tool.ok("extract", "-o", "-", tmp_path / "packs", "readme.txt").out == b"new words, of a loose file"
    lost = tool.run("extract", "-o", "-", tmp_path / "packs", "music/theme.ogg")
    assert lost.says("menu.skl", "checksum").code == DAMAGED
    partly = tool.run("extract", tmp_path / "packs", "-o", tmp_path / "out")
    assert partly.says("menu.skl", "checksum").code == DAMAGED
    content = made.game.one_name_space()
    left = {p: c for p, c in tree(tmp_path / "out").items() if c is not None}
    assert left and all(content[path] == bytes_ for path, bytes_ in left.items())


def test_packs_of_two_sets_are_told_apart(tool, made, tmp_path):
    shutil.copytree(made.packs, tmp_path / "packs")
    shutil.copy(made.lz4_packs / "map-one.skl", tmp_path / "packs")
    assert "another" in verify_damaged(tool, tmp_path / "packs", "map-one.skl")[0]["what"]
    assert tool.run("extract", "-o", "-", tmp_path / "packs", "cutscene.ogg").says("pack again").code == DAMAGED
    shutil.copy(made.packs / "map-one.skl", tmp_path / "packs")
    tool.ok("verify", tmp_path / "packs")
    (tmp_path / "packs" / "menu.skl").unlink()
    verify_damaged(tool, tmp_path / "packs", "menu.skl")
    assert tool.run("extract", "-o", "-", tmp_path / "packs", "readme.txt").says("menu.skl").code == FAILED


class Forge:
    """Changes a pack as an attacker would: with every checksum right."""

    def __init__(self, path):
        self.data = bytearray(path.read_bytes())
        self.sections = [struct.unpack_from("<4Q", self.data, 64 + 32 * i)
                         for i in range(struct.unpack_from("<I", self.data, 40)[0])]

    def write(self, path, data=None):
        data = bytearray(self.data if data is None else data)
        for number, (offset, size, _, _) in enumerate(self.sections):
            checksum = xxhash.xxh3_64(data[offset:offset + size]).intdigest()
            struct.pack_into("<Q", data, 64 + 32 * number + 16, checksum)
        struct.pack_into("<Q", data, 504, xxhash.xxh3_64(data[:504]).intdigest())
        path.write_bytes(data)


@pytest.mark.parametrize("name", ["../evil", "/a/evil", "a/../b", "a\\..\\ev", "C:/evil", "a//evil"])
def test_a_forged_pack_cannot_lead_out_of_the_folder(bench, name):
    content = bench.folder / "one"
    (content / "dir").mkdir(parents=True)
    path = content / "dir" / "x"
    path = path.with_name("x" * (len(name) - 4))
    path.write_bytes(b"evil content")
    bench.record(path, 12)
    bench.tool.ok("plan", bench.trace, "--content", content, "-o", bench.layout)
    assert bench.pack().code == 0
    forge = Forge(bench.packs / "load.skl")
    honest = path.relative_to(content).as_posix().encode()
    assert len(honest) == len(name) and forge.data.count(honest) == 1
    forge.data = forge.data.replace(honest, name.encode())
    hash_ = xxhash.xxh3_64(name.encode(), seed=0).intdigest()
    slots, assets = forge.sections[1][0], forge.sections[2][0]
    struct.pack_into("<Q", forge.data, assets, hash_)
    struct.pack_into("<4I", forge.data, slots, *[0xFFFFFFFF, 0] * 2)
    struct.pack_into("<2I", forge.data, slots + 8 * (hash_ * 2 >> 64), 0, hash_ & 0xFFFFFFFF)
    forged = bench.folder / "forged.skl"
    forge.write(forged)
    skl_reader.Pack(forged)  # the pack is valid except for the name
    refused_out = bench.folder / "deep" / "out"
    for command in [("extract", forged, "-o", refused_out), ("info", "--assets", forged)]:
        assert bench.tool.run(*command).says("forged.skl", "expected a path").code == DAMAGED
    verify_damaged(bench.tool, forged, "forged.skl")
    assert not (bench.folder / "deep" / "evil").exists()
    assert not refused_out.exists() or tree(refused_out) == {}


@pytest.mark.thorough
def test_forged_headers_and_tables_cost_a_message(tool, made, tmp_path):
    """Each 32-bit word of header and tables takes its extreme values in turn; memory is always bounded."""
    bound = ["prlimit", f"--as={512 << 20}"]
    for packs, name in [(made.lz4_packs, "map-one.skl"), (made.packs, "catalog.skl")]:
        forge = Forge(packs / name)
        folder = tmp_path / name
        shutil.copytree(packs, folder)
        path = folder if name == "catalog.skl" else folder / name
        rng = random.Random(7)
        words = list(range(8, 504, 4))
        for offset, size, _, count in forge.sections:
            words += [offset + 4 * rng.randrange(min(size, 4096) // 4) for _ in range(12)]
        for word in words:
            for value in (0xFFFFFFFF, 0x80000001):
                data = bytearray(forge.data)
                struct.pack_into("<I", data, word, value)
                forge.write(folder / name, data)
                answer = tool.run("verify", path, prefix=bound)
                assert answer.code in (0, DAMAGED), (word, value, answer.err)
                assert answer.code == DAMAGED or not may_not_change(forge, word, value), (name, word, value)


def may_not_change(forge, word, value):
    """Returns True if a reader may ignore another value of this word of the header. It may ignore the optional flags
    and the sum of sizes, and a catalog's block size and seed. The checksums of sections are corrected here."""
    is_checksum = 64 <= word < 64 + 32 * len(forge.sections) and word % 32 in (16, 20)
    is_told_only = word in {36, 48, 52}
    is_minor = word == 8 and value & 0xFFFF == 2
    is_of_packs = len(forge.sections) == 8 and word == 44
    return word < 504 and not (is_checksum or is_told_only or is_minor or is_of_packs)


def test_another_format_is_refused_by_its_version(tool, made, tmp_path):
    for major, minor in [(1, 0), (3, 7)]:
        forge = Forge(made.packs / "menu.skl")
        struct.pack_into("<HH", forge.data, 8, major, minor)
        forge.write(tmp_path / "menu.skl")
        tool.run("info", "--assets", tmp_path / "menu.skl").says("version 2", f"{major}.{minor}")
    forge = Forge(made.packs / "menu.skl")
    struct.pack_into("<HH", forge.data, 8, 2, 9)
    forge.write(tmp_path / "menu.skl")
    tool.ok("verify", tmp_path / "menu.skl")
    forge = Forge(made.packs / "menu.skl")
    struct.pack_into("<I", forge.data, 32, 2)
    forge.write(tmp_path / "menu.skl")
    tool.run("info", "--assets", tmp_path / "menu.skl").says("feature flags", "update seekless")


def test_files_that_are_no_packs_are_refused(tool, made, tmp_path):
    for content in [b"", b"PK\3\4" * 500, b"\x89SKL\r\n\x1a\n", b"\x89SKL\n\x1a\n" + bytes(600)]:
        (tmp_path / "x.skl").write_bytes(content)
        for command in [("info", "--assets"), ("info",), ("extract", "a", "-o", "-")]:
            answer = tool.run(command[0], tmp_path / "x.skl", *command[1:])
            assert answer.says("x.skl", "expected", "found").code == DAMAGED
    assert tool.run("info", "--assets", tmp_path).says("catalog.skl").code == FAILED


# ---- the command line -------------------------------------------------------------------------

@pytest.mark.parametrize("arguments", [
    ["fly"], ["pack"], ["--fast"], ["pack", "l.json"], ["pack", "l.json", "-o", "x", "--codec", "zip"],
    ["pack", "l.json", "-o", "x", "--threads", "0"], ["pack", "l.json", "-o", "x", "--threads", "many"],
    ["pack", "l.json", "m.json", "-o", "x"], ["verify"], ["info"], ["info", "packs", "*.dds"], ["info", "packs", "--long"],
    ["extract", "packs"], ["extract", "packs", "-o", "-"], ["extract", "packs", "a", "b", "-o", "-"], ["verify", "--frob", "x"],
    ["plan", "--content", ".", "-o", "l.json"],
    ["plan", "t", "--profile", "p", "--content", ".", "-o", "l.json"],
    ["plan", "t", "--content", ".", "-o", "l.json", "--block", "3"],
    ["plan", "t", "--content", ".", "-o", "l.json", "--block", "100K"],
    ["plan", "t", "--content", ".", "-o", "l.json", "--align", "x"],
    ["plan", "t", "--content", ".", "-o", "l.json", "--align", "*.dds=3"],
    ["plan", "t", "--content", ".", "-o", "l.json", "--map", "nothing"],
    ["import", "t", "-o", "x", "--format", "dtrace"], ["import", "t", "-o", "-"],
    ["import", "t", "u", "-o", "x.jsonl"]])
def test_wrong_usage_is_told_apart(tool, tmp_path, arguments):
    answer = tool.run(*arguments, cwd=tmp_path)
    assert answer.code == USAGE, answer.err
    assert answer.out == b"" and answer.err != ""
    assert tree(tmp_path) == {}
