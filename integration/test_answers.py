"""Commands' answers to people: few lines, the most important one first, and only about the question."""
import json
import os
import re

import pytest

from game import noise
from project import Project, settle
from test_terminal import on_a_terminal
from tool import USAGE, strace_can_inject

# Files that any program reads besides a game's content; none of them needs to exist.
OF_THE_SYSTEM = ["/etc/ld.so.cache", "/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/share/X11/locale/locale.alias",
                 "/home/me/.cache/mesa_shader_cache/0a/71c", "/usr/share/drirc.d/00-mesa-defaults.conf",
                 "/usr/share/glvnd/egl_vendor.d/50_mesa.json", "/var/cache/fontconfig/a.cache-7",
                 "/usr/share/fonts/truetype/a.ttf", "/usr/share/icons/hicolor/index.theme",
                 "/home/me/.config/pulse/client.conf", "/proc/cpuinfo", "/usr/share/alsa/alsa.conf",
                 "/sys/devices/system/cpu/online", "/home/me/.local/share/recently-used.xbel"]


def strace_of(reads):
    """Makes lines that read (path, bytes) one after the other, as strace prints them."""
    lines = []
    for number, (path, length) in enumerate(reads):
        lines += [f'7 {number}.000000 openat(AT_FDCWD, "{path}", O_RDONLY) = 3<{path}> <0.000010>',
                  f'7 {number}.100000 read(3<{path}>, ""..., {length}) = {length} <0.000010>',
                  f"7 {number}.200000 close(3<{path}>) = 0 <0.000010>"]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def loose(tmp_path_factory):
    """A game of loose files, and two recordings that read as much of the system as of it."""
    folder = tmp_path_factory.mktemp("loose")
    content = folder / "content"
    content.mkdir()
    for number in range(40):
        (content / f"a{number:02}.dat").write_bytes(noise(number, 9000))
    for run in (1, 2):
        reads = [(content / f"a{number:02}.dat", 9000) for number in range(30)]
        reads[7:7] = [(path, 4096) for path in OF_THE_SYSTEM]
        (folder / f"menu.{run}.strace").write_text(strace_of(reads))
    return folder


def journey(loose, tmp_path):
    given = (*sorted(loose.glob("*.strace")), "--content", loose / "content")
    return {"profile": ("profile", *given, "-o", tmp_path / "p.json"),
            "plan": ("plan", *given, "-o", tmp_path / "l.json"),
            "repack": ("repack", *given, "--dry-run", "--in-place")}


@pytest.mark.parametrize("command", ["profile", "plan", "repack"])
def test_what_isnt_content_is_one_line(tool, loose, tmp_path, command):
    arguments = journey(loose, tmp_path)[command]
    answer = tool.ok(*arguments)
    assert answer.err == ""  # all of these files are the system's, so there is nothing to fix
    told = [line for line in answer.text.splitlines() if "not of the content" in line]
    assert told == [f"not of the content: {len(OF_THE_SYSTEM)} files, 0.1 MB in 2 recordings; --verbose lists them"]
    assert answer.text.splitlines()[0] != told[0]
    assert not any(path in answer.text for path in OF_THE_SYSTEM)
    verbose = tool.ok(*arguments, "--verbose").text
    assert all(re.search(rf"^ +8192 bytes in +2 reads  {re.escape(path)}$", verbose, re.MULTILINE)
               for path in OF_THE_SYSTEM)


def test_where_all_is_content_nothing_is_said_of_other_files(tool, loose, tmp_path):
    (tmp_path / "menu.strace").write_text(strace_of([(loose / "content/a00.dat", 9000)]))
    answer = tool.ok("profile", tmp_path / "menu.strace", "--content", loose / "content", "-o", tmp_path / "p.json")
    assert "not of the content" not in answer.text


def test_warm_reads_content_only(tool, tmp_path):
    """A library and a driver's cache aren't content, even if the recorded program read them."""
    (tmp_path / ".cache").mkdir()
    (tmp_path / "game").mkdir()
    files = {"game/a.dat": 300_000, "game/b.dat": 200_000, "other.dat": 90_000, "lib.so.1": 50_000, ".cache/c": 70_000}
    for name, size in files.items():
        (tmp_path / name).write_bytes(noise(size, size))
    trace = tmp_path / "menu.strace"
    trace.write_text(strace_of([(tmp_path / name, size) for name, size in files.items()]))

    def warmed(*options):
        answer = tool.json("warm", trace, *options)
        return answer["files"], answer["wanted_bytes"], [os.path.relpath(path, tmp_path) for path in answer["left_out"]]

    def bytes_of(*names):
        return sum(files[name] for name in names)

    games = ("game/a.dat", "game/b.dat")
    assert warmed() == (3, bytes_of(*games, "other.dat"), [".cache/c", "lib.so.1"])
    assert warmed("--content", tmp_path / "game") == (2, bytes_of(*games), [".cache/c", "lib.so.1", "other.dat"])
    relative = os.path.relpath(tmp_path / "game" / "b.dat")
    assert warmed("--content", relative) == (
        1, bytes_of("game/b.dat"), [".cache/c", "game/a.dat", "lib.so.1", "other.dat"])
    assert warmed("--all") == (5, bytes_of(*files), [])
    text = tool.ok("warm", trace).text
    assert "left out: 2 files that aren't content; --all reads them, too" in text
    tool.run("warm", trace, "--content", tmp_path / "nowhere").says("nowhere", "No such file")
    assert tool.run("warm", trace, "--content", tmp_path / ".cache" / "c", "--all").code == USAGE
    only_system = tmp_path / "only.strace"
    only_system.write_text(strace_of([(tmp_path / "lib.so.1", 50_000)]))
    tool.run("warm", only_system).says("reads of content", "lib.so.1", "--all")


# ---- what is known is said, and said once ------------------------------------------------------

def test_init_writes_the_map_that_it_finds(tool, tmp_path):
    """Recordings from another machine: the build file needs no edit."""
    project = Project(tool, tmp_path / "game")
    os.remove(project.folder / "seekless.json")
    for trace in (project.folder / "traces").iterdir():
        trace.write_text(trace.read_text().replace(str(project.folder), "/games/x"))
    settle()
    answer = tool.json("init", project.folder)
    assert answer["map"] == "/games/x=."
    assert '"map": ["/games/x=."]' in (project.folder / "seekless.json").read_text()
    told = project.build()
    assert told["inputs"]["traces"] == 6 and told["warnings"] == []
    assert {scenario["name"]: scenario["runs"] for scenario in told["scenarios"]} == {
        "menu": 2, "north": 2, "south": 2}


def test_init_of_recordings_made_here_leaves_the_map_out(tool, tmp_path):
    project = Project(tool, tmp_path / "game")
    os.remove(project.folder / "seekless.json")
    assert tool.json("init", project.folder)["map"] is None
    assert '// "map"' in (project.folder / "seekless.json").read_text()


def test_what_is_excluded_isnt_missing(tool, tmp_path):
    project = Project(tool, tmp_path / "game")
    traces = sorted((project.folder / "traces").iterdir())
    tool.ok("profile", *traces, "--content", project.content, "-o", tmp_path / "profile.json")
    exclude = ("--content", project.content, "--exclude", "d1/**")
    assert tool.ok("plan", *traces, *exclude, "-o", tmp_path / "a.json").err == ""
    answer = tool.ok("plan", "--profile", tmp_path / "profile.json", *exclude, "-o", tmp_path / "b.json")
    assert answer.err == "" and "gone" not in answer.text
    project.configure(exclude=["d1/**"])
    assert project.build()["warnings"] == []
    # Other warnings are still printed, once for all recordings.
    other = tmp_path / "other"
    other.mkdir()
    for trace in traces:
        (other / trace.name).write_text(trace.read_text().replace("/d1/", "/elsewhere/"))
    err = tool.ok("plan", *sorted(other.iterdir()), *exclude, "-o", tmp_path / "c.json").err
    assert len(err.splitlines()) == 1 and f"{other}/menu.1.strace and 5 others: only 75 % of the bytes" in err


@pytest.mark.parametrize("words, parts", [
    (["plan", "t", "--content", "c", "-o", "l", "--drvie", "x"], ["plan", "'--drvie'", "'--drive'?", "seekless plan --help"]),
    (["plan", "t", "--contnet", "c", "-o", "l"], ["'--contnet'", "'--content'?"]),
    (["drive", "show", "--jsno", "x"], ["drive show", "'--jsno'", "'--json'?"]),
    (["pack", "l", "-o", "p", "--treads=3"], ["'--treads'", "'--threads'?"]),
    (["plann", "x"], ["'plann'", "'plan'?"]),
    (["plan", "t", "--xyzzy-quux"], ["'--xyzzy-quux'; 'seekless plan --help' lists them"]),
    (["plan", "--trcae", "x"], ["'--trcae'; 'seekless plan --help' lists them"]),
    (["pack", "l", "-o", "p", "--codec", "zip"], ["codec", "zip", "seekless pack --help"])])
def test_a_misspelt_word_is_guessed(tool, words, parts):
    answer = tool.run(*words)
    assert answer.says(*parts).code == USAGE
    assert len(answer.err.splitlines()) == 1
    assert ("do you mean" in answer.err) == any("?" in part for part in parts)


def test_names_that_are_cut_can_be_told_apart(tool, tmp_path):
    content = tmp_path / "content"
    content.mkdir()
    names = [f"track+the-old-lighthouse-by-{time}-of-the-open-house" for time in ("night", "dawn", "daylight")]
    for number, name in enumerate(names):
        (content / f"{number}.dat").write_bytes(noise(number, 50_000))
        (tmp_path / f"{name}.strace").write_text(strace_of([(content / f"{number}.dat", 50_000)]))
    traces = sorted(tmp_path.glob("*.strace"))
    told = {"plan": tool.ok("plan", *traces, "--content", content, "-o", tmp_path / "l.json").text,
            "analyze": tool.ok("analyze", *traces).text}
    for command, text in told.items():
        cut = [line for line in text.splitlines() if line.startswith("track") and "\u2026" in line]
        firsts = [line[:line.index("  ")] for line in cut]
        assert len(firsts) >= 3 and len(set(firsts)) == 3, (command, text)
    # Two of one scenario stand side by side, under headings that are shorter still.
    for run, name in enumerate(("lighthouse-by-night-of-the-open-house.1", "lighthouse-by-night-of-the-open-house.2")):
        (tmp_path / f"{name}.strace").write_text(strace_of([(content / f"{run}.dat", 50_000)]))
    text = tool.ok("analyze", *sorted(tmp_path.glob("lighthouse*")), "--content", content, "--verbose").text
    [heading] = [line for line in text.splitlines() if line.count("\u2026") >= 2]
    one, other = heading.split()
    assert one != other


ONE_OF_MANY = re.compile(r"\b1 (?!s\b|times\b|ms\b|its\b|is\b)([a-z]+s)\b")


def test_one_is_not_said_in_the_plural(tool, tmp_path):
    """A game of one file, and one recording of it."""
    (tmp_path / "content").mkdir()
    file = tmp_path / "content" / "a.dat"
    file.write_bytes(noise(1, 90_000))
    trace = tmp_path / "menu.1.strace"
    trace.write_text(strace_of([(file, 90_000), ("/etc/x", 10)]))
    layout, packs, other = tmp_path / "l.json", tmp_path / "packs", tmp_path / "other"
    of = ("--content", tmp_path / "content")
    texts = {}
    for words in (["import", trace, "-o", tmp_path / "menu.trace"], ["analyze", trace, *of],
                  ["profile", trace, *of, "-o", tmp_path / "p.json"], ["plan", trace, *of, "-o", layout],
                  ["pack", layout, "-o", packs], ["pack", layout, "--list-packs"], ["verify", packs], ["info", packs],
                  ["pack", layout, "-o", other], ["diff", packs, other], ["patch", packs, other, "-o", tmp_path / "x"],
                  ["apply", packs, tmp_path / "x", "-o", tmp_path / "new"], ["report", packs, trace, *of],
                  ["simulate", packs, trace, *of], ["extract", packs, "-o", tmp_path / "out"], ["warm", trace, *of],
                  ["init", tmp_path / "content"]):
        answer = tool.ok(*words)
        texts[words[0]] = answer.text + answer.err
    build = tool.ok("build", tmp_path / "content")
    texts["build"] = build.text + build.err + tool.ok("build", tmp_path / "content").text
    where = tool.run("where", file)
    texts["where"] = where.text
    for command, text in texts.items():
        assert not ONE_OF_MANY.search(text), (command, ONE_OF_MANY.search(text), text)


def test_seconds_that_differ_are_written_differently(tool, loose, tmp_path):
    """The packs are only a little faster than a game whose files lie in order."""
    traces = sorted(loose.glob("*.strace"))
    answer = tmp_path / "answer.json"
    text = " ".join(tool.ok("plan", *traces, "--content", loose / "content", "-o", tmp_path / "l.json",
                            "--json", answer).text.split())
    verdict = json.loads(answer.read_text())["verdict"]
    told = re.search(r"packs (?:save|add) ([\d.]+) s (?:of|to) the ([\d.]+) s that", text)
    saved, as_shipped = abs(verdict["saved_seconds"]), verdict["as_shipped_seconds"]
    assert told[1] != told[2] or saved == as_shipped
    assert float(told[1]) == pytest.approx(saved, rel=0.1) and float(told[2]) == pytest.approx(as_shipped, rel=0.1)


# ---- on a terminal -----------------------------------------------------------------------------

def test_lines_break_between_words(tool, tmp_path):
    project = Project(tool, tmp_path / "a-game-whose-name-is-rather-long")
    for trace in (project.folder / "traces").iterdir():
        trace.write_text(trace.read_text().replace("/d1/", "/elsewhere/"))
    command = tool.command("plan", *sorted((project.folder / "traces").iterdir()), "--content", project.content,
                           "-o", tmp_path / "l.json")
    piped = tool.ok(*command[1:])
    words = set((piped.err + piped.text).split())
    for columns in (80, 60):
        seen, code = on_a_terminal(command, columns)
        assert code == 0
        lines = seen.replace("\r\n", "\n").split("\n")
        assert len(lines) > len((piped.err + piped.text).splitlines())
        for line in lines:
            assert set(line.split()) <= words, line
            if line.startswith("next: "):  # a wrapped command couldn't be copied
                continue
            assert len(line) <= columns or len(line.split()) == 1 or "  " in line.strip(), line


def slowly(tool, opened, *arguments):
    """The command, with the opening of one file taking a second and a half."""
    return ["strace", "-f", "-o", "/dev/null", "-P", str(opened), "-e", "trace=openat",
            "-e", "inject=openat:delay_enter=1500000", *tool.command(*arguments)]


@pytest.fixture(scope="module")
def slow(tool, made, tmp_path_factory):
    """Commands that take long, because one of their files opens slowly."""
    if not strace_can_inject():
        pytest.skip("needs strace that may trace")
    tmp = tmp_path_factory.mktemp("slow")
    tool.ok("patch", made.packs, made.lz4_packs, "-o", tmp / "x.patch")
    trace, of = made.traces[0], ("--content", made.game.folder)
    catalog = made.packs / "catalog.skl"
    cold = made.packs / "cold.skl"
    zipped = made.game.folder / "base.wz"
    build = Project(tool, tmp / "game")
    return {
        "import": (made.straces[0], "import", made.straces[0], "-o", tmp / "t.trace"),
        "analyze": (trace, "analyze", trace, *of),
        "profile": (trace, "profile", trace, *of, "-o", tmp / "p.json"),
        "plan": (zipped, "plan", trace, *of, "-o", tmp / "l.json"),
        "pack": (made.layout, "pack", made.layout, "-o", tmp / "packs"),
        "build": (build.asset(3), "build", build.folder),
        "init": (trace, "init", made.folder),
        "repack": (zipped, "repack", trace, *of, "--in-place", "--dry-run"),
        "verify": (cold, "verify", made.packs),
        "diff": (cold, "diff", made.packs, made.lz4_packs),
        "patch": (cold, "patch", made.packs, made.lz4_packs, "-o", tmp / "y.patch"),
        "apply": (tmp / "x.patch", "apply", made.packs, tmp / "x.patch", "-o", tmp / "new"),
        "report": (trace, "report", made.packs, trace, *of),
        "simulate": (trace, "simulate", made.packs, trace, *of),
        "warm": (trace, "warm", trace),
        "where": (zipped, "where", made.game.folder),
        "info": (catalog, "info", made.packs),
        "info --assets": (catalog, "info", "--assets", made.packs),
        "extract": (cold, "extract", made.packs, "-o", tmp / "out"),
    }


STAGES = {"import": "importing", "analyze": "reading recordings", "profile": "reading recordings",
          "plan": "reading content", "diff": "comparing", "verify": "verifying", "patch": "comparing",
          "report": "reading recordings", "simulate": "reading recordings"}


@pytest.mark.parametrize("name", ["import", "analyze", "profile", "plan", "pack", "build", "init", "repack", "verify",
                                  "diff", "patch", "apply", "report", "simulate", "warm", "where", "info",
                                  "info --assets", "extract"])
def test_what_takes_long_says_so_on_a_terminal(tool, slow, name):
    """All commands follow one rule: after a second they show a line as wide as the terminal, and erase it before other
    output. They show nothing if standard error isn't a terminal."""
    opened, *words = slow[name]
    seen, code = on_a_terminal(slowly(tool, opened, *words), 80)
    if name == "where" and code != 0:
        pytest.skip("the temporary folder's file system doesn't tell where files lie")
    parts = seen.split("\r")
    stage = STAGES.get(name)
    shown = [part for part in parts if re.match(rf"({name.split()[0]}|[a-z]+ing( [a-z]+)?) +(\[|\d)", part)]
    assert shown, seen
    assert stage is None or any(part.startswith(stage) for part in shown)
    assert all(len(part) == 79 for part in shown)
    last = max(i for i, part in enumerate(parts) if part in shown)
    assert parts[last + 1] == " " * 79, "it is wiped"
    assert "\n" not in shown[-1]


def test_nothing_is_shown_where_standard_error_is_no_terminal(tool, slow):
    opened, *words = slow["info"]
    answer = tool.ok(*words, prefix=slowly(tool, opened)[:-1])
    assert answer.err == "" and "\r" not in answer.text


@pytest.mark.parametrize("command", ["pack", "build", "verify"])
def test_threads_have_a_letter(tool, command):
    assert re.search(r"-j, *--threads", tool.ok(command, "--help").text)


def test_the_letter_works(tool, made, tmp_path):
    tool.ok("pack", made.layout, "-o", tmp_path / "packs", "-j", 2)
    tool.ok("verify", tmp_path / "packs", "-j2")
