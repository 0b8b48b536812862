"""The real strace records one program in each of its styles; import finds the same reads in all."""
import shutil
import subprocess
import sys

import pytest

from trace_reads import reads_by_file

CALLS = "trace=file,desc,process,mmap"
PROGRAM = """
import os, sys, threading
top = sys.argv[1]
fd = os.open(top + "/a b.pak", os.O_RDONLY)
os.read(fd, 1000)
os.lseek(fd, 5000, os.SEEK_SET)
os.read(fd, 500)
os.pread(fd, 300, 100)
copy = os.dup(fd)
os.read(copy, 10)
os.preadv(fd, [bytearray(7), bytearray(9)], 2000)
os.chdir(top)
below = os.open("sub/\\u00e9<x>.dat", os.O_RDONLY)
os.read(below, 64)
folder = os.open("sub", os.O_RDONLY | os.O_DIRECTORY)
relative = os.open("c.dat", os.O_RDONLY, dir_fd=folder)
os.read(relative, 33)
out = os.open("out.tmp", os.O_WRONLY | os.O_CREAT, 0o600)
os.sendfile(out, relative, 40, 20)
os.sendfile(out, relative, None, 5)
try:
    os.open("none.dat", os.O_RDONLY)
except OSError:
    pass
def in_thread():
    os.read(fd, 21)
thread = threading.Thread(target=in_thread)
thread.start()
thread.join()
child = os.fork()
if child == 0:
    os.read(fd, 22)
    os._exit(0)
os.waitpid(child, 0)
os.read(fd, 23)
"""
STYLES = {
    "recommended": "-f -ttt -y -T",
    "time_of_day": "-f -tt -T",
    "seconds": "-f -t",
    "relative": "-f -r -T",
    "no_times": "-f",
    "relative_beside_clock": "-f -t -r",
    "details": "-f -ttt -yy -T",
    "hexadecimal": "-f -ttt -xx",
    "hexadecimal_annotated": "-f -ttt -xx -y",
    "half_hexadecimal": "-f -ttt -x -y",
    "no_data": "-f -ttt -s 0",
    "long_data": "-f -ttt -y -s 2000",
    "pointers": "-f -ttt -i -n",
    "names_of_threads": "-f -ttt -Y",
    "verbose": "-f -ttt -v -y -T",
    "raw_flags_annotated": "-f -ttt -y -X verbose",
}


def strace_works():
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(not strace_works(), reason="strace isn't there, or may not trace")


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    top = tmp_path_factory.mktemp("styles").resolve()
    (top / "sub").mkdir()
    (top / "a b.pak").write_bytes(bytes(range(256)) * 64)
    (top / "sub" / "\u00e9<x>.dat").write_bytes(b"x" * 500)
    (top / "sub" / "c.dat").write_bytes(b"y" * 500)
    (top / "program.py").write_text(PROGRAM)
    return top


def record(content, options, output=None):
    """Runs the program under strace; without `output`, returns the terminal's output."""
    command = ["strace", *options.split(), "-e", CALLS]
    if output is not None:
        command += ["-o", str(output)]
    done = subprocess.run([*command, sys.executable, "-I", "-S", str(content / "program.py"),
                           str(content)], capture_output=True, timeout=60, check=True)
    return done.stderr


def reads(path, content):
    """Returns the length of each read of the program's own files, by file."""
    top = str(content) + "/"
    return {name[len(top):]: what for name, what in reads_by_file(path, with_failures=True).items()
            if name.startswith(top) and not name.endswith(".py")}


EXPECTED = {
    "a b.pak": [(0, 1000), (5000, 500), (100, 300), (5500, 10), (2000, 16), (5510, 21), (5531, 22),
                (5553, 23)],
    "sub/\u00e9<x>.dat": [(0, 64)],
    "sub/c.dat": [(0, 33), (40, 20), (33, 5)],
    "none.dat": ["failed"],
}


@pytest.mark.parametrize("style", STYLES)
def test_style_gives_the_same_reads(tool, content, tmp_path, style):
    record(content, STYLES[style], tmp_path / "rec.strace")
    tool.ok("import", tmp_path / "rec.strace", "-o", f"{tmp_path}/")
    assert reads(tmp_path / "rec.jsonl.lz4", content) == EXPECTED


def test_what_goes_to_the_terminal_gives_the_same_reads(tool, content, tmp_path):
    (tmp_path / "rec.strace").write_bytes(record(content, "-f -tt -T"))
    tool.ok("import", tmp_path / "rec.strace", "-o", f"{tmp_path}/")
    assert reads(tmp_path / "rec.jsonl.lz4", content) == EXPECTED


def test_a_file_for_each_thread_is_joined(tool, content, tmp_path):
    record(content, "-ff -ttt -T", tmp_path / "rec.strace")
    parts = sorted(tmp_path.glob("rec.strace.*"))
    assert len(parts) == 3
    answer = tool.ok("import", "--join", *parts, "-o", f"{tmp_path}/")
    assert ": rec from strace:" in answer.text
    assert reads(tmp_path / "rec.jsonl.lz4", content) == EXPECTED


def test_threads_without_times_cannot_be_joined(tool, content, tmp_path):
    record(content, "-ff -r", tmp_path / "rec.strace")
    tool.run("import", "--join", *sorted(tmp_path.glob("rec.strace.*")), "-o",
             f"{tmp_path}/").says("strace -ff -ttt")


def test_a_program_that_opens_nothing_is_told_so(tool, tmp_path):
    subprocess.run(["strace", "-e", "trace=exit_group", "-o", tmp_path / "t.strace", "true"],
                   check=True, capture_output=True)
    tool.run("import", tmp_path / "t.strace", "-o", f"{tmp_path}/").says(
        "at least one read", "opened no file")
