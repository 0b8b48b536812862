"""`seekless record` records programs' file accesses like strace, and doesn't disturb the programs; `seekless mark`
divides the recording."""
import json
import os
import pty
import shutil
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tool import DONE, FAILED, USAGE

SIZE = 100_000
PYTHON = [sys.executable, "-I", "-S"]
WAIT_S = 60


@pytest.fixture
def data(tmp_path):
    file = tmp_path / "data"
    file.write_bytes(bytes(range(250)) * (SIZE // 250))
    return file


class Recorded:
    def __init__(self, tool, folder, command, *options, name="t.jsonl", code=DONE, **how):
        self.file = folder / name
        self.answer = tool.run("record", "-o", self.file, *options, "--json", folder / "r.json", "--",
                               *command, **how)
        assert self.answer.code == code, self.answer.err
        self.result = json.loads((folder / "r.json").read_text()) if code == DONE else None
        self.lines = lines_of(tool, self.file) if code == DONE else []

    def events(self, file):
        return events(self.lines, file)

    def reads(self, file):
        return [(at, length) for kind, _, at, length in self.events(file) if kind == "read"]


def lines_of(tool, file):
    """Returns the lines of any packed form of a trace; import unpacks it."""
    plain = file.parent / "plain.jsonl"
    tool.ok("import", file, "-o", plain)
    return [json.loads(line) for line in plain.read_text().splitlines()]


def events(lines, file):
    """Returns (kind, thread, offset, length) for a file, or (open, thread, errno, 0)."""
    paths, following, found = [], {}, []
    path = thread = 0
    for line in lines[1:]:
        if "path" in line:
            path = len(paths)
            paths.append(line["path"])
            continue
        path, thread = line.get("file", path), line.get("thread", thread)
        kind = next((kind for kind in ("open", "read", "map") if kind in line), None)
        if kind is None:
            continue
        if kind == "open":
            following[path] = 0
            if paths[path] == str(file):
                found.append(("open", thread, line.get("errno", 0), 0))
            continue
        at = line.get("at", following.get(path, 0))
        for length in line[kind] if isinstance(line[kind], list) else [line[kind]]:
            if paths[path] == str(file):
                found.append((kind, thread, at, length))
            at += length
        following[path] = at
    return found


@pytest.fixture
def compiled(tmp_path):
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc")

    def make(source):
        program = tmp_path / "program"
        subprocess.run(["gcc", "-D_GNU_SOURCE", "-O1", "-pthread", "-xc", "-", "-o", program],
                       input=source.encode(), check=True)
        return program
    return make


CALLS = """
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <linux/openat2.h>
int main(int count, char **words) {
  char a[500], b[500];
  struct iovec two[2] = {{a, 10}, {b, 20}};
  int f = open(words[1], O_RDONLY);
  read(f, a, 100);                      /* 0 */
  lseek(f, 1000, SEEK_SET); read(f, a, 7);
  lseek(f, 3, SEEK_CUR); read(f, a, 1); /* 1010 */
  lseek(f, -5, SEEK_END); read(f, a, 9);/* 99995: 5 */
  pread(f, a, 11, 2000);
  lseek(f, 3000, SEEK_SET); readv(f, two, 2);
  preadv(f, two, 2, 4000);
  preadv2(f, two, 2, 5000, 0);
  preadv2(f, two, 2, -1, 0);            /* 3030 */
  int g = dup(f), h = fcntl(f, F_DUPFD, 100), i = dup2(f, 200);
  read(g, a, 2); read(h, a, 3); read(i, a, 4); /* 3060, 3062, 3065 */
  close(f);
  read(g, a, 5);                        /* 3069 */
  mmap(0, 8192, PROT_READ, MAP_PRIVATE, g, 4096);
  mmap(0, 4096, PROT_WRITE, MAP_PRIVATE, g, 0);
  off_t at = 6000;
  int out = memfd_create("out", 0);
  sendfile(out, g, &at, 12);
  sendfile(out, g, 0, 13);              /* 3074 */
  at = 7000;
  int to = open(words[2], O_CREAT | O_RDWR, 0600);
  copy_file_range(g, &at, to, 0, 14, 0);
  struct open_how how = {.flags = O_RDONLY};
  int j = syscall(SYS_openat2, AT_FDCWD, words[1], &how, sizeof how);
  read(j, a, 15);
  read(j, (char *)1, 15);               /* fails */
  close_range(j, j, 0);
  open("no/../such", O_RDONLY);
  creat(words[3], 0600);
  return 0;
}
"""


UNTRACED = """
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static const char *file;
static char stack[65536] __attribute__((aligned(16)));
static const struct clone_args constant = {.flags = CLONE_UNTRACED, .exit_signal = SIGCHLD};
static int child(void *length) {
  char a[500];
  int f = open(file, O_RDONLY);
  return read(f, a, (intptr_t)length) == (intptr_t)length ? 0 : 1;
}
static void end(int id) {
  int status = 1;
  if (id <= 0 || waitpid(id, &status, __WALL) != id || status != 0) exit(9);
}
int main(int count, char **words) {
  file = words[1];
  int id = syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0);
  if (id == 0) _exit(child((void *)101));
  end(id);
  struct clone_args how = {.flags = CLONE_UNTRACED, .exit_signal = SIGCHLD}, before = how;
  id = syscall(SYS_clone3, &how, sizeof how);
  if (id == 0) _exit(child((void *)102));
  end(id);
  if (memcmp(&how, &before, sizeof how) != 0) return 8;
  id = syscall(SYS_clone3, &constant, sizeof constant);
  if (id == 0) _exit(child((void *)103));
  end(id);
  if (constant.flags != CLONE_UNTRACED) return 7;
  end(clone(child, stack + sizeof stack, CLONE_UNTRACED | CLONE_VM | CLONE_VFORK | SIGCHLD, (void *)104));
  end(clone(child, stack + sizeof stack, CLONE_UNTRACED | CLONE_VM, (void *)105));
#ifdef __x86_64__
  long flags = CLONE_UNTRACED | SIGCHLD, result = SYS_clone, kept = flags;
  __asm__ volatile("xor %%edx, %%edx; xor %%r10d, %%r10d; xor %%r8d, %%r8d; syscall"
                   : "+a"(result), "+D"(kept) : "S"(0L) : "rcx", "rdx", "r8", "r10", "r11", "memory");
  if (result == 0) _exit(child((void *)106));
  end(result);
  if (kept != flags) return 6;
#endif
  if (syscall(SYS_clone, CLONE_UNTRACED | CLONE_THREAD, 0, 0, 0, 0) != -1) return 5;
  if (syscall(SYS_clone3, (void *)8, sizeof how) != -1) return 4;
  id = vfork();
  if (id == 0) _exit(child((void *)107));
  end(id);
  return 0;
}
"""


def test_children_that_ask_for_no_tracer_are_followed(tool, data, compiled, tmp_path):
    recorded = Recorded(tool, tmp_path, [compiled(UNTRACED), data])
    lengths = [101, 102, 103, 104, 105, *([106] if os.uname().machine == "x86_64" else []), 107]
    assert recorded.reads(data) == [(0, length) for length in lengths]
    assert len({thread for _, thread, _, _ in recorded.events(data)}) == len(lengths)
    assert "warning" not in recorded.answer.err


SHARING = """
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words) {
  char a[500];
  int id = syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
  if (id == 0) _exit(open(words[1], O_RDONLY) == 3 ? 0 : 1);
  waitpid(id, 0, 0);
  return read(3, a, 55) == 55 ? 0 : 1;
}
"""


def test_a_child_that_shares_descriptors_opens_them_for_its_parent(tool, data, compiled, tmp_path):
    recorded = Recorded(tool, tmp_path, [compiled(SHARING), data])
    assert [event[0] for event in recorded.events(data)] == ["open", "read"]
    assert recorded.reads(data) == [(0, 55)]


def test_every_call_is_followed(tool, data, compiled, tmp_path):
    recorded = Recorded(tool, tmp_path, [compiled(CALLS), data, tmp_path / "to", tmp_path / "new"],
                        cwd=tmp_path)
    found = [event[:1] + event[2:] for event in recorded.events(data)]
    assert found == [
        ("open", 0, 0), ("read", 0, 100), ("read", 1000, 7), ("read", 1010, 1), ("read", 99995, 5),
        ("read", 2000, 11), ("read", 3000, 30), ("read", 4000, 30), ("read", 5000, 30),
        ("read", 3030, 30), ("read", 3060, 2), ("read", 3062, 3), ("read", 3065, 4), ("read", 3069, 5),
        ("map", 4096, 8192), ("read", 6000, 12), ("read", 3074, 13), ("read", 7000, 14),
        ("open", 0, 0), ("read", 0, 15)]
    assert [event[2] for event in recorded.events(tmp_path / "such")] == [2]
    assert recorded.events(tmp_path / "new") == []


THREADS = """
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
#include <string.h>
static char **words; static int file;
static void *reads(void *of) {
  char a[9];
  for (int i = 0; i < 20; i++) pread(file, a, 9, (long)of * 1000 + i);
  return 0;
}
static void *replaces(void *of) { execl(words[0], words[0], words[1], "child", (char *)0); return 0; }
int main(int count, char **given) {
  words = given;
  char a[9];
  if (count == 3) { read(3, a, 4); return 0; }
  pthread_t threads[64];
  file = open(words[1], O_RDONLY);
  for (long i = 0; i < 64; i++) pthread_create(threads + i, 0, reads, (void *)i);
  for (int i = 0; i < 64; i++) pthread_join(threads[i], 0);
  lseek(file, 500, SEEK_SET);
  pthread_create(threads, 0, replaces, 0);
  pause();
}
"""


def test_threads_share_files_and_any_may_exec(tool, data, compiled, tmp_path):
    recorded = Recorded(tool, tmp_path, [compiled(THREADS), data])
    reads = [event for event in recorded.events(data) if event[0] == "read"]
    assert sorted(event[2:] for event in reads[:-1]) == [(i * 1000 + k, 9) for i in range(64)
                                                         for k in range(20)]
    assert len({event[1] for event in reads}) == 65
    assert reads[-1][2:] == (500, 4), "the program that exec began goes on where the file stood"
    assert recorded.result["exit_code"] == 0 and recorded.result["processes"] == 1


def python(code, *arguments):
    return [*PYTHON, "-c", code, *arguments]


def test_children_share_positions_and_lose_what_closes_on_exec(tool, data, tmp_path):
    code = """
import os, sys
f = os.open(sys.argv[1], os.O_RDONLY)
os.read(f, 10)
if os.fork() == 0:
    os.read(f, 20); os._exit(0)
os.wait()
os.read(f, 30)
g = os.open(sys.argv[1], os.O_RDONLY)
os.set_inheritable(f, True)
os.dup2(f, 9, inheritable=True)
os.chdir("/")
os.posix_spawn("/bin/cat", ["cat", "nothing"], {}, file_actions=[(os.POSIX_SPAWN_DUP2, 9, 0)])
os.wait()
os.execv("/bin/sh", ["sh", "-c", f"exec cat <&9; cat <&{g}"])
"""
    recorded = Recorded(tool, tmp_path, python(code, data))
    reads = recorded.reads(data)
    assert reads[:3] == [(0, 10), (10, 20), (30, 30)]
    assert reads[3][0] == 60 and sum(length for _, length in reads[3:]) == SIZE - 60
    assert [event[2] for event in recorded.events("/nothing")] == [2]
    assert recorded.result["processes"] == 3


def test_standard_input_counts_from_where_it_stands(tool, data, tmp_path):
    file = tmp_path / "t.trace"
    with open(data, "rb", buffering=0) as opened:
        opened.seek(70_000)
        subprocess.run(tool.command("record", "-o", file, "--", "head", "-c", "100"), stdin=opened,
                       stdout=subprocess.DEVNULL, check=True, timeout=WAIT_S)
    assert [event[2] for event in events(lines_of(tool, file), data)] == [70_000]


def test_two_thousand_children(tool, data, compiled, tmp_path):
    source = """
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words) {
  char a[9];
  int f = open(words[1], O_RDONLY);
  for (int i = 0; i < 2000; i++) {
    if ((i % 2 ? fork : vfork)() == 0) { pread(f, a, 9, i); _exit(0); }
    if (i % 16 == 15) while (wait(0) > 0) {}
  }
  while (wait(0) > 0) {}
  return 0;
}
"""
    recorded = Recorded(tool, tmp_path, [compiled(source), data])
    assert sorted(recorded.reads(data)) == [(i, 9) for i in range(2000)]
    assert recorded.result["processes"] == 2001


def test_the_program_notices_nothing(tool, tmp_path):
    recorded = Recorded(tool, tmp_path, ["sh", "-c", "echo out; echo err >&2; cat; exit 7"],
                        input=b"given")
    assert recorded.answer.out == b"out\ngiven" and "err\n" in recorded.answer.err
    assert recorded.result["exit_code"] == 7 and recorded.result["signal"] is None
    assert "exited with 7" in recorded.answer.err


def test_a_crash_is_told_and_keeps_the_trace(tool, data, tmp_path):
    recorded = Recorded(tool, tmp_path, ["sh", "-c", f"cat {data} >{os.devnull}; kill -SEGV $$"])
    assert recorded.result["signal"] == signal.SIGSEGV and recorded.result["exit_code"] is None
    assert sum(length for _, length in recorded.reads(data)) == SIZE
    assert "ended by signal 11" in recorded.answer.err


def test_signals_arrive_and_interrupted_reads_go_on(tool, data, compiled, tmp_path):
    source = """
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
static int ticks;
static void tick(int s) { ticks++; }
int main(int count, char **words) {
  char a[9];
  int pipes[2], f = open(words[1], O_RDONLY);
  struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
  struct itimerval often = {{0, 1000}, {0, 1000}}, never = {0};
  sigaction(SIGALRM, &action, 0);
  setitimer(ITIMER_REAL, &often, 0);
  pipe(pipes);
  if (fork() == 0) { usleep(200000); write(pipes[1], "x", 1); _exit(0); }
  read(pipes[0], a, 1);
  for (int i = 0; i < 5000; i++) if (read(f, a, 9) != 9) return 1;
  setitimer(ITIMER_REAL, &never, 0);
  return ticks > 20 ? 0 : 2;
}
"""
    recorded = Recorded(tool, tmp_path, [compiled(source), data])
    assert recorded.result["exit_code"] == 0
    assert recorded.reads(data) == [(9 * i, 9) for i in range(5000)]


def started(tool, file, command, **how):
    process = subprocess.Popen(tool.command("record", "-o", file, "--", *command),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
    assert process.stdout.readline() == b"ready\n", process.stderr.read()
    return process


READY = 'import os, sys, time, signal\nf = os.open(sys.argv[1], os.O_RDONLY)\nos.read(f, 10)\n'


def ended(process):
    out, err = process.communicate(timeout=WAIT_S)
    return out, err.decode()


def test_ctrl_c_goes_to_the_program_and_the_trace_is_kept(tool, data, tmp_path):
    code = READY + """
def stop(*_):
    os.read(f, 20); sys.exit(0)
signal.signal(signal.SIGINT, stop)
print("ready", flush=True)
time.sleep(60)
"""
    file = tmp_path / "t.trace"
    process = started(tool, file, python(code, data), start_new_session=True)
    os.killpg(process.pid, signal.SIGINT)
    _, err = ended(process)
    assert process.returncode == DONE, err
    assert [event[2:] for event in events(lines_of(tool, file), data)[1:]] == [(0, 10), (10, 20)]


def test_what_ends_the_recorder_is_passed_on(tool, data, tmp_path):
    file = tmp_path / "t.trace"
    code = READY + 'print("ready", flush=True)\ntime.sleep(60)'
    process = started(tool, file, python(code, data))
    process.send_signal(signal.SIGTERM)
    _, err = ended(process)
    assert process.returncode == DONE and "ended by signal 15" in err
    assert len(events(lines_of(tool, file), data)) == 2


def test_sigkill_of_the_recorder_keeps_what_was_recorded(tool, data, tmp_path):
    file = tmp_path / "t.trace"
    code = READY + 'print("ready", os.getpid(), flush=True)\ntime.sleep(60)'
    process = subprocess.Popen(tool.command("record", "-o", file, "--", *python(code, data)),
                               stdout=subprocess.PIPE)
    program = int(process.stdout.readline().split()[1])
    time.sleep(1)
    process.kill()
    process.wait()
    answer = tool.ok("import", file, "-o", tmp_path / "plain.jsonl")
    assert "ends within an LZ4 frame" in answer.err
    lines = [json.loads(line) for line in (tmp_path / "plain.jsonl").read_text().splitlines()]
    assert [event[2:] for event in events(lines, data)[1:]] == [(0, 10)]
    deadline = time.monotonic() + WAIT_S
    while Path(f"/proc/{program}").exists() and time.monotonic() < deadline:
        if ") Z" in Path(f"/proc/{program}/stat").read_text():
            break
        time.sleep(0.05)
    else:
        assert not Path(f"/proc/{program}").exists(), "without its recorder the program can't go on"


def test_stopping_and_going_on(tool, data, tmp_path):
    file = tmp_path / "t.trace"
    code = READY + 'print("ready", flush=True)\nprint(os.getpid(), flush=True)\nsys.stdin.readline()\nos.read(f, 20)'
    process = started(tool, file, python(code, data), stdin=subprocess.PIPE)
    program = int(process.stdout.readline())

    def state():
        return Path(f"/proc/{program}/stat").read_text().rpartition(") ")[2][0]
    os.kill(program, signal.SIGSTOP)
    time.sleep(0.3)
    assert state() in "tT"
    process.stdin.write(b"\n")
    process.stdin.flush()
    time.sleep(0.3)
    assert process.poll() is None
    os.kill(program, signal.SIGCONT)
    ended(process)
    assert process.returncode == DONE
    assert len(events(lines_of(tool, file), data)) == 3


def test_ctrl_z_stops_both_and_both_go_on(tool, data, tmp_path):
    file = tmp_path / "t.trace"
    code = READY + 'print("ready", flush=True)\nsys.stdin.readline()\nos.read(f, 20)'
    process = started(tool, file, python(code, data), stdin=subprocess.PIPE, preexec_fn=os.setpgrp)
    for _ in range(2):
        os.killpg(process.pid, signal.SIGTSTP)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), "the shell must see it"
        os.killpg(process.pid, signal.SIGCONT)
        time.sleep(0.3)
    process.stdin.write(b"\n")
    ended(process)
    assert process.returncode == DONE
    assert len(events(lines_of(tool, file), data)) == 3


def test_ctrl_c_ends_what_the_program_left_behind(tool, data, tmp_path):
    file = tmp_path / "t.trace"
    process = subprocess.Popen(
        tool.command("record", "-o", file, "--", "sh", "-c", f"cat {data}; setsid sleep 60 >{os.devnull} 2>&1 &"),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert b"not what it started" in process.stderr.readline()
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    ended(process)
    assert process.returncode == DONE
    assert "ends within" not in tool.ok("import", file, "-o", tmp_path / "plain.jsonl").err


def test_waits_for_what_the_program_left_behind(tool, data, tmp_path):
    recorded = Recorded(tool, tmp_path, ["sh", "-c", f"(sleep 1; cat {data}) >{os.devnull} 2>&1 &"])
    assert sum(length for _, length in recorded.reads(data)) == SIZE
    assert "has ended, but not what it started" in recorded.answer.err


def elf32(folder):
    """Returns a 32-bit program that only exits with code 5."""
    code = b"\xb8\x01\0\0\0\xbb\x05\0\0\0\xcd\x80"  # mov eax, 1; mov ebx, 5; int 0x80
    base, start = 0x08048000, 52 + 32
    header = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack(
        "<HHIIIIIHHHHHH", 2, 3, 1, base + start, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    segment = struct.pack("<IIIIIIII", 1, 0, base, base, start + len(code), start + len(code), 5, 4096)
    file = folder / "old-program"
    file.write_bytes(header + segment + code)
    file.chmod(0o755)
    try:
        if subprocess.run([file]).returncode == 5:
            return file
    except OSError:
        pass
    pytest.skip("this kernel runs no 32-bit programs")


def test_a_child_of_32_bits_is_named(tool, data, tmp_path):
    program = elf32(tmp_path)
    recorded = Recorded(tool, tmp_path, ["sh", "-c", f"{program}; echo $?; cat {data} >{os.devnull}"])
    assert recorded.answer.out == b"5\n", "it runs all the same"
    assert f"{program} " in recorded.answer.err and "32-bit program" in recorded.answer.err
    assert sum(length for _, length in recorded.reads(data)) == SIZE


def test_a_program_of_32_bits_is_refused(tool, tmp_path):
    program = elf32(tmp_path)
    tool.run("record", "-o", tmp_path / "t.trace", "--", program).says(program, "32 bits", "strace")
    assert not (tmp_path / "t.trace").exists()


def test_io_uring_is_told_of(tool, compiled, tmp_path):
    source = """
#include <unistd.h>
#include <sys/syscall.h>
int main() { char p[256] = {0}; syscall(SYS_io_uring_setup, 4, p); syscall(SYS_io_uring_setup, 4, p); return 0; }
"""
    recorded = Recorded(tool, tmp_path, [compiled(source)])
    assert recorded.result["io_urings"] == 2
    assert recorded.answer.err.count("uses io_uring") == 1


def test_what_cannot_start_leaves_nothing(tool, tmp_path):
    file = tmp_path / "t.trace"
    assert tool.run("record", "-o", file, "--", "no-such-program").says("no-such-program").code == FAILED
    tool.run("record", "-o", file, "--", tmp_path).says("Permission denied")
    assert not file.exists()
    file.write_text("an older recording")
    tool.run("record", "-o", file, "--", "no-such-program").says("no-such-program")
    assert file.read_text() == "an older recording"
    tool.run("record", "-o", tmp_path, "--", "true").says(tmp_path, "a folder")
    assert tool.run("record", "-o", file).code == USAGE


def test_a_scenario_without_a_name_is_refused_before_it_is_recorded(tool, tmp_path):
    odd = tmp_path / "ne\nw.1.jsonl"
    wrote = tmp_path / "wrote"
    program = ("--", "touch", wrote)
    assert tool.run("record", "-o", odd, *program).says("ne\\x0aw.1.jsonl", "control character", "--scenario").code == USAGE
    assert tool.run("record", "-o", tmp_path / "t", "--scenario", "a\nb", *program).says("--scenario").code == USAGE
    assert not wrote.exists() and not odd.exists()
    answer = tool.ok("record", "-o", odd, "--scenario", "new", *program)
    assert "ne\\x0aw.1.jsonl: new from touch" in answer.err and answer.err.count("\n") == 2


def test_words_behind_the_dashes_are_the_programs(tool, tmp_path):
    recorded = Recorded(tool, tmp_path, ["echo", "--", "-o", "import", "--help"])
    assert recorded.answer.out == b"-- -o import --help\n"


def test_only_keeps_what_matches(tool, data, tmp_path):
    recorded = Recorded(tool, tmp_path, ["cat", data], "--only", f"{tmp_path}/**")
    assert recorded.result["paths"] == 1
    assert "left out" in recorded.answer.err


def test_a_full_disk_ends_the_recording_but_not_the_program(tool, small_disk, tmp_path):
    folder = small_disk(1 << 20)
    (tmp_path / "large").write_bytes(bytes(4_000_000))
    code = """
import os, sys
f = os.open(sys.argv[1], os.O_RDONLY)
for i in range(60000): os.pread(f, 1 + i * 7919 % 4001, i * 104729 % 3000000)
print("through")
"""
    answer = tool.run("record", "-o", folder / "t.jsonl", "--",
                      *python(code, tmp_path / "large"))
    answer.says("t.jsonl", "No space left")
    assert answer.out == b"through\n"


def test_marks_begin_and_end_scenarios(tool, data, tmp_path):
    file = tmp_path / "menu.1.trace"
    code = READY + """
print("ready", flush=True)
for line in sys.stdin:
    os.read(f, int(line)); print("done", flush=True)
"""
    process = started(tool, file, python(code, data), stdin=subprocess.PIPE)

    def read(count):
        process.stdin.write(b"%d\n" % count)
        process.stdin.flush()
        assert process.stdout.readline() == b"done\n"
    answer = tool.json("mark", "map/rush", "--recording", file)
    assert answer["process"] == process.pid and answer["recording"] == str(file)
    read(20)
    tool.ok("mark", "map/\x1b[1m\xe4", "--recording", process.pid)
    read(30)
    tool.ok("mark", "--end", "--recording", file)
    read(40)
    process.stdin.close()
    err = process.stderr.read().decode()
    assert process.wait(WAIT_S) == DONE, err
    lines = lines_of(tool, file)
    assert lines[0]["scenario"] == "menu"
    told = [line.get("begins", line.get("ends", line.get("read"))) for line in lines
            if "path" not in line and not isinstance(line.get("map"), int)]
    own = told[told.index("map/rush") - 1:]
    assert own == [10, "map/rush", 20, "map/\x1b[1m\xe4", 30, "map/\x1b[1m\xe4", 40]


def test_mark_needs_a_recording(tool, tmp_path):
    tool.run("mark", "map/x", "--recording", tmp_path / "none").says("running recording", "none")
    assert tool.run("mark").code == USAGE
    assert tool.run("mark", "x", "--end").code == USAGE


def test_a_line_on_a_terminal(tool, tmp_path):
    main, side = pty.openpty()
    process = subprocess.Popen(tool.command("record", "-o", tmp_path / "menu.trace", "--", "sleep", 2.5),
                               stderr=side, stdin=subprocess.DEVNULL)
    os.close(side)
    seen = b""
    while True:
        try:
            part = os.read(main, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(main)
    assert process.wait(WAIT_S) == DONE
    assert b"recording menu: " in seen and b" MB, 2 s" in seen
    assert b"menu from sleep" in seen.rpartition(b"\r")[2] or b"menu from sleep" in seen


needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
WARZONE = Path("/usr/share/games/warzone2100")
needs_warzone = pytest.mark.skipif(not (WARZONE / "mp.wz").exists(), reason="needs warzone2100-data")
STRACE = ["strace", "-f", "--seccomp-bpf", "-ttt", "-y", "-T", "-s", "0", "-e",
          "trace=openat,open,read,pread64,readv,preadv,preadv2,lseek,mmap,dup,dup2,dup3,fcntl,close,execve"]


def by_thread(lines, files):
    """Returns each thread's events, with threads in the order they first appear, because ids differ from run to run."""
    threads = {}
    for file in files:
        for event in events(lines, file):
            threads.setdefault(event[1], []).append((file.name, event[0], *event[2:]))
    return sorted(threads.values())


@needs_strace
@needs_warzone
def test_the_same_as_strace_of_threads_that_read_archives(tool, tmp_path):
    """Each of four threads reads every 4th entry of two archives, through Python's own zip reader."""
    code = """
import sys, threading, zipfile
def run(number):
    for name in sys.argv[1:]:
        with zipfile.ZipFile(name) as archive:
            for entry in archive.infolist()[number::40]: archive.read(entry)
threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
    archives = [WARZONE / "base.wz", WARZONE / "mp.wz"]
    command = [sys.executable, "-c", code, *archives]
    recorded = Recorded(tool, tmp_path, command)
    subprocess.run([*STRACE, "-o", tmp_path / "t.strace", *command], check=True, timeout=WAIT_S)
    straced = lines_of(tool, tmp_path / "t.strace")
    ours, theirs = by_thread(recorded.lines, archives), by_thread(straced, archives)
    assert len(ours) == 4 and sum(map(len, ours)) > 500
    assert ours == theirs


GAME = Path("/usr/games/warzone2100")


def first_accesses(tool, trace, folder):
    """Returns the archives' assets in the order in which they are first read."""
    profile = folder / "profile.json"
    tool.ok("profile", trace, "--content", WARZONE / "base.wz", WARZONE / "mp.wz", "-o", profile)
    profile = json.loads(profile.read_text())
    (scenario,) = profile["scenarios"]
    (run,) = scenario["runs"]
    return [profile["assets"][number] for number in run["assets"]]


def load_of_the_game(command, trace, folder, screen):
    """Runs the game until it has read nothing for a while, and kills it."""
    config = folder / "config"
    shutil.rmtree(config, ignore_errors=True)
    config.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8", "DISPLAY": screen,
                   "SDL_AUDIODRIVER": "dummy", "ALSOFT_DRIVERS": "null", "LIBGL_ALWAYS_SOFTWARE": "1"}
    process = subprocess.Popen(
        [*map(str, command), str(GAME), f"--configdir={config}", "--window", "--resolution=640x480",
         "--gfxbackend=opengl", "--noshadows"], env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    game = None
    reads, last = 0, time.monotonic()
    deadline = last + 240
    while reads < 150_000 or time.monotonic() < last + 5:  # of 162,304 reads in the menu's load
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.5)
        below = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        game = below[0] if below else None
        now = int(Path(f"/proc/{game}/io").read_text().split("syscr:")[1].split()[0]) if game else 0
        if now > reads + 500:  # the rest is music
            reads, last = now, time.monotonic()
    os.kill(int(game), signal.SIGKILL)
    process.wait(WAIT_S)
    return trace


@pytest.mark.thorough
@needs_strace
@pytest.mark.skipif(not GAME.exists() or shutil.which("Xvfb") is None, reason="needs warzone2100 and xvfb")
def test_warzone_is_recorded_as_by_strace(tool, tmp_path):
    """Two runs of the game read the same parts of the archives in the same order, except for a random picture after the
    menu."""
    reader, writer = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "640x480x24"],
                              pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with open(reader) as pipe:
            screen = f":{pipe.readline().strip()}"
        ours = load_of_the_game(tool.command("record", "-o", tmp_path / "menu.1.trace", "--"),
                                tmp_path / "menu.1.trace", tmp_path, screen)
        theirs = load_of_the_game([*STRACE, "-o", tmp_path / "menu.2.strace"],
                                  tmp_path / "menu.2.strace", tmp_path, screen)
    finally:
        server.terminate()
        server.wait()

    def order(trace):
        return [name for name in first_accesses(tool, trace, tmp_path) if "backdrop" not in name]
    # The game also runs on for a varying time after its load.
    common = min(len(order(ours)), len(order(theirs)))
    assert common > 500
    assert order(ours)[:common] == order(theirs)[:common]


def test_without_an_output_the_trace_is_named_after_the_program(tool, tmp_path):
    for number in (1, 2):
        done = tool.run("record", "--", "cat", "/dev/null", cwd=tmp_path)
        assert done.code == 0, str(done)
        assert (tmp_path / f"cat.{number}.trace").exists()
    assert f"next: seekless analyze cat.2.trace" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cat.1.trace", "cat.2.trace"]


def test_a_recording_is_not_written_to_standard_output(tool, tmp_path):
    refused = tool.run("record", "-o", "-", "--", "true", cwd=tmp_path)
    assert refused.says("'-'", "standard output belongs to the program").code == USAGE
    assert list(tmp_path.iterdir()) == []


def test_a_mark_after_the_last_read_is_told(tool, tmp_path):
    late = f"cat {__file__} >/dev/null; {tool.binary} mark map/rush --recording {tmp_path}/a.trace"
    done = tool.run("record", "-o", tmp_path / "a.trace", "--only", __file__, "--", "sh", "-c", late)
    assert done.code == 0, str(done)
    assert "nothing was read" in done.err and "'map/rush'" in done.err


def test_a_trace_from_a_pipe_gets_the_verdict_of_the_file(tool, tmp_path):
    content = tmp_path / "content.bin"
    content.write_bytes(os.urandom(3_000_000))
    trace = tmp_path / "a.trace"
    tool.ok("record", "-o", trace, "--only", content, "--", "cat", content)
    of_file = tool.ok("analyze", trace).text.splitlines()[0]
    piped = tool.run("analyze", "-", input=trace.read_bytes())
    assert piped.code == DONE and piped.text.splitlines()[0] == of_file
    assert "twice" not in piped.text
