"""The unmodified game on packs: Warzone 2100 without its archives, with packs in their place and the PhysFS archiver
preloaded. Skipped where the game, a display or the right to mount is missing."""
import os
import shutil
import time
from pathlib import Path

import pytest

import warzone
from tool import OWN_MOUNTS

GAME = Path(warzone.DATA)
ARCHIVES = [GAME / "base.wz", GAME / "mp.wz"]
PATIENCE_S = 120
BACKGROUND_COLOURS = 200  # a menu or an empty screen shows fewer


def why_not():
    if not Path(warzone.GAME).exists() or not all(path.exists() for path in ARCHIVES):
        return "Warzone 2100 isn't installed"
    if shutil.which("Xvfb") is None:
        return "Xvfb isn't installed"
    if os.geteuid() != 0:
        return "mounting over the game's folder needs root"
    return None


pytestmark = pytest.mark.skipif(why_not() is not None, reason=why_not() or "")


@pytest.fixture(scope="module")
def preload(build_folder):
    path = build_folder / "lib" / "libseekless_physfs_preload.so"
    if not path.exists():
        pytest.skip(f"{path}: not built; it takes libphysfs-dev")
    return path


@pytest.fixture(scope="module")
def game_folder(tool, tmp_path_factory):
    """Makes the game's folder, with a pack set named base.wz and no archives."""
    work = tmp_path_factory.mktemp("warzone")
    traces = warzone.recordings()
    tool.ok("plan", *traces, "--content", *ARCHIVES, "-o", work / "layout.json")
    folder = work / "game"
    tool.ok("pack", work / "layout.json", "-o", folder)
    (folder / "catalog.skl").rename(folder / "base.wz")
    shutil.copytree(GAME / "fonts", folder / "fonts")
    return folder


def instead_of_the_games(folder, *more):
    return [*OWN_MOUNTS, "sh", "-c", f'mount --bind {folder} {GAME} && exec "$@"', "sh", "env", *more]


def play_until_loaded(before, seconds_after, patience_s=PATIENCE_S):
    """Returns (True if a map has been loaded, the picture as XWD)."""
    with warzone.running("map/rush", before=before) as game:
        end = time.monotonic() + patience_s
        while time.monotonic() < end and game.process.poll() is None and not game.loaded_map():
            time.sleep(0.5)
        loaded = game.loaded_map()
        if loaded:
            time.sleep(seconds_after)
            assert game.process.poll() is None, game.log()
        picture = Path(game.home, "shot.xwd")
        game.save_picture(picture)
        return loaded, picture.read_bytes(), game.log()


def colours(xwd):
    """Returns how many different colours the picture has. Its header says where the pixels, of 4 bytes, begin."""
    header_bytes, count = int.from_bytes(xwd[:4], "big"), int.from_bytes(xwd[76:80], "big")
    pixels = memoryview(xwd)[header_bytes + 12 * count:]
    return len({bytes(pixels[at:at + 3]) for at in range(0, len(pixels) - 3, 4)})


def test_the_game_reaches_a_running_map(preload, game_folder, tmp_path):
    reads = tmp_path / "opened"
    before = [*instead_of_the_games(game_folder, f"LD_PRELOAD={preload}"),
              "strace", "-f", "--seccomp-bpf", "-e", "trace=openat", "-o", reads]
    loaded, picture, log = play_until_loaded(before, seconds_after=6)
    assert loaded, log
    assert colours(picture) > BACKGROUND_COLOURS
    opened = reads.read_text(errors="replace")
    for name in ["base.wz", "common.skl", "map-rush.skl"]:
        assert f'warzone2100/{name}"' in opened
    # Each pack is opened once for each time that the game mounts its archives, not once for each file.
    assert opened.count("common.skl") < 10


def test_without_the_archiver_the_game_finds_nothing(game_folder):
    loaded, _, _ = play_until_loaded(instead_of_the_games(game_folder), seconds_after=0,
                                     patience_s=15)  # it takes 3
    assert not loaded
