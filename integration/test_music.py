"""Music from a pack plays without a gap, by SDL's own clock, while a map is swept from the emulated disk and urgent
requests arrive (integration/sdl_program/music.c)."""
import json
import os
import subprocess
import sys
import wave
from pathlib import Path

import pytest

from own_disks import NEEDS_EMULATED_DISK
from programs import build_program

sys.path.insert(0, str(Path(__file__).resolve().parent / "runtime"))
import disk_loads
import made_packs

pytestmark = [
    pytest.mark.alone,
    *NEEDS_EMULATED_DISK,
    pytest.mark.skipif(subprocess.run(["pkg-config", "--exists", "sdl2", "SDL2_mixer", "SDL2_image"]).returncode != 0,
                       reason="SDL_mixer isn't installed (libsdl2-mixer-dev)")]

SWEPT_BYTES = 10**9
SECONDS = 90  # length of the music: longer than the sweep takes on a busy machine
PER_SECOND = 20


def write_music(path):
    """Returns noise, because content that compresses would be read less often."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(44100)
        file.writeframes(os.urandom(4 * 44100 * SECONDS))


@pytest.fixture(scope="module")
def play(install_prefix, tmp_path_factory):
    if not (install_prefix / "include/seekless_sdl.h").exists():
        pytest.skip("this build has no adapter for SDL (libsdl2-dev)")
    work = tmp_path_factory.mktemp("music")
    program = build_program("sdl_program", work / "build", install_prefix) / "music_beside_sweep"
    loose = work / "loose"
    names = made_packs.write_files(loose, made_packs.sizes_of_a_game(SWEPT_BYTES))
    write_music(loose / "music.wav")
    (loose / "other").write_bytes(os.urandom(100_000_000))
    packs = made_packs.pack(loose, names, work / "packs", work)
    subprocess.run(["rm", "-r", loose], check=True)
    with disk_loads.disk_of(work) as disk:
        folder = disk_loads.put(disk, packs, "100G", "packs")

        def run(*more):
            with disk.cold(disk_loads.AHEAD_KIB):
                said = subprocess.run([program, folder, "map", "music.wav", "other", str(PER_SECOND), *more],
                                      check=True, stdout=subprocess.PIPE, timeout=300, env={
                                          **os.environ, "SDL_AUDIODRIVER": "dummy",
                                          "LD_LIBRARY_PATH": str(next(install_prefix.rglob("libseekless.so")).parent)})
            return json.loads(said.stdout)
        yield run


def quietest_of_three(play):
    """Other programs keep the thread that mixes waiting, and can only make gaps longer, so the quietest of three
    counts."""
    runs = []
    while len(runs) < 3 and not (runs and runs[-1]["longest_gap_ms"] < 2 * runs[-1]["buffer_ms"]):
        runs.append(play())
        print(runs[-1])
    return min(runs, key=lambda run: run["longest_gap_ms"])


def test_music_plays_without_a_gap_beside_a_sweep_and_urgent_requests(play):
    said = quietest_of_three(play)
    assert said["plays"] == 1 and said["sweep_failures"] == 0 and said["failures"] == 0
    assert said["swept_bytes"] > 0.95 * SWEPT_BYTES
    assert said["requests"] > 0.7 * PER_SECOND * said["sweep_ms"] / 1000
    # A sound card with two buffers falls silent if the next one comes later than both take.
    assert said["longest_read_ms"] < said["buffer_ms"]
    assert said["longest_gap_ms"] < 2 * said["buffer_ms"]
    assert said["calls"] > 0.9 * said["sweep_ms"] / said["buffer_ms"]


def test_without_read_ahead_there_are_gaps(play):
    """Shows that the test above can fail. How long the disk keeps a single read waiting depends on the sweep's place at
    that moment, so one of three runs has to have the gap."""
    longest = 0
    for _ in range(3):
        said = play("plain")
        print(said)
        longest = max(longest, said["longest_gap_ms"] / said["buffer_ms"])
        if longest > 1.3:
            break
    assert longest > 1.3
