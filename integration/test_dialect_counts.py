"""Compares what import finds in each dialect with what a few lines of Python find in the same file: real logs of
other tools that lie beside the clone, and recordings that the real tools make here."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tool import DAMAGED, TOP
from trace_reads import reads_by_file

SAMPLES = Path(os.environ.get("SEEKLESS_SAMPLES", TOP.parent / "shared" / "samples"))
# Two threads read, with several files open at once, and map files.
PROGRAM = """
import mmap, os, sys, threading
top = sys.argv[1]
os.chdir(top)
held = [os.open(f"f{i}.pak", os.O_RDONLY) for i in range(8)]
for i in range(200):
    os.pread(held[i % 8], 1000 + i, 512 * i)
    if i % 3 == 0:
        os.read(held[i % 5], 100 + i)
    if i % 7 == 0:
        os.lseek(held[i % 8], 4096 * (i % 11), os.SEEK_SET)
mapped = mmap.mmap(held[0], 8192, prot=mmap.PROT_READ)
thread = threading.Thread(target=lambda: [os.read(held[2], 333) for _ in range(9)])
thread.start()
thread.join()
"""


def sample(name):
    path = SAMPLES / name
    if not path.exists():
        pytest.skip(f"no {path}; SEEKLESS_SAMPLES names the folder of real logs")
    return path


def imported(tool, log, output, *options):
    [answer] = tool.json("import", log, "-o", output, *options)["inputs"]
    return answer


# ---------------------------------------------------------------- logs of others


def test_a_real_log_of_strace(tool, tmp_path):
    log = sample("ls.strace")
    reads, failed, opens, maps = [], 0, 0, 0
    for line in log.read_text().splitlines():
        if found := re.search(r" (read|pread64)\(\d+, .* = (\d+) <", line):
            reads.append(int(found[2]))
        if found := re.search(r" openat\(AT_FDCWD, \"[^\"]*\", ([A-Z_|]+)\) = (-?\d+)", line):
            if "O_DIRECTORY" not in found[1]:
                opens += 1
                failed += found[2] == "-1"
        maps += bool(re.search(r" mmap\([^,]*, \d+, PROT_READ[^,]*, [^,]*, \d+, ", line))
    reads = [length for length in reads if length > 0]
    answer = imported(tool, log, tmp_path / "t.jsonl")
    assert len(reads) > 5 and maps > 5
    assert (answer["reads"], answer["bytes"]) == (len(reads), sum(reads))
    events = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()[1:]]
    assert sum("map" in event for event in events) == maps
    assert sum("open" in event for event in events) == opens
    assert sum("errno" in event for event in events) == failed


def test_a_real_log_of_unreal(tool, tmp_path):
    log = sample("unreal-GameOpenOrder.log")
    names = [re.match(r'"(.*)" \d+$', line)[1] for line in log.read_text().splitlines() if line]
    answer = imported(tool, log, tmp_path / "t.jsonl")
    assert answer["dialect"] == "unreal"
    assert answer["reads"] == len(names) == 614


# ---------------------------------------------------------------- recorded here


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    top = tmp_path_factory.mktemp("recorded").resolve()
    for i in range(8):
        (top / f"f{i}.pak").write_bytes(bytes(200_000))
    (top / "program.py").write_text(PROGRAM)
    return top


@pytest.fixture(scope="module")
def expected(folder):
    """Returns what the program reads, according to its source."""
    found, position = {}, [0] * 8
    for i in range(200):
        found.setdefault(i % 8, []).append((512 * i, 1000 + i))
        if i % 3 == 0:
            found.setdefault(i % 5, []).append((position[i % 5], 100 + i))
            position[i % 5] += 100 + i
        if i % 7 == 0:
            position[i % 8] = 4096 * (i % 11)
    for _ in range(9):
        found[2].append((position[2], 333))
        position[2] += 333
    return {str(folder / f"f{i}.pak"): reads for i, reads in found.items()}


def program(folder):
    return [sys.executable, "-I", "-S", str(folder / "program.py"), str(folder)]


def works(*command):
    return shutil.which(command[0]) is not None and subprocess.run(command, capture_output=True).returncode == 0


needs_strace = pytest.mark.skipif(not works("strace", "-o", "/dev/null", "true"),
                                  reason="strace isn't there, or may not trace")
needs_perf = pytest.mark.skipif(not works("perf", "trace", "-o", "/dev/null", "true"),
                                reason="perf isn't there, or may not trace")


@needs_strace
@pytest.mark.parametrize("options", ["-X raw", "-X raw -y", "-X raw -T -ttt", "-X verbose", "-e trace=file,desc,mmap",
                                     "-s 0 -r", "-y -T -ttt --seccomp-bpf"])
def test_what_strace_records(tool, folder, expected, tmp_path, options):
    log = tmp_path / "t.strace"
    subprocess.run(["strace", "-f", *options.split(), "-o", log, *program(folder)], check=True, capture_output=True)
    imported(tool, log, tmp_path / "t.jsonl", "--only", f"{folder}/*.pak")
    assert reads_by_file(tmp_path / "t.jsonl") == expected


def perf_reads(text, folder):
    """Maps each file that perf names to the position and the length of each read, in the log's order."""
    call = re.compile(rf"(?m) (read|pread64|lseek)\(fd: \d+<({re.escape(str(folder))}/f\d\.pak)>(.*)\) += (\d+)$")
    reads, position = {}, collections.Counter()
    for name, path, arguments, result in call.findall(text):
        if name == "lseek":
            position[path] = int(result)
        elif int(result) > 0 and name == "read":
            reads.setdefault(path, []).append((position[path], int(result)))
            position[path] += int(result)
        elif int(result) > 0:
            at = re.search(r"pos: (\d+)", arguments)
            reads.setdefault(path, []).append((int(at[1]) if at else 0, int(result)))
    return reads


@needs_perf
@pytest.mark.parametrize("options", ["", "-T", "-S"])
def test_what_perf_trace_records(tool, folder, expected, tmp_path, options):
    """perf looks descriptors up a moment later. So some reads lack their file, which is counted, and some have a wrong
    one, which is reported."""
    log = tmp_path / "t.txt"
    subprocess.run(["perf", "trace", *options.split(), "-o", log, "--", *program(folder)], check=True,
                   capture_output=True)
    text = log.read_text()
    told = perf_reads(text, folder)
    listed = [(path, length) for path, reads in told.items() for _, length in reads]
    answer = tool.ok("import", log, "-o", tmp_path / "t.jsonl", "--only", f"{folder}/*.pak", "--lenient", "--json", "-")
    assert answer.json["inputs"][0]["dialect"] == "perf-trace"
    assert ("a moment later" in answer.err) == bool(re.search(r" open(at)?\(.*filename: 0x", text))
    found = reads_by_file(tmp_path / "t.jsonl")
    assert len(listed) > 200
    # One more file may have only its descriptor's number, if perf no longer found a name.
    counted = collections.Counter((path, length) for path, reads in found.items() for _, length in reads)
    assert not collections.Counter(listed) - counted
    assert counted.total() - len(listed) < 20
    if len(listed) == sum(map(len, expected.values())) and not re.search(r" lseek\(fd: \d+, ", text):
        # On a busy machine, perf writes some calls in another order than the program made them: a file is then read
        # from another position, according to the log.
        assert found == told
    else:
        for path, reads in found.items():
            by_perf = {length for other, length in listed if other == path}
            assert {length for _, length in reads} <= {length for _, length in expected[path]} | by_perf


@needs_strace
def test_two_processes_that_strace_was_attached_to(tool, tmp_path):
    """Each process has another file under the same descriptor number, and strace doesn't print paths."""
    waits = ("import os, sys, time\nfd = os.open(sys.argv[1], os.O_RDONLY)\nprint(fd, flush=True)\nsys.stdin.readline()\n"
             "for i in range(50): os.pread(fd, 10 + i, i)\n"
             "other = os.open(sys.argv[2], os.O_RDONLY)\nfor i in range(40): os.pread(other, 5, i)\n")
    for name in ("a.pak", "b.pak", "own.a", "own.b"):
        (tmp_path / name).write_bytes(bytes(5000))
    running = [subprocess.Popen([sys.executable, "-I", "-S", "-c", waits, tmp_path / f"{name}.pak", tmp_path / f"own.{name}"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE) for name in "ab"]
    assert len({process.stdout.readline() for process in running}) == 1, "one number for two files"
    logs = {}
    for options in ([], ["-y"]):
        logs[bool(options)] = tmp_path / f"t{len(options)}.strace"
    tracer = subprocess.Popen(["strace", "-o", logs[True], "-y", *(f"-p{process.pid}" for process in running)],
                              stderr=subprocess.PIPE)
    for _ in running:
        tracer.stderr.readline()
    time.sleep(0.2)
    for process in running:
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert process.wait(timeout=30) == 0
    tracer.wait(timeout=30)
    # This is the same log without the names that -y prints.
    text = logs[True].read_text()
    logs[False].write_text(re.sub(r"(\(|= )(\d+)<[^>]*>", r"\1\2", text))
    named = tmp_path / "named.jsonl"
    imported(tool, logs[True], named, "--only", f"{tmp_path}/*")
    reads = {Path(path).name: of for path, of in reads_by_file(named).items()}
    assert reads["a.pak"] == reads["b.pak"] == [(i, 10 + i) for i in range(50)]
    assert reads["own.a"] == reads["own.b"] == [(i, 5) for i in range(40)]
    refused = tool.run("import", logs[False], "-o", tmp_path / "bare.jsonl")
    assert refused.code == DAMAGED
    refused.says("100 of 180 reads", "strace -y", "--lenient")
    answer = tool.ok("import", logs[False], "-o", tmp_path / "bare.jsonl", "--only", f"{tmp_path}/*", "--lenient")
    assert "left out: 100 of 180" in answer.err
    reads = {Path(path).name: of for path, of in reads_by_file(tmp_path / "bare.jsonl").items()}
    assert reads == {"own.a": [(i, 5) for i in range(40)], "own.b": [(i, 5) for i in range(40)]}


# ---------------------------------------------------------------- refused, with a command that helps


# Logs of tools that give paths: one file that was opened, and lines that give none.
TEXTS = {
    "dtruss": 'SYSCALL(args) \t\t = return\nopen("/g/a b.pak\\0", 0x0, 0x0)\t\t = 3 0\n'
              'open("/g/none\\0", 0x0, 0x0)\t\t = -1 Err#2\nread(0x3, "PK\\0", 0x1000)\t\t = 4096 0\n',
    "sysdig": "1 16:04:21.123456789 0 game (42) > openat dirfd=-100(AT_FDCWD) name=/g/a b.pak\n"
              "2 16:04:21.123456790 0 game (42) < openat fd=3(<f>/g/a b.pak) dirfd=-100(AT_FDCWD) flags=1(O_RDONLY)\n"
              "3 16:04:21.123456799 1 game (42) > read fd=3(<f>/g/a b.pak) size=4096\n"
              "4 16:04:21.123456999 1 game (42) < read res=4096 data=PK\n",
    "auditd": 'type=SYSCALL msg=audit(1364481363.243:24287): arch=c000003e syscall=2 success=yes exit=3\n'
              'type=CWD msg=audit(1364481363.243:24287):  cwd="/g"\n'
              'type=PATH msg=audit(1364481363.243:24287): item=0 name="/g/a b.pak" inode=40 dev=fd:00 nametype=NORMAL\n'
              'type=PATH msg=audit(1364481363.243:24288): item=0 name="/g/" inode=41 dev=fd:00 nametype=PARENT\n',
    "dtrace": "dtrace: description 'syscall::open*:entry ' matched 3 probes\nCPU     ID                    FUNCTION:NAME\n"
              "  0    168                       open:entry game /g/a b.pak\n",
    "opensnoop": "  UID    PID COMM          FD PATH\n  501   1234 game   3 /g/a b.pak\n",
    "kdump": '  1234 game     CALL  open(0x7fffffffe5a0,0<O_RDONLY>)\n  1234 game     NAMI  "/g/a b.pak"\n'
             "  1234 game     RET   open 3\n",
    "lsof": "COMMAND  PID USER   FD   TYPE DEVICE SIZE/OFF    NODE NAME\n"
            "game    1234 user  cwd    DIR    8,1     4096       2 /g\n"
            "game    1234 user    3r   REG    8,1   655360 1234567 /g/a b.pak\n",
    "wine": '0024:trace:file:CreateFileW L"C:\\\\g\\\\a b.pak" GENERIC_READ FILE_SHARE_READ  creation 3 attributes 0x80\n'
            "0024:trace:file:ReadFile 0x50 0x7ffe 4096\n",
    "babeltrace": '[12:34:56.789012345] (+0.000001234) host syscall_entry_openat: { cpu_id = 0 }, { dfd = -100, '
                  'filename = "/g/a b.pak" }\n',
}


def test_the_commands_that_refusals_name_make_lists(tool, tmp_path):
    """Runs the command from the refusal's message unchanged, and reads its output."""
    chrome = tmp_path / "chrome.json"
    chrome.write_text(json.dumps({"traceEvents": [
        {"name": "load", "ph": "X", "ts": 1, "dur": 2, "args": {"file": "/g/a.pak", "size": 5}},
        {"name": "read", "ph": "X", "ts": 3, "args": {"data": {"path": "C:\\g\\b c.pak"}}},
        {"name": "nothing", "ph": "i", "ts": 4, "args": {"text": "no path"}}]}))
    usage = tmp_path / "usage.txt"
    usage.write_text("".join(
        f"21:01:51.11016{i}  {call}   0.00001{i}{wait} game.12345\n"
        for i, (call, wait) in enumerate([("open              F=3        (R_____________)  /g/a b.pak", ""),
                                          ("pread             F=3    B=0x1000   O=0x00000000", " W"),
                                          ("open              F=4        (R_____________)  /g/(c).pak", " W"),
                                          ("close             F=4", "")])))
    logs = [(chrome, "jq", ["/g/a.pak", "C:\\g\\b c.pak"]), (usage, "sed", ["/g/a b.pak", "/g/(c).pak"])]
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
        logs.append((tmp_path / name, "sed", ["C:/g/a b.pak" if name == "wine" else "/g/a b.pak"]))
    for log, needs, expected in logs:
        refused = tool.run("import", log, "-o", tmp_path / "t.jsonl")
        assert refused.code == DAMAGED
        if shutil.which(needs) is None:
            continue
        command = re.search(r"'((?:jq|sed) .*\.txt)'", refused.errors[0])[1]
        subprocess.run(["bash", "-c", command], check=True, cwd=tmp_path)
        made = Path(str(log) + ".txt")
        assert made.read_text().splitlines() == expected
        answer = imported(tool, made, tmp_path / "t.jsonl")
        assert (answer["dialect"], answer["reads"]) == ("list", len(expected))
