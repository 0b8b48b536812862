"""File systems that don't support flushing, and those whose flush fails: only the latter lose bytes. Writes to content
during packing are tested in tests/pack/pack_set_writer_test.cpp, where the moment can be chosen."""
import os
import subprocess

import pytest

from project import Project
from tool import DONE, FAILED, as_nobody, give_to_nobody, strace_can_inject

pytestmark = pytest.mark.skipif(not strace_can_inject(), reason="needs strace and the right to trace")


@pytest.fixture
def project(tool, tmp_path):
    made = Project(tool, tmp_path / "game")
    made.plan = tmp_path / "layout.json"
    tool.ok("plan", *sorted((made.folder / "traces").iterdir()), "--content", made.content, "-o", made.plan)
    return made


@pytest.mark.parametrize("error, code", [("EINVAL", DONE), ("EROFS", DONE), ("EOPNOTSUPP", DONE), ("EIO", FAILED)])
def test_only_a_flush_that_loses_bytes_is_a_failure(tool, project, error, code):
    """Some file systems can't flush, or can't flush folders."""
    packs, files = project.folder / "packs", project.folder / "files"
    for command in (["pack", project.plan, "-o", packs], ["extract", packs, "-o", files]):
        if command[0] == "extract":
            tool.ok("pack", project.plan, "-o", packs)
        done = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync,syncfs", "-e",
                               f"inject=fsync,fdatasync,syncfs:error={error}", *map(str, tool.command(*command))],
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == code, done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="files of other users need root")
def test_a_folder_that_may_be_written_to_but_not_listed_takes_a_file(tool, project, tmp_path):
    """A folder that can't be opened can't be flushed, either."""
    drop, aside = tmp_path / "drop", tmp_path / "aside"
    drop.mkdir(), aside.mkdir()
    give_to_nobody(tmp_path, drop)
    drop.chmod(0o311)
    trace = sorted((project.folder / "traces").iterdir())[0]
    done = subprocess.run([*as_nobody(aside), *map(str, tool.command("import", trace, "-o", drop / "a.jsonl"))],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == DONE, done.stderr
    assert (drop / "a.jsonl").read_bytes()
