"""The tool works on Linux 4.18: `old_kernel.c` refuses each newer system call, and newer requests of older ones."""
import json
import os
import subprocess
import sys

import pytest

from test_play import pytestmark as needs_fuse
from tool import DONE, TOP, as_nobody, give_to_nobody, tree


@pytest.fixture(scope="module")
def old_kernel(tmp_path_factory):
    program = tmp_path_factory.mktemp("old-kernel") / "old_kernel"
    subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", program, TOP / "integration" / "old_kernel.c"], check=True)
    return [program]


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number}.txt").write_text("".join(f"{number} {line}\n" for line in range(number, 2000)))
    return folder


# A shell opens, duplicates and closes; cat reads whole files, dd reads pieces at offsets, and two processes read at the
# same time.
GAME = "cat 7.txt 3.txt >/dev/null; dd if=5.txt of=/dev/null bs=512 skip=4 count=3 2>/dev/null; (cat 1.txt & cat 2.txt; wait) >/dev/null; exec 4<6.txt; cat <&4"


def record(tool, data, trace, prefix=()):
    answer = tool.run("record", "-o", trace, "--", "sh", "-c", GAME, cwd=data, prefix=prefix)
    assert answer.code == DONE, answer.err
    plain = trace.with_suffix(".jsonl")
    tool.ok("import", trace, "-o", plain)
    lines = [json.loads(line) for line in plain.read_text().splitlines()]
    paths = sorted(line["path"].rpartition("/")[2] for line in lines if str(line.get("path", "")).startswith(str(data)))
    return answer.text, paths, trace


def test_the_helper_refuses_a_new_call_and_no_old_one(old_kernel):
    call = "import ctypes, os, sys; libc = ctypes.CDLL(None, use_errno=True); print(libc.syscall(int(sys.argv[1]), -1, 0, 0, 0), ctypes.get_errno())"
    getpid = {"x86_64": 39}.get(os.uname().machine, 172)
    for number, said in (434, "-1 38\n"), (437, "-1 38\n"), (getpid, None):
        done = subprocess.run([*old_kernel, "python3", "-c", call, str(number)], capture_output=True, text=True, check=True)
        assert done.stdout == said or said is None and not done.stdout.startswith("-1")


def test_it_records_plans_packs_and_verifies_the_same(tool, data, tmp_path, old_kernel):
    trees = []
    for name, prefix in ("new", ()), ("old", old_kernel):
        text, paths, trace = record(tool, data, tmp_path / f"{name}.trace", prefix)
        assert paths == ["1.txt", "2.txt", "3.txt", "5.txt", "6.txt", "7.txt"]
        assert text == (data / "6.txt").read_text()
        made = tmp_path / name
        made.mkdir()
        for words in ("plan", tmp_path / "new.trace", "--content", data, "-o", made / "layout.json"), \
                ("pack", made / "layout.json", "-o", made / "packs"), ("verify", made / "packs"):
            answer = tool.run(*words, prefix=prefix)
            assert answer.code == DONE, answer.err
        trees.append(tree(made / "packs"))
    assert trees[0] == trees[1]


@needs_fuse[0]
def test_it_plays(tool, data, tmp_path, old_kernel):
    for _ in range(2):  # in the second run, `play` knows the first run's reads
        answer = tool.run("play", "--always", "--state", tmp_path / "state", data, "--", "sh", "-c", GAME, cwd=data, prefix=old_kernel)
        assert answer.code == DONE, answer.err
        assert answer.text == (data / "6.txt").read_text()
        assert "warning" not in answer.err


ASK = "import os; print([os.access('7.txt', mask) for mask in (os.F_OK, os.R_OK, os.W_OK, os.X_OK)]); os.chdir('sub'); print(os.listdir('.'))"


@needs_fuse[0]
@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user needs root")
def test_an_ordinary_user_asks_for_rights_and_enters_folders(tool, data, tmp_path_factory, old_kernel):
    (data / "sub").mkdir()
    (data / "sub" / "file").touch()
    give_to_nobody(data.parent, data, *data.rglob("*"))
    prefix = [*as_nobody(tmp_path_factory.mktemp("fuse")), *old_kernel]
    answer = tool.run("play", "--always", data, "--", sys.executable, "-I", "-S", "-c", ASK, cwd=data, prefix=prefix)
    assert answer.code == DONE, answer.err
    assert answer.text == "[True, True, True, False]\n['file']\n"
    assert "without being served" not in answer.err
