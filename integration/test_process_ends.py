"""The tool ends properly when resources are missing: no place to report an error, closed standard streams, files that
may not grow, no memory, no threads. It always ends with an exit code and, if possible, a message; an output is complete
or doesn't exist."""
import shutil
import subprocess

import pytest

from faults import Faults
from test_repack_in_place import Home
from tool import DAMAGED, DONE, FAILED, USAGE, tree


def shell(tool, redirected, *arguments):
    """Runs the tool with a shell's redirections; a signal shows as 128 and more."""
    line = '"$@" ' + redirected
    return subprocess.run(["bash", "-c", f"{line}; exit $?", "bash", *tool.command(*arguments)],
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=120)


def damaged_set(made, folder):
    shutil.copytree(made.packs, folder)
    with open(folder / "menu.skl", "r+b") as file:
        file.seek(9000)
        file.write(b"damage")
    return folder


@pytest.mark.parametrize("redirected", ["2>&-", "2>/dev/full", "2>/dev/full >/dev/full", "2>&- >&- <&-", "2>&- <&-"])
def test_what_fails_fails_with_its_own_code_however_it_is_said(tool, made, tmp_path, redirected):
    failing = {("verify", damaged_set(made, tmp_path / "damaged")): DAMAGED,
               ("verify", tmp_path / "none"): FAILED,
               ("info", "--assets", tmp_path / "none"): FAILED,
               ("extract", made.packs, "-o", "/proc/none"): FAILED,
               ("pack", made.layout, "-o", "/dev/null"): FAILED,
               ("plan", tmp_path / "none.strace", "--content", made.game.folder, "-o", tmp_path / "l"): FAILED,
               ("build", tmp_path / "none"): USAGE,
               ("frobnicate",): USAGE,
               ("pack",): USAGE,
               ("repack", "--in-place"): USAGE}
    for command, code in failing.items():
        assert tool.run(*command).code == code, command
        done = shell(tool, redirected, *command)
        assert done.returncode == code, (command, done)


def test_warnings_that_cannot_be_said_stop_nothing(tool, made, tmp_path):
    plain = tmp_path / "plain.json"
    command = ("plan", *made.traces, "--content", made.game.folder, "--weight", "none=2", "-o")
    assert "warning" in tool.ok(*command, plain).err
    assert shell(tool, "2>/dev/full", *command, tmp_path / "l.json").returncode == DONE
    assert shell(tool, "2>&-", *command, tmp_path / "m.json").returncode == DONE
    assert (tmp_path / "l.json").read_bytes() == plain.read_bytes() == (tmp_path / "m.json").read_bytes()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_no_file_gets_the_number_of_a_closed_stream(tool, made, tmp_path, closed):
    """Otherwise the messages would be written into the file."""
    packs = tmp_path / "packs"
    packed = shell(tool, closed, "pack", made.layout, "--codec", "raw", "-o", packs)
    assert packed.returncode == (FAILED if ">&-" in closed.replace("2>&-", "") else DONE), packed
    assert tree(packs) == tree(made.packs)
    out = tmp_path / "out"
    shell(tool, closed, "extract", made.packs, "-o", out)
    tool.ok("extract", made.packs, "-o", tmp_path / "expected")
    assert tree(out) == tree(tmp_path / "expected")


def test_an_answer_for_a_closed_output_is_an_error(tool, made):
    done = shell(tool, ">&-", "info", "--assets", made.packs)
    assert done.returncode == FAILED and b"standard output" in done.stderr


@pytest.mark.parametrize("blocks", [8, 64, 512])  # in units of 1 KiB
def test_a_file_that_may_grow_no_more_is_told(tool, made, tmp_path, blocks):
    """RLIMIT_FSIZE sends a signal that would end the process."""
    output = tmp_path / "out"
    limited = ["bash", "-c", f'ulimit -f {blocks}; exec "$@"', "bash"]
    for command in (("extract", made.packs, "-o", output), ("pack", made.layout, "-o", output),
                    ("pack", made.layout, "-o", output, "--codec", "lz4"),
                    ("plan", *made.traces, "--content", made.game.folder, "-o", output)):
        answer = tool.run(*command, prefix=limited)
        if answer.code != DONE:
            answer.says("File too large", "choose another output")
            assert answer.code == FAILED
        assert not any(".tmp" in name or ".seekless-new" in name for name in (tree(output) if output.is_dir() else ()))
        shutil.rmtree(output, ignore_errors=True)
        output.unlink(missing_ok=True)


def test_extracting_goes_on_where_a_full_disk_ended_it(tool, made, small_disk, tmp_path):
    tool.ok("extract", made.packs, "-o", tmp_path / "expected")
    disk = small_disk(1 << 20)
    tool.run("extract", made.packs, "-o", disk / "out").says("No space left", "run it again")
    left = tree(disk / "out")
    assert left and not any(".tmp" in name for name in left)
    subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
    answer = tool.json("extract", made.packs, "-o", disk / "out")
    assert 0 < answer["kept_assets"] < answer["assets"]
    assert tree(disk / "out") == tree(tmp_path / "expected")
    name = next(name for name, text in left.items() if text)
    (disk / "out" / name).write_bytes(b"mine")
    tool.run("extract", made.packs, "-o", disk / "out").says(name, "--overwrite")
    assert (disk / "out" / name).read_bytes() == b"mine"


def least_memory(tool):
    """Finds the least memory with which the program can be loaded at all."""
    for megabytes in range(8, 400, 4):
        done = subprocess.run(["prlimit", f"--as={megabytes << 20}", *tool.command("--version")], capture_output=True)
        if done.returncode == DONE:
            return megabytes
    raise AssertionError("it never loads")


@pytest.mark.parametrize("command", ["verify", "pack", "pack lz4", "plan", "extract", "repack"])
def test_without_memory_it_says_so(tool, made, tmp_path, command):
    home = Home(tool, tmp_path, archives=2, size=300_000)
    output = tmp_path / "out"
    line = {"verify": ("verify", made.lz4_packs, "--threads", 8),
            "pack": ("pack", made.layout, "-o", output, "--threads", 8),
            "pack lz4": ("pack", made.layout, "-o", output, "--threads", 8, "--codec", "lz4"),
            "plan": ("plan", *made.traces, "--content", made.game.folder, "-o", output),
            "extract": ("extract", made.packs, "-o", output),
            "repack": ("repack", home.trace, "--content", home.home, "-o", output)}[command]
    ends = set()
    least = least_memory(tool)
    for megabytes in [*range(least, least + 24, 2), *range(least + 24, least + 200, 16)]:
        answer = tool.run(*line, prefix=["prlimit", f"--as={megabytes << 20}"])
        ends.add(answer.code)
        assert answer.code in (DONE, FAILED), answer.err
        if answer.code == FAILED:
            answer.says()
            assert not output.exists() or command == "extract"
        shutil.rmtree(output, ignore_errors=True)
        output.unlink(missing_ok=True)
    assert DONE in ends


@pytest.mark.parametrize("command", ["verify", "pack", "pack lz4", "plan", "build", "repack", "repack in place"])
def test_without_threads_the_work_is_done_by_those_there_are(tool, made, tmp_path, command):
    from project import Project
    faults = Faults(tmp_path)
    home = Home(tool, tmp_path, archives=2, size=3000)
    project = Project(tool, tmp_path / "game", assets=60, most_bytes=3000)
    output = tmp_path / "out"
    line = {"verify": ("verify", made.packs, "--threads", 8),
            "pack": ("pack", made.layout, "-o", output, "--threads", 8),
            "pack lz4": ("pack", made.layout, "-o", output, "--threads", 8, "--codec", "lz4"),
            "plan": ("plan", *made.traces, "--content", made.game.folder, "-o", output),
            "build": ("build", project.folder, "--threads", 8),
            "repack": ("repack", home.trace, "--content", home.home, "-o", output),
            "repack in place": home.command}[command]

    def result():
        found = tree(output) if output.is_dir() else output.read_bytes() if output.exists() else None
        return found, tree(project.packs) if project.packs.exists() else None, home.tree()

    def reset():
        shutil.rmtree(output, ignore_errors=True)
        output.unlink(missing_ok=True)
        for path in (project.packs, project.folder / ".seekless"):
            shutil.rmtree(path, ignore_errors=True)
        (project.folder / "layout.lock").unlink(missing_ok=True)
        tool.ok("restore", home.home)

    tool.ok(*line, env=faults.env())
    expected = result()
    _, threads, _ = faults.counted()
    assert threads > 0
    done = 0
    for number in range(1, threads + 1):
        reset()
        answer = tool.run(*line, env=faults.env(thread=number))
        if answer.code == DONE:
            assert result() == expected
            done += 1
        else:
            # A command that can't do without a thread says so, and changes nothing.
            assert answer.code == FAILED and command.startswith("repack")
            answer.says("Resource temporarily unavailable")
            assert home.tree() == home.old
    assert done > 0 or command.startswith("repack")
