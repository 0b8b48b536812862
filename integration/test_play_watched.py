"""If a game's folder can't be served, `seekless play` watches the game through the page cache, and prefetches what it
learned. On a used disk, that takes a fraction of the disk's time, and the game runs as without it."""
import contextlib
import json
import os
import select
import signal
import subprocess

import pytest

import slow_network
import test_hdd
import test_play
from measure_play_holes import PROGRAMS, Disk, OnUsedDisk
from test_play import PYTHON, ROOT_ONLY, WAIT_S, folder, pytestmark  # noqa: F401
from test_play_start import without_device
from tool import DONE

# `play` reads and writes its own files in the player's home.
OWN_READS_S = 0.1
NO_DISK = test_hdd.why_not() or test_play.why_not()
READ_ALL = "import os, sys\nfor at, _, names in os.walk('.'):\n for name in names: open(os.path.join(at, name), 'rb').read()\nsys.exit(5)"


@pytest.mark.skipif(NO_DISK is not None, reason=NO_DISK or "")
@pytest.mark.parametrize("name", ["zip", pytest.param("loose", marks=pytest.mark.thorough)])
def test_on_a_used_disk_the_second_and_third_start_take_less(tmp_path, name):
    with Disk(tmp_path / "disk", "--tables", "usual") as disk:
        used = OnUsedDisk(disk, name, PROGRAMS[name], has_fuse=False)
        plain, first, second, third = used.run([]), used.play(), used.play(), used.play()
    for run in (plain, first, second, third):
        print(run["busy_s"], run["seeks"])
    assert first["busy_s"] < 1.02 * plain["busy_s"] + OWN_READS_S
    # On a quiet machine it is a quarter and a sixth; on a busy one the game's start doesn't wait for all of the sweep.
    assert max(second["busy_s"], third["busy_s"]) < 0.85 * plain["busy_s"]


@pytest.mark.skipif(NO_DISK is not None, reason=NO_DISK or "")
@pytest.mark.parametrize("name, known", [pytest.param("zip", 1, marks=pytest.mark.thorough), ("loose", 1),
                                         pytest.param("loose", 3, marks=pytest.mark.thorough)])
def test_a_start_that_reads_something_else_loses_nothing(tmp_path, name, known):
    with Disk(tmp_path / "disk", "--tables", "usual") as disk:
        program = PROGRAMS[name]
        used = OnUsedDisk(disk, name, program, has_fuse=False)
        for _ in range(known):
            used.play()
        other, plain = used.play(more=program.other), used.run([], program.other)
    print(other["busy_s"], plain["busy_s"])
    assert other["busy_s"] < 1.02 * plain["busy_s"] + OWN_READS_S


@pytest.fixture
def played(tool, tmp_path):
    """Runs a program with `play` and without FUSE's device; returns the process's outcome and the JSON result."""
    def run(game, *command, options=(), folder=None):
        words = tool.command("play", "--always", "--state", tmp_path / "state", "--json", tmp_path / "r.json", *options, game, "--", *command)
        done = subprocess.run([*without_device(), *words], capture_output=True, cwd=folder or game, timeout=WAIT_S)
        return done, json.loads((tmp_path / "r.json").read_text())
    return run


@contextlib.contextmanager
def own_disk(tmp_path):
    """A file system whose caches can be emptied by unmounting it."""
    from own_disks import mounted
    with mounted(tmp_path, "ext4", 64) as disk:
        yield disk


# Waits until the page at each place of a file is in memory, without reading it, for at most the seconds given.
UNTIL_FETCHED = """
import ctypes, mmap, os, sys, time
libc = ctypes.CDLL(None)
until = time.monotonic() + float(sys.argv[1])
def is_cached(path, place):
    with open(path, 'rb') as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) as mapped:
        first = ctypes.c_char.from_buffer(mapped)
        found = ctypes.c_ubyte()
        libc.mincore(ctypes.c_void_p(ctypes.addressof(first) + place // 4096 * 4096), ctypes.c_size_t(1), ctypes.byref(found))
        del first
        return found.value & 1
def wait_until_fetched(places):
    while time.monotonic() < until and not all(is_cached(*place) for place in places):
        time.sleep(0.02)
"""


@ROOT_ONLY
def test_it_learns_what_was_read_and_fetches_it_the_next_time(tmp_path, played):
    with own_disk(tmp_path) as disk:
        game = disk.folder / "game"
        (game / "sub").mkdir(parents=True)
        for number in range(40):
            (game / "sub" / f"read{number}").write_bytes(os.urandom(50_000))
            (game / f"unread{number}").write_bytes(os.urandom(50_000))
        text = "for number in range(40):\n open(f'sub/read{number}', 'rb').read()\n if number == 9: wait_until_fetched([(f'sub/read{n}', 0) for n in range(10, 40)])"
        reads = [*PYTHON, "-c", UNTIL_FETCHED + text + "\nraise SystemExit(5)"]
        fetched = []
        for waits_s in (0, WAIT_S / 2):
            disk.unmount()
            disk.mount()
            done, result = played(game, *reads, str(waits_s))
            assert done.returncode == 5, done.stderr
            assert (result["was_served"], result.get("was_watched"), result["scenarios"]) == (False, True, 1)
            assert b"the game is run without being served" in done.stderr
            fetched.append(result["foreseen"]["fetched_bytes"])
    assert fetched[0] == 0 and 30 * 50_000 <= fetched[1] < 60 * 50_000


@ROOT_ONLY
def test_a_disc_image_is_watched_in_its_folder(tmp_path, played):
    with own_disk(tmp_path) as disk:
        image = disk.folder / "disc.iso"
        image.write_bytes(os.urandom(30_000_000))  # most of it is never read
        reads = (UNTIL_FETCHED + "disc = os.open('disc.iso', os.O_RDONLY)\n"
                 "for number in range(20):\n os.pread(disc, 4096, number * 400_000)\n"
                 " if number == 9: wait_until_fetched([('disc.iso', n * 400_000) for n in range(10, 20)])")
        fetched = []
        for waits_s in (0, WAIT_S / 2):
            disk.unmount()
            disk.mount()
            done, result = played(image, *PYTHON, "-c", reads, str(waits_s), folder=disk.folder)
            assert (done.returncode, result.get("was_watched"), result["scenarios"]) == (0, True, 1), done.stderr
            fetched.append(result["foreseen"]["fetched_bytes"])
    assert fetched[0] == 0 and 10 * 4096 <= fetched[1] < 9 << 20


@ROOT_ONLY
def test_what_was_in_memory_before_is_not_learned(folder, played):
    [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    done, result = played(folder, *PYTHON, "-c", READ_ALL)
    assert (done.returncode, result["scenarios"]) == (5, 0), done.stderr


@ROOT_ONLY
def test_what_the_game_writes_is_what_it_would_write(folder, played):
    text = "open('save', 'wb').write(bytes(range(256)) * 999); open('data', 'ab').write(b'more')\nraise SystemExit(9)"
    done, _ = played(folder, *PYTHON, "-c", text)
    assert done.returncode == 9, done.stderr
    assert (folder / "save").read_bytes() == bytes(range(256)) * 999 and (folder / "data").read_bytes().endswith(b"more")


@ROOT_ONLY
def test_options_for_a_served_folder_say_so(folder, tmp_path, played):
    for option, word in ((["--lay-out"], b"--lay-out"), (["--trace", tmp_path / "t.trace"], b"seekless record")):
        done, _ = played(folder, "true", options=option)
        assert done.returncode == DONE and word in done.stderr, done.stderr


@ROOT_ONLY
def test_if_the_watching_process_is_killed_the_game_goes_on(tool, folder, tmp_path):
    words = tool.command("play", "--always", "--state", tmp_path / "state", folder, "--", "sh", "-c", "echo ready; read line; exit 7")
    game = subprocess.Popen([*without_device(), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert game.stdout.readline() == b"ready\n"
    found = [int(name) for name in os.listdir("/proc") if name.isdigit() and is_watcher(name, game.pid)]
    assert len(found) == 1
    os.kill(found[0], signal.SIGKILL)
    assert any(b"the game goes on without it" in line for line in game.stderr)
    game.communicate(b"\n", timeout=WAIT_S)
    assert game.returncode == 7


@pytest.mark.skipif(slow_network.why_not() is not None, reason=slow_network.why_not() or "")
@pytest.mark.parametrize("options", [["--always"], []])
def test_a_server_in_the_folder_that_stops_keeps_nobody_waiting(tool, folder, tmp_path, options):
    source = tmp_path / "source"
    source.mkdir()
    (source / "far").write_bytes(os.urandom(100_000))
    (folder / "link").unlink()
    (folder / "link").symlink_to("other/far")
    (folder / "to_other").symlink_to("other")
    words = tool.command("play", *options, "--state", tmp_path / "state", folder, "--", *PYTHON, "-c", "open('data', 'rb').read(9)\nraise SystemExit(5)")
    with slow_network.mounted(source, folder / "other", 1, 1_000_000) as network:
        assert len((folder / "other" / "far").read_bytes()) == 100_000
        network.stop()
        done = subprocess.run([*without_device(), *words], capture_output=True, cwd=folder, timeout=WAIT_S)
    assert done.returncode == 5, done.stderr


@pytest.mark.skipif(slow_network.why_not() is not None, reason=slow_network.why_not() or "")
@pytest.mark.parametrize("options", [["--always"], []])
def test_a_server_that_the_game_has_read_from_keeps_no_game_from_starting(tool, folder, tmp_path, options):
    """Files on mounts within a served folder are learned, too."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "far").write_bytes(os.urandom(9_000_000))
    state = ["--state", tmp_path / "state"]
    with slow_network.mounted(source, folder / "other", 1, 100_000_000) as network:
        reads = [*PYTHON, "-c", "open('data', 'rb').read()\nopen('other/far', 'rb').read()\nraise SystemExit(5)"]
        done = subprocess.run(tool.command("play", "--always", *state, folder, "--", *reads), capture_output=True, cwd=folder, timeout=WAIT_S)
        assert done.returncode == 5, done.stderr
        assert any(b"other/far" in path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file())
        network.stop()
        words = tool.command("play", *options, *state, folder, "--", "sh", "-c", "cat data > /dev/null; echo started; exit 5")
        game = subprocess.Popen([*without_device(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
        has_started = bool(select.select([game.stdout], [], [], WAIT_S / 2)[0])
        network.go_on()
        out, err = game.communicate(timeout=WAIT_S)
    assert has_started and (game.returncode, out) == (5, b"started\n"), err


def is_watcher(name, parent):
    try:
        with open(f"/proc/{name}/stat", encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return False
    program, rest = text[text.index("(") + 1:].rsplit(")", 1)
    return program == "seekless-serve" and int(rest.split()[1]) == parent
