"""A program writes to content in place while it is read, without changing its length. The result would mix old and new
data, so the command makes no output, and earlier outputs stay. The program itself writes (write_while_read.c), right
after a chosen read of the file, so the test also works on a busy machine."""
import os
import subprocess

import pytest

import zips
from programs import build_preload
from project import Project, settle
from strace_lines import read_of
from tool import DONE, FAILED, tree

OVER = "PK\3\4"  # archives get the same bytes again, because a checksum could notice others


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return build_preload("write_while_read", tmp_path_factory.mktemp("preload"))


class Writer:
    """Runs commands, with a file that is written to while it is read."""

    def __init__(self, tool, library, folder):
        self.tool, self.library, self.folder = tool, library, folder

    def run(self, command, file, at):
        """Returns the exit code, the output, and how often the file was read."""
        count = self.folder / "count"
        over = OVER if file.suffix == ".zip" else "other"
        done = subprocess.run(list(map(str, self.tool.command(*command))), capture_output=True, text=True, timeout=120,
                              env={**os.environ, "LD_PRELOAD": str(self.library), "WRITTEN_FILE": str(file),
                                   "WRITTEN_AT": str(at), "WRITTEN_BYTES": over, "WRITTEN_COUNT": str(count)})
        return done.returncode, done.stderr, int(count.read_text())


@pytest.fixture
def writer(tool, library, tmp_path):
    return Writer(tool, library, tmp_path)


class Case:
    """The result of a command for a project's content in `folder`."""

    def __init__(self, tool, folder):
        folder.mkdir()
        self.project = Project(tool, folder / "game", assets=40)
        self.project.configure(threads=1)
        self.archive = self.project.content / "base.zip"
        self.folder = folder
        self.plan = folder / "layout.json"
        self.out = folder / "out"
        self.trace = folder / "load.strace"
        lines = []
        for at_s, offset in enumerate(reversed(zips.data_offsets(self.archive))):
            lines += read_of(self.archive, offset, 100, at_s=at_s)
        self.trace.write_text("\n".join(lines) + "\n")

    def planned(self):
        self.project.tool.ok("plan", *sorted((self.project.folder / "traces").iterdir()), "--content", self.project.content,
                             "-o", self.plan)

    def pack(self):
        self.planned()
        return ["pack", self.plan, "-o", self.out, "--threads", "1"]

    def part(self):
        self.planned()
        return ["pack", self.plan, "--only", "cold", "-o", self.folder / "cold.skl", "--threads", "1"]

    def build(self):
        return ["build", self.project.folder]

    def repack(self):
        return ["repack", self.trace, "--content", self.project.content, "-o", self.out]

    def overlay(self):
        return ["repack", self.trace, "--content", self.project.content, "--overlay", "zz.zip", "--force"]

    def in_place(self):
        return ["repack", self.trace, "--content", self.project.content, "--in-place", "--force"]

    def made(self):
        """Returns all outputs, without a build's own state."""
        return {path: bytes_ for path, bytes_ in tree(self.folder).items() if "/.seekless" not in path}


WAYS = [(Case.pack, "loose"), (Case.pack, "zip"), (Case.part, "zip"), (Case.build, "loose"), (Case.build, "zip"),
        (Case.repack, "zip"), (Case.overlay, "zip"), (Case.in_place, "zip")]


@pytest.mark.parametrize("way, kind", WAYS, ids=lambda value: getattr(value, "__name__", value))
def test_what_was_written_to_while_it_was_read_becomes_nothing(tool, writer, tmp_path, way, kind):
    def prepared(name):
        case = Case(tool, tmp_path / name)
        file = case.archive if kind == "zip" else case.project.asset(5)
        command = way(case)
        settle()
        return case, file, command

    case, file, command = prepared("quiet")
    before = case.made()
    code, said, reads = writer.run(command, file, 0)
    assert code == DONE and reads > 0, said
    assert case.made() != before, "it makes something where nobody writes"
    case, file, command = prepared("written")
    before = case.made()
    code, said, _ = writer.run(command, file, reads)
    assert code == FAILED and file.name in said, said
    after = case.made()
    assert after.keys() == before.keys()
    changed = [path for path in after if after[path] != before[path]]
    assert changed == ([] if kind == "zip" else [file.relative_to(case.folder).as_posix()])
    # The next run, on the present content, does all the work.
    assert writer.run(command, file, 0)[0] == DONE
