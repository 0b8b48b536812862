"""Output for people: the progress bar on a terminal only, help with examples, and no name that could control the
terminal."""
import os
import pty
import re
import select
import signal
import subprocess
import time

import pytest

from tool import FAILED, USAGE

COMMANDS = ["advise", "games", "ui", "play", "repack", "restore", "warm", "place", "record", "mark", "import", "analyze",
            "init", "build", "profile", "plan", "pack", "doctor", "where", "simulate", "report", "drive", "prove",
            "diff", "patch", "apply", "info", "verify",
            "extract", "mount", "emit"]
BIG_BYTES = 2 << 30


def on_a_terminal(command, columns, stdout_too=True, pause_s=0):
    """Returns everything that the command writes to a terminal of that width, and its exit code. With `pause_s` the
    command is stopped for so long soon after its start, so that it is also slow on fast machines."""
    main, side = pty.openpty()
    os.set_blocking(main, False)
    subprocess.run(["stty", "cols", str(columns), "rows", "25"], stdin=side, check=True)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=side,
                               stdout=side if stdout_too else subprocess.DEVNULL)
    os.close(side)
    if pause_s > 0:
        time.sleep(0.05)
        process.send_signal(signal.SIGSTOP)
        time.sleep(pause_s)
        process.send_signal(signal.SIGCONT)
    seen = b""
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline:
        select.select([main], [], [], 0.2)
        try:
            part = os.read(main, 65536)
        except BlockingIOError:
            continue
        except OSError:  # the other side is closed
            break
        if not part:
            break
        seen += part
    os.close(main)
    return seen.decode(), process.wait()


@pytest.fixture(scope="module")
def big(tool, tmp_path_factory):
    """Makes a layout that takes a while to carry out, with hardly any data on disk."""
    folder = tmp_path_factory.mktemp("big")
    (folder / "content").mkdir()
    file = folder / "content" / "big.bin"
    with open(file, "wb") as opened:
        opened.truncate(BIG_BYTES)
    (folder / "big.strace").write_text(f'7 1.0 openat(AT_FDCWD</>, "{file}", O_RDONLY) = 3<{file}>\n'
                                       f'7 1.1 read(3<{file}>, ""..., 9) = 9\n')
    tool.ok("plan", folder / "big.strace", "--content", folder / "content", "-o", folder / "l.json")
    return folder


@pytest.mark.parametrize("columns", [80, 40])
def test_long_work_shows_a_bar_on_a_terminal(tool, big, tmp_path, columns):
    # Compressed zeros are next to nothing, so that the work takes the time and not the writing.
    command = tool.command("pack", big / "l.json", "-o", tmp_path / "packs", "--codec", "lz4",
                           "--threads", 1)
    seen, code = on_a_terminal(command, columns, pause_s=1.2)
    assert code == 0
    bars = [part for part in seen.split("\r") if part.startswith("packing [")]
    assert bars, seen
    assert all(len(bar.rstrip("\n")) < columns for bar in bars)
    if columns == 80:
        assert re.match(r"packing \[#*-*\] +\d+ %  \d+ MB/s  \d+ s left", bars[0])
    for line in re.split(r"[\r\n]", seen):
        assert "[" not in line or len(line) < columns
    # The bar is wiped before the answer is printed.
    after = seen[seen.rindex("packing ["):]
    assert re.search(r"\r {%d}\r" % (columns - 1), after)
    assert "1 pack, " in " ".join(after.split())


def test_no_bar_where_standard_error_is_no_terminal(tool, big, tmp_path):
    answer = tool.ok("pack", big / "l.json", "-o", tmp_path / "packs", "--codec", "lz4", "--threads", 1)
    assert answer.err == "" and "\r" not in answer.text


def test_short_work_shows_no_bar(tool, made, tmp_path):
    seen, code = on_a_terminal(tool.command("pack", made.layout, "-o", tmp_path / "packs"), 80)
    assert code == 0 and "[" not in seen
    seen, code = on_a_terminal(tool.command("verify", made.packs), 80, stdout_too=False)
    assert (seen, code) == ("", 0)


@pytest.mark.parametrize("command", [command for command in COMMANDS if command != "drive"]
                         + ["drive list", "drive show", "drive calibrate"])
def test_help_shows_an_example(tool, command):
    text = tool.ok(*command.split(), "--help").text
    example = text[text.index("Example:\n"):].splitlines()[1:]
    assert any(f"{line} ".startswith(f"  seekless {command} ") for line in example)
    assert "--json" in text or command == "ui"
    assert [line for line in text.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("command", ["", "drive", "drive check", "completion", "manual", "settings"])
def test_no_line_of_help_is_wider_than_a_terminal(tool, command):
    lines = tool.ok(*command.split(), "--help").text.splitlines() + tool.ok().text.splitlines()
    assert [line for line in lines if len(line) > 80] == []


def test_an_unknown_command_is_named(tool):
    assert "found 'foo'" in tool.run("foo").err


def test_help_names_every_command(tool):
    listed = re.findall(r"^  (\w+) ", tool.ok("--help").text, re.MULTILINE)
    assert listed == COMMANDS
    assert re.fullmatch(r"seekless \d+\.\d+\.\d+\n", tool.ok("--version").text)


ESCAPE = "\x1b]0;owned\x07"


def test_names_cannot_drive_the_terminal(tool, made, tmp_path):
    file = tmp_path / f"x{ESCAPE}"
    file.write_bytes(b"nothing")
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / f"a{ESCAPE}").write_bytes(b"x")
    for command in [("info", "--assets", file), ("verify", file), ("import", file, "-o", tmp_path / "t"),
                    ("pack", file, "-o", tmp_path / "p"), ("extract", "-o", "-", made.packs, ESCAPE),
                    ("plan", file, "--content", tmp_path / "content", "-o", tmp_path / "l")]:
        answer = tool.run(*command)
        assert answer.code != 0
        assert "\x1b" not in answer.err + answer.text and "\x07" not in answer.err + answer.text
        assert "\\x1b]0;owned\\x07" in answer.err + answer.text


def test_wrong_options_cannot_drive_the_terminal(tool):
    """CLI11 2.4 and later treat such a word as a file name."""
    answer = tool.run("info", "--assets", "x", f"--{ESCAPE}")
    assert answer.code in (FAILED, USAGE) and "\x1b" not in answer.err + answer.text


@pytest.mark.parametrize("words", [
    ("pack", "layout.json", "-o", "packs", "--threads", ""), ("plan", "trace", "-o", "layout.json", "--budget", ""),
    ("simulate", "trace", "--queue-depth", ""), ("analyze", "trace", "--top", ""), ("build", "--patch-price", "")])
def test_no_number_is_none_of_zero(tool, words):
    answer = tool.run(*words)
    assert answer.code == USAGE
    answer.says("expected a number, found ''")


def test_an_asset_and_its_answer_do_not_share_a_stream(tool):
    answer = tool.run("extract", "packs", "a", "-o", "-", "--json", "-")
    assert answer.code == USAGE
    answer.says("a file for --json")


def test_without_a_command_it_says_where_to_begin(tool):
    lines = tool.ok().text.splitlines()
    assert len(lines) == 5 and all("seekless " in line for line in lines)
    assert [line.split("  ")[0] for line in lines] == [
        "Play a game faster", "Pack your game", "Read packs in your engine", "Inspect", "Help"]


def test_help_and_a_command_is_its_help(tool):
    assert tool.ok("help", "plan").text == tool.ok("plan", "--help").text
    assert tool.ok("help", "drive", "show").text == tool.ok("drive", "show", "--help").text
    assert tool.ok("help").text == tool.ok("--help").text
    tool.run("help", "packk").says("packk", "do you mean 'pack'?")
