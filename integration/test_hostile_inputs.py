"""Inputs from strangers and odd file systems: layouts that ask for other people's files, pipes where files are
expected, links that lead out or nowhere, entries that no path leads to, names of every kind. The tool reads the files
that the user meant, reports what it leaves out, and never hangs."""
import json
import os
import subprocess
import zipfile

import pytest

from game import info, noise
from tool import DAMAGED, FAILED, USAGE, strace_can_inject, tree
from test_bad_input import Bench

SECRET = b"root:*:0:0 and every other secret of this machine\n"


@pytest.fixture
def bench(tool, tmp_path, monkeypatch):
    """Has its own home, so that it remembers nothing; the layout isn't beside the content."""
    home = tmp_path / "home"
    (home / "layouts").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    made = Bench(tool, tmp_path)
    made.home = home
    made.layout = home / "layouts" / "layout.json"
    made.secret = tmp_path / "secret"
    made.secret.write_bytes(SECRET)
    return made


def with_source(bench, path, size_bytes=len(SECRET)):
    """Writes a stranger's layout: one loose file of their choice."""
    layout = json.loads(bench.layout.read_text())
    asset = {"path": "pic.png", "bytes": size_bytes, "source": 0, "set": 0}
    layout.update(sources=[{"path": str(path), "kind": "file", "bytes": size_bytes}], scenarios=[],
                  scenario_sets=[[]], packs=[{"name": "cold", "kind": "cold", "assets": [asset]}])
    layout.pop("prediction", None)
    bench.layout.write_text(json.dumps(layout))


def packs_hold(bench, text):
    return any(text in (content or b"") for content in tree(bench.packs).values()) if bench.packs.exists() else False


# ---- what a layout may have read -----------------------------------------------------------------

def test_layout_of_ones_own_is_packed_from_anywhere(bench):
    """The content, the layout and the current folder are at different places: the same user planned it."""
    bench.planned()
    bench.tool.ok("pack", bench.layout, "-o", bench.packs, cwd="/")
    bench.tool.ok("verify", bench.packs)
    assert (bench.home / ".local/state/seekless/content").read_text() == f"{bench.content}\n"
    bench.planned()
    assert (bench.home / ".local/state/seekless/content").read_text() == f"{bench.content}\n"


def test_layout_of_a_build_can_be_packed(bench):
    build = bench.folder / "game" / "seekless.json"
    build.parent.mkdir()
    build.write_text(json.dumps({"content": [str(bench.content)], "outputs": {"packs": {"folder": "packs"}}}))
    bench.tool.ok("build", build, "--layout", bench.layout)
    bench.tool.ok("pack", bench.layout, "-o", bench.packs, cwd="/")


@pytest.mark.parametrize("how", ["absolute", "dots", "planned content and dots"])
def test_layout_of_a_stranger_reads_nothing_outside(bench, how):
    bench.planned()
    inner = bench.folder / "work" / "inner"
    inner.mkdir(parents=True)
    with_source(bench, {"absolute": bench.secret, "dots": "../../secret",
                        "planned content and dots": f"{bench.content}/../secret"}[how])
    answer = bench.tool.run("pack", bench.layout, "-o", bench.packs, cwd=inner)
    assert answer.says(bench.layout, "secret", "--allow-outside").code == USAGE
    assert not bench.packs.exists()
    assert bench.tool.run("pack", bench.layout, "--only", "cold", "-o", inner / "x.skl", cwd=inner).code == USAGE
    bench.tool.ok("pack", bench.layout, "-o", bench.packs, "--allow-outside", cwd=inner)
    assert packs_hold(bench, SECRET)


def test_working_folder_and_the_layouts_own_hold_content(bench):
    bench.planned()
    with_source(bench, "secret")
    bench.tool.ok("pack", bench.layout, "-o", bench.packs, cwd=bench.folder)
    bench.layout = bench.folder / "layout.json"
    (bench.home / "layouts" / "layout.json").rename(bench.layout)
    with_source(bench, bench.secret)
    bench.tool.ok("pack", bench.layout, "-o", bench.packs, cwd="/")


def test_home_and_root_hold_more_than_content(bench):
    """A user who packs a layout in the home folder doesn't want to pack the keys there."""
    bench.planned()
    (bench.home / "key").write_bytes(SECRET)
    with_source(bench, "key")
    assert bench.tool.run("pack", bench.layout, "-o", bench.packs, cwd=bench.home).says("'key'").code == USAGE
    with_source(bench, str(bench.secret)[1:])
    assert bench.tool.run("pack", bench.layout, "-o", bench.packs, cwd="/").says("secret").code == USAGE
    assert not bench.packs.exists()


def test_content_that_others_may_have_named_is_not_believed(bench):
    bench.planned()
    named = bench.home / ".local" / "state" / "seekless" / "content"
    named.chmod(0o666)
    assert bench.tool.run("pack", bench.layout, "-o", bench.packs, cwd="/").says(bench.content, "--allow-outside").code == USAGE
    named.chmod(0o600)
    bench.tool.ok("pack", bench.layout, "-o", bench.packs, cwd="/")


def test_without_a_home_a_layout_is_told_how_to_be_packed(bench, tool):
    """Known content isn't stored, as in a container of a farm."""
    for env in ({"HOME": "/nonexistent"}, {"HOME": ""}):
        tool.ok("plan", bench.trace, "--content", bench.content, "-o", bench.layout, env=env)
        answer = tool.run("pack", bench.layout, "-o", bench.packs, cwd="/", env=env)
        assert answer.says(bench.content, "--allow-outside").code == USAGE
    tool.ok("pack", bench.layout, "-o", bench.packs, "--allow-outside", cwd="/", env={"HOME": "/nonexistent"})


@pytest.mark.parametrize("read", ["pack", "build file", "profile"])
def test_values_that_lie_in_each_other_without_end_are_refused(bench, read):
    deep = bench.folder / "deep.json"
    deep.write_text('{"x":' + "[" * 100_000 + "]" * 100_000 + ',"a":1,"b":2,"c":3}')
    plan = ["plan", "--content", bench.content, "-o", bench.layout]
    command = {"pack": ["pack", deep, "-o", bench.packs], "build file": [*plan, bench.trace, "--build", deep],
               "profile": [*plan, "--profile", deep]}[read]
    bench.tool.run(*command).says("deep.json", "brackets in each other")
    assert not bench.packs.exists() and not bench.layout.exists()


def test_source_called_minus_is_no_standard_input(bench):
    bench.planned()
    with_source(bench, "-")
    answer = bench.tool.run("pack", bench.layout, "-o", bench.packs, cwd=bench.folder, input=SECRET)
    assert answer.says("-: cannot open").code == FAILED
    (bench.folder / "-").write_bytes(noise(1, len(SECRET)))
    bench.tool.ok("pack", bench.layout, "-o", bench.packs, cwd=bench.folder, input=SECRET)
    assert packs_hold(bench, noise(1, len(SECRET)))


def test_source_with_a_nul_is_refused(bench):
    bench.planned()
    with_source(bench, f"{bench.secret}\0.png")
    answer = bench.tool.run("pack", bench.layout, "-o", bench.packs, "--allow-outside")
    assert answer.says(bench.layout, "NUL").code == DAMAGED


def test_links_that_lead_out_are_named(bench):
    link = bench.content / "pic.png"
    link.symlink_to(bench.secret)
    (bench.content / "dir").symlink_to(bench.home)
    (bench.home / "notes.txt").write_bytes(b"mine")
    (bench.content / "inner.bin").symlink_to(bench.loose)  # leads nowhere outside
    answer = bench.plan()
    assert answer.code == 0
    warned = [line for line in answer.err.splitlines() if "lead out" in line]
    assert len(warned) == 1 and "2 files" in warned[0], answer.err
    answer = bench.tool.ok("pack", bench.layout, "-o", bench.packs, cwd="/")
    assert "lead out of the content" in answer.err and "(to '" in answer.err
    build = bench.folder / "seekless.json"
    build.write_text(json.dumps({"content": ["content"], "outputs": {"packs": {"folder": "built"}}}))
    assert "lead out" in bench.tool.ok("build", build).err


# ---- only regular files are opened ---------------------------------------------------------------

@pytest.fixture
def pipe(bench):
    path = bench.folder / "pipe"
    os.mkfifo(path)
    return path


def test_pipes_are_no_files(bench, pipe):
    """No process writes to the pipe, so opening it would wait for ever."""
    bench.packed()
    tool = bench.tool
    build = bench.folder / "seekless.json"
    build.write_text(json.dumps({"content": ["content"], "outputs": {"packs": {"folder": "built"}}, "lock": "pipe"}))
    tool.ok("patch", bench.packs, bench.packs, "-o", bench.folder / "up.skp")
    for command, code in {
            ("pack", pipe, "-o", bench.folder / "new"): FAILED,
            ("verify", pipe): FAILED, ("info", "--assets", pipe): FAILED, ("info", pipe): FAILED,
            ("plan", bench.trace, "--content", pipe, "-o", bench.folder / "l.json"): USAGE,
            ("plan", "--profile", pipe, "--content", bench.content, "-o", bench.folder / "l.json"): FAILED,
            ("plan", bench.trace, "--content", bench.content, "--build", pipe, "-o", bench.folder / "l"): FAILED,
            ("build", pipe): FAILED, ("build", build): FAILED,
            ("apply", bench.packs, pipe, "-o", bench.folder / "new"): FAILED,
            ("patch", pipe, bench.packs, "-o", bench.folder / "x.skp"): FAILED,
            ("report", bench.packs, bench.trace, "--content", bench.content, "--layout", pipe): FAILED,
            ("analyze", bench.trace, "--drive", f"{bench.folder}/pipe.json"): FAILED}.items():
        answer = tool.run(*command)
        assert answer.code in (FAILED, USAGE, DAMAGED), command
        assert answer.code == code or code == FAILED, (command, answer.err)
    with_source(bench, pipe)
    assert bench.tool.run("pack", bench.layout, "-o", bench.packs, "--allow-outside").says(pipe, "a pipe").code == FAILED


def test_pipes_are_called_pipes(bench, pipe):
    bench.packed()
    for command in [("verify", pipe), ("info", pipe), ("info", "--assets", pipe),
                    ("plan", bench.trace, "--content", bench.content, "-o", pipe)]:
        bench.tool.run(*command).says(pipe, "expected a file", "found a pipe or a device")


def test_recordings_come_through_pipes(bench, pipe):
    text = bench.trace.read_bytes()
    for name in (pipe, "/dev/stdin", "-"):
        writer = subprocess.Popen(["sh", "-c", f"cat '{bench.trace}' > '{pipe}'"]) if name == pipe else None
        answer = bench.tool.json("import", name, "-o", bench.folder / "out.jsonl", input=text)
        assert answer["command"] == "import"
        if writer:
            assert writer.wait(10) == 0


def test_plans_from_pipes_are_those_from_files(bench, pipe):
    """All inputs for making and judging a plan are read only once."""
    def shipped(name, **how):
        plan = ("plan", name, "--content", bench.content, "-o", bench.folder / "layout.json")
        return bench.tool.json(*plan, **how)["verdict"]["as_shipped_seconds"]

    expected = shipped(bench.trace)
    assert expected > 0
    assert shipped("-", input=bench.trace.read_bytes()) == expected
    writer = subprocess.Popen(["sh", "-c", f"cat '{bench.trace}' > '{pipe}'"])
    assert shipped(pipe) == expected
    assert writer.wait(10) == 0


def test_a_pipe_within_the_content_is_passed_over(bench):
    os.mkfifo(bench.content / "pipe")
    bench.packed()
    assert "pipe" not in bench.tool.ok("info", "--assets", bench.packs).text


# ---- what no path leads to -----------------------------------------------------------------------

def add_odd_entries(bench):
    with zipfile.ZipFile(bench.zip, "a") as archive:
        archive.writestr(info("../CREDITS"), b"thanks to all")
        archive.writestr(info("/etc/rc"), b"absolute")
        archive.writestr(info("good/one"), b"a good one")


def test_entries_that_no_path_leads_to_are_left_out(bench):
    add_odd_entries(bench)
    answer = bench.plan()
    assert answer.code == 0, answer.err
    warned = [line for line in answer.err.splitlines() if "warning" in line]
    assert len(warned) == 1 and "2 files or entries" in warned[0] and "'../CREDITS'" in warned[0], answer.err
    assert bench.pack().code == 0
    listed = bench.tool.ok("info", "--assets", bench.packs).text
    assert "good/one" in listed and "CREDITS" not in listed
    assert bench.plan("--exclude", "../CREDITS", "--exclude", "/etc/rc").err == ""
    assert bench.plan("--strict").says(bench.zip, "../CREDITS", "--exclude").code == DAMAGED


def test_build_leaves_them_out_and_can_refuse(bench):
    add_odd_entries(bench)
    (bench.content / "gone.ttf").symlink_to("nowhere")
    build = bench.folder / "seekless.json"
    described = {"content": ["content"], "outputs": {"packs": {"folder": "built"}}}
    build.write_text(json.dumps(described))
    answer = bench.tool.ok("build", build)
    assert "../CREDITS" in answer.err and "gone.ttf" in answer.err
    bench.tool.ok("verify", bench.folder / "built")
    build.write_text(json.dumps({**described, "strict": True}))
    assert bench.tool.run("build", build).says("--exclude").code == DAMAGED


def test_loose_files_that_no_path_leads_to_are_left_out(bench):
    (bench.content / "C:x").write_bytes(b"1")
    answer = bench.plan()
    assert answer.code == 0 and "C:x" in answer.err


@pytest.mark.parametrize("is_archive", [False, True])
def test_names_that_are_not_utf8_are_left_out_of_everything(bench, is_archive):
    """A layout is JSON and names all of its files, so it can't contain these."""
    bench.record(bench.loose)
    odd = os.path.join(bench.content, os.fsdecode(b"caf\xe9.zip"))
    if is_archive:
        with zipfile.ZipFile(odd, "w") as archive:
            archive.writestr(info("in/it"), b"an entry")
    else:
        with open(odd, "wb") as file:
            file.write(b"text")
    answer = bench.plan()
    assert answer.code == 0, answer.err
    assert "1 file or entry is left out" in answer.err and "caf\\xe9.zip" in answer.err
    assert all("caf" not in source["path"] for source in json.loads(bench.layout.read_text())["sources"])
    assert bench.pack().code == 0
    bench.tool.ok("verify", bench.packs)
    assert "in/it" not in bench.tool.ok("info", "--assets", bench.packs).text
    build = bench.folder / "seekless.json"
    described = {"content": ["content"], "traces": [bench.trace.name], "outputs": {"packs": {"folder": "built"}}}
    build.write_text(json.dumps(described))
    assert "caf\\xe9.zip" in bench.tool.ok("build", build).err
    bench.tool.ok("build", build, "--check")
    bench.tool.ok("verify", bench.folder / "built")
    assert bench.plan("--strict").says("caf\\xe9.zip", "--exclude").code == DAMAGED
    build.write_text(json.dumps({**described, "strict": True}))
    assert bench.tool.run("build", build).says("caf\\xe9.zip", "--exclude").code == DAMAGED


def test_repack_keeps_entries_that_no_path_leads_to(bench):
    add_odd_entries(bench)
    before = zipfile.ZipFile(bench.zip).namelist()
    bench.record(bench.zip)
    answer = bench.tool.ok("repack", bench.trace, "--content", bench.content, "-o", bench.folder / "new")
    assert "../CREDITS" in answer.err
    with zipfile.ZipFile(bench.folder / "new" / "data.wz") as archive:
        assert sorted(archive.namelist()) == sorted(before)
        assert archive.read("../CREDITS") == b"thanks to all"


# ---- links that lead nowhere ---------------------------------------------------------------------

def test_links_that_lead_nowhere_are_told_and_passed_over(bench):
    (bench.content / "font.ttf").symlink_to("../../fonts/none.ttf")
    (bench.content / "itself").symlink_to("itself")
    answer = bench.plan()
    assert answer.code == 0, answer.err
    assert "2 links that lead nowhere" in answer.err and "font.ttf" in answer.err
    assert bench.pack().code == 0
    assert bench.plan("--exclude", "font.ttf", "--exclude", "itself").err == ""
    assert bench.plan("--strict").says("font.ttf", "nowhere").code == DAMAGED
    for command in (("analyze", bench.trace, "--content", bench.content), ("where", bench.content),
                    ("profile", bench.trace, "--content", bench.content, "-o", bench.folder / "p.json")):
        bench.tool.ok(*command)


def test_repack_is_not_concerned_with_links_that_lead_nowhere(bench):
    (bench.content / "font.ttf").symlink_to("../../fonts/none.ttf")
    bench.record(bench.zip)
    answer = bench.tool.ok("repack", bench.trace, "--content", bench.content, "--in-place", "--force")
    assert "font.ttf" not in answer.err
    assert (bench.content / "font.ttf").is_symlink()
    bench.tool.ok("restore", bench.content)
    assert (bench.content / "font.ttf").is_symlink()


# ---- names of every kind -------------------------------------------------------------------------

@pytest.mark.parametrize("name", [b"C:x.zip", b"caf\xe9.zip", b"two\nlines.zip"])
def test_archives_of_odd_names_are_named(bench, name):
    """Makes an archive with only its own name, and one among others."""
    odd = os.path.join(bench.content, os.fsdecode(name))
    os.rename(bench.zip, odd)
    bench.record(bench.loose)
    shown = {b"C:x.zip": "C:x.zip", b"caf\xe9.zip": "caf\\xe9.zip", b"two\nlines.zip": "two"}[name]
    alone = bench.tool.run("repack", bench.trace, "--content", odd, "-o", bench.folder / "out")
    assert alone.code in (FAILED, DAMAGED) and shown in alone.err and "no path leads to" in alone.err, alone.err
    sound = bench.content / "sound.zip"
    with zipfile.ZipFile(sound, "w") as archive:
        archive.writestr(info("a"), noise(1, 5000))
    bench.record(sound)
    answer = bench.tool.ok("repack", bench.trace, "--content", bench.content, "-o", bench.folder / "out")
    assert shown in answer.err and "stay as they are" in answer.err


def test_characters_that_turn_the_line_are_escaped_wherever_they_are_printed(bench):
    """Names from archives contain a right-to-left override and a line separator."""
    turned = "gpj\u202e.exe\u2028x"
    with zipfile.ZipFile(bench.zip, "a") as archive:
        archive.writestr(info(turned), b"x" * 5000)
    (bench.content / turned).write_bytes(b"y" * 3000)
    bench.packed()
    outputs = [bench.tool.ok("info", "--assets", bench.packs), bench.tool.ok("info", "--assets", bench.packs, "--long"),
               bench.tool.ok("info", bench.packs),
               bench.tool.run("extract", "-o", "-", bench.packs, turned + "z"), bench.plan("--exclude", "nothing"),
               bench.tool.run("verify", bench.folder / turned), bench.tool.run("info", bench.folder / turned)]
    for answer in outputs:
        for raw in ("\u202e", "\u2028"):
            assert raw not in answer.text and raw not in answer.err
    assert "gpj\\xe2\\x80\\xae.exe\\xe2\\x80\\xa8x" in outputs[0].text
    assert "\\xe2\\x80\\xae" in outputs[-1].err


def test_a_line_end_in_a_name_makes_no_line_of_its_own(bench):
    """It is tested in an error, in a warning, and in the output of record."""
    (bench.content / "odd\nname").symlink_to("nowhere")
    answer = bench.plan()
    assert answer.code == 0 and "odd\\x0aname" in answer.err and answer.err.count("\n") == 1, answer.err
    missing = bench.tool.run("verify", bench.folder / "no\nset").says("no\\x0aset")
    assert missing.err.count("\n") == 1
    recorded = bench.tool.ok("record", "-o", bench.folder / "t\nu.jsonl", "--scenario", "s", "--", "true")
    assert "t\\x0au.jsonl: s from true" in recorded.err


# ---- what the operating system refuses is no damage ----------------------------------------------

def limited(*limits):
    return ["prlimit", *limits]


def test_out_of_descriptors_is_no_damage(bench):
    """Leaves room for a handful of open files."""
    bench.packed()
    bench.record(bench.zip)
    for limit in (4, 5, 6):
        for command in (("verify", bench.packs), ("info", "--assets", bench.packs), ("plan", bench.trace, "--content", bench.content,
                                                                         "-o", bench.folder / "l.json"),
                        ("pack", bench.layout, "-o", bench.folder / "again"),
                        ("patch", bench.packs, bench.packs, "-o", bench.folder / "up.skp"),
                        ("repack", bench.trace, "--content", bench.content, "-o", bench.folder / "re")):
            answer = bench.tool.run(*command, prefix=limited(f"--nofile={limit}"))
            assert answer.code != DAMAGED, (limit, command, answer.err)
            assert "fetch" not in answer.err and "damage" not in answer.err.replace("nothing was found damaged", "")
            if answer.code != 0 and "Too many open files" in answer.err:
                assert "ulimit -n" in answer.err


def test_verify_of_too_few_open_files_says_so(bench):
    """The error doesn't say that the set was replaced during the read, and names no byte without a place."""
    other = bench.folder / "other.strace"
    other.write_text(f'7 1.0 openat(AT_FDCWD</>, "{bench.zip}", O_RDONLY) = 3<{bench.zip}>\n'
                     f'7 1.1 read(3<{bench.zip}>, ""..., 60000) = 60000\n')
    bench.tool.ok("plan", bench.trace, other, "--content", bench.content, "-o", bench.layout)
    assert bench.pack().code == 0
    for open_files in [4, 5, 6]:
        answer = bench.tool.run("verify", bench.packs, prefix=["prlimit", f"--nofile={open_files}"])
        assert answer.says(bench.packs, "Too many open files", "ulimit -n").code == FAILED
        assert "replaced" not in answer.err
        assert "byte " not in answer.text
    bench.tool.ok("verify", bench.packs, prefix=["prlimit", "--nofile=7"])


@pytest.mark.skipif(not strace_can_inject(), reason="strace can't inject errors here")
def test_a_disk_that_fails_is_no_damage(bench):
    # A read that fails is tried once more, so the disk fails from then on.
    bench.packed()
    for call, error in (("pread64", "EIO"), ("openat", "EMFILE"), ("openat", "ENFILE"), ("openat", "ENOMEM")):
        told = 0
        for when in range(1, 16):
            inject = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", bench.packs / "cold.skl", "-P",
                      bench.packs / "load.skl", "-P", bench.packs / "catalog.skl",
                      "-e", f"inject={call}:error={error}:when={when}{'+' if error == 'EIO' else ''}"]
            answer = bench.tool.run("verify", bench.packs, "--threads", 1, prefix=inject)
            assert answer.code in (0, FAILED), (call, when, answer.text, answer.err)
            if answer.code == 0:  # it was read again, or there was no such call
                continue
            told += 1
            assert {"EIO": "see the system's log", "EMFILE": "ulimit -n", "ENFILE": "fs.file-max",
                    "ENOMEM": "no memory"}[error] in answer.err, answer.err
        assert told > 2, (call, error)


@pytest.mark.skipif(not strace_can_inject(), reason="strace can't inject errors here")
def test_analyze_answers_in_full_or_says_that_it_could_not_look(bench):
    command = ("analyze", bench.trace, "--content", bench.content, "--json", "-")
    # The verdict's seconds include files' places and finding the files, "as far as the file system tells".
    def full(out):
        told = json.loads(out)
        return {**told, "verdict": told["verdict"]["judgement"], "assumptions": len(told["assumptions"])}

    whole = full(bench.tool.ok(*command).out)
    # If the file system reports no places, the verdict may differ, and leads to another command.
    unplaced = full(bench.tool.ok(*command, prefix=["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=ioctl:error=EOPNOTSUPP"]).out)
    turned = {**whole, "verdict": unplaced["verdict"], "next": unplaced["next"]}
    refused = 0
    for when in range(1, 80):
        inject = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject=newfstatat,stat,lstat,statx:error=EIO:when={when}"]
        answer = bench.tool.run(*command, prefix=inject)
        if answer.code == 0:
            assert full(answer.out) in (whole, turned), when
        else:
            refused += 1
            assert "Input/output error" in answer.err or "loading shared libraries" in answer.err, (when, answer.err)
    assert refused > 5


# ---- a layout that contradicts itself ------------------------------------------------------------

def test_one_path_of_two_sources_is_refused(bench):
    bench.planned()
    layout = json.loads(bench.layout.read_text())
    asset = dict(next(a for pack in layout["packs"] for a in pack["assets"] if a["path"] == "d/1.bin"))
    asset["entry"] += 1
    layout["packs"].append({"name": "second", "kind": "sub", "assets": [asset]})
    bench.layout.write_text(json.dumps(layout))
    answer = bench.pack().says(bench.layout, "'d/1.bin'", "'second'", "entry 1", "entry 2")
    assert answer.code == DAMAGED and not bench.packs.exists()
