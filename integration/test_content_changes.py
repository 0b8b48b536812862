"""Content that somebody writes to while it is read, under its own name and as long as before: what comes of it would be a mix
of old and new, so nothing does, and what was there before stays. The program is stopped at its first write for that."""
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from project import Project, settle
from tool import DONE, FAILED, strace_can_inject, tree

pytestmark = pytest.mark.skipif(not strace_can_inject(), reason="needs strace and the right to trace")
PATIENCE_S = 60


def program_of(tracer):
    """The process that a tracer has started, once it is stopped."""
    end = time.monotonic() + PATIENCE_S
    seen = 0  # so many times in a row; each call that is traced stops it for a moment
    while time.monotonic() < end:
        for child in Path(f"/proc/{tracer.pid}/task/{tracer.pid}/children").read_text().split():
            stopped = Path(f"/proc/{child}/status").read_text().split("State:\t")[1][0] in "tT"
            seen = seen + 1 if stopped else 0
            if seen == 10:
                return int(child)
        time.sleep(0.02)
    raise AssertionError("it doesn't stop")


def run_with_a_change(command, file):
    """The program's exit code and what it says."""
    tracer = subprocess.Popen(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64",
                               "-e", "inject=pwrite64:signal=STOP:when=1", *map(str, command)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    program = program_of(tracer)
    if file:
        settle()
        # An archive gets the same bytes again: others could show by themselves, by a checksum.
        bytes_ = file.read_bytes()[:8] if file.suffix == ".zip" else b"\xff" * 8
        with open(file, "r+b") as content:
            content.write(bytes_)
    os.kill(program, signal.SIGCONT)
    said = tracer.communicate(timeout=PATIENCE_S)[1]
    return tracer.returncode, said


@pytest.fixture
def project(tool, tmp_path):
    made = Project(tool, tmp_path / "game")
    made.plan = tmp_path / "layout.json"
    tool.ok("plan", *sorted((made.folder / "traces").iterdir()), "--content", made.content, "-o", made.plan)
    return made



@pytest.mark.parametrize("written", ["a file", "an archive", "nothing"])
@pytest.mark.parametrize("part", [[], ["--only", "cold"]], ids=["set", "one"])
def test_packs(tool, project, written, part):
    file = {"a file": project.asset(80), "an archive": project.content / "base.zip", "nothing": None}[written]
    out = project.folder / ("cold.skl" if part else "packs")
    command = ["pack", project.plan, *part, "-o", out]
    tool.ok(*command)
    before = out.read_bytes() if part else tree(out)
    code, said = run_with_a_change(tool.command(*command), file)
    if file:
        assert code == FAILED and str(file) in said and "stays as it is while it is read" in said, said
    else:
        assert code == DONE, said
    assert (out.read_bytes() if part else tree(out)) == before


@pytest.mark.parametrize("how", [["-o", "out"], ["--in-place"], ["--overlay", "zz.zip"]], ids=lambda how: how[0])
def test_archives(tool, project, tmp_path, how):
    archive = project.content / "base.zip"
    trace = tmp_path / "load.strace"
    trace.write_text(f'7 1.0 openat(AT_FDCWD, "{archive}", O_RDONLY) = 3<{archive}>\n'
                     f'7 1.1 pread64(3<{archive}>, ""..., 4000, 8000) = 4000\n')
    how = [tmp_path / "out" if word == "out" else word for word in how]
    listed = sorted(os.listdir(project.content))
    code, said = run_with_a_change(tool.command("repack", trace, "--content", project.content, *how), archive)
    assert code == FAILED and "base.zip" in said, said
    assert not (tmp_path / "out" / "base.zip").exists()
    assert [name for name in sorted(os.listdir(project.content)) if not name.startswith(".")] == listed


@pytest.mark.parametrize("error, code", [("EINVAL", DONE), ("EROFS", DONE), ("EOPNOTSUPP", DONE), ("EIO", FAILED)])
def test_only_a_flush_that_loses_bytes_is_a_failure(tool, project, error, code):
    """Some file systems, and folders of theirs, can't be flushed."""
    packs, files = project.folder / "packs", project.folder / "files"
    for command in (["pack", project.plan, "-o", packs], ["extract", packs, "-o", files]):
        if command[0] == "extract":
            tool.ok("pack", project.plan, "-o", packs)
        done = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync,syncfs", "-e",
                               f"inject=fsync,fdatasync,syncfs:error={error}", *map(str, tool.command(*command))],
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == code, done.stderr
