#!/usr/bin/python3
"""Measures the cost of recording: wall and CPU seconds of a program, plain, under seekless record, and under strace, in
turn, and the medians' ratios.

    measure_record.py preads [ROUNDS]       four threads, 100,000 preads of 4 KiB in all
    measure_record.py warzone [ROUNDS]      Warzone 2100 under Xvfb, until it has made the reads of a
                                            load of CAM_1A, a map; needs warzone2100 and xvfb
SEEKLESS_BIN names the binary [build/release/bin/seekless].
"""
import contextlib
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
SEEKLESS = os.environ.get("SEEKLESS_BIN", TOP / "build/release/bin/seekless")
STRACE = ["strace", "-f", "--seccomp-bpf", "-ttt", "-y", "-T", "-s", "0", "-e",
          "trace=openat,open,read,pread64,readv,preadv,preadv2,lseek,mmap,dup,dup2,dup3,fcntl,close,"
          "execve"]
LOAD_READS = 245_000  # out of 249,527 reads of the archives in the load of CAM_1A
PREADS = """
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static int file;
static void *run(void *of) {
  char buffer[4096];
  for (long i = (long)of; i < 100000; i += 4)
    if (pread(file, buffer, sizeof buffer, i % 2000 * 4096) != 4096) abort();
  return 0;
}
int main(int count, char **words) {
  pthread_t threads[4];
  file = open(words[count - 1], O_RDONLY);
  for (long i = 0; i < 4; i++) pthread_create(threads + i, 0, run, (void *)i);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  return 0;
}
"""


def ways(folder):
    return {"plain": [], "record": [SEEKLESS, "record", "-o", folder / "t.trace", "--"],
            "strace": [*STRACE, "-o", folder / "t.strace"]}


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure_preads(command, folder):
    began, cpu = time.monotonic(), cpu_seconds()
    subprocess.run([*command, folder / "preads", folder / "data"], check=True, stderr=subprocess.DEVNULL)
    return time.monotonic() - began, cpu_seconds() - cpu


def prepare_preads(folder):
    (folder / "data").write_bytes(bytes(2000 * 4096))
    subprocess.run(["gcc", "-O2", "-pthread", "-xc", "-", "-o", folder / "preads"],
                   input=PREADS.encode(), check=True)


@contextlib.contextmanager
def display():
    reader, writer = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "640x480x24"],
                              pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    with open(reader) as pipe:
        yield f":{pipe.readline().strip()}"
    server.terminate()
    server.wait()


def game_below(process):
    """Returns the game's process: `process` itself, or the one that the tracer started."""
    while process.poll() is None:
        for candidate in [process.pid, *children(process.pid)]:
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{candidate}/exe").endswith("/warzone2100"):
                    return candidate
        time.sleep(0.001)
    sys.exit("measure_record: the game did not start")


def children(process):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return []


def reads_of(process):
    return int(Path(f"/proc/{process}/io").read_text().split("syscr:")[1].split()[0])


def measure_warzone(command, folder):
    """Returns the seconds until the game has made the reads, and CPU seconds of the tracer and the game until the
    game's end."""
    config = folder / "config"
    shutil.rmtree(config, ignore_errors=True)
    config.mkdir()
    with display() as screen:
        cpu = cpu_seconds()
        began = time.monotonic()
        process = subprocess.Popen(
            [*command, "/usr/games/warzone2100", f"--configdir={config}", "--window",
             "--resolution=640x480", "--gfxbackend=opengl", "--noshadows", "--game=CAM_1A"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8",
                 "DISPLAY": screen, "SDL_AUDIODRIVER": "dummy", "ALSOFT_DRIVERS": "null",
                 "LIBGL_ALWAYS_SOFTWARE": "1"})
        game = game_below(process)
        while reads_of(game) < LOAD_READS:
            time.sleep(0.02)
            if time.monotonic() > began + 300:
                process.kill()
                sys.exit("measure_record: the map was not loaded in 300 s")
        wall = time.monotonic() - began
        os.kill(int(game), signal.SIGKILL)
        process.wait(timeout=60)
        return wall, cpu_seconds() - cpu


def main():
    what, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    measure = {"preads": measure_preads, "warzone": measure_warzone}[what]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if what == "preads":
            prepare_preads(folder)
        figures = {way: [] for way in ways(folder)}
        for number in range(rounds + 1):
            for way, command in ways(folder).items():
                figure = measure(command, folder)
                if number > 0:  # the first round warms the cache
                    figures[way].append(figure)
    plain = [statistics.median(column) for column in zip(*figures["plain"])]
    for way, all_of_it in figures.items():
        wall, cpu = (statistics.median(column) for column in zip(*all_of_it))
        walls = " ".join(f"{one:.2f}" for one, _ in all_of_it)
        print(f"{way}: {wall:.2f} s wall ({wall / plain[0]:.2f} x), {cpu:.2f} s CPU "
              f"({cpu / plain[1]:.2f} x); wall of each round: {walls}")


if __name__ == "__main__":
    main()
