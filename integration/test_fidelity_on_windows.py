"""Under `seekless play` for Windows, run by Wine, every call on a file gives what it gives without: the same bytes, positions,
status codes and IO_STATUS_BLOCKs (integration/windows/any_calls.c), while other processes change the same files, whether these
are watched, too, or not.

SEEKLESS_WINDOWS_BIN           the tool for Windows [build/windows/bin/seekless.exe]
SEEKLESS_FIDELITY_CALLS=N      makes N calls [3000]"""
import os
import random
import shutil
import subprocess

import pytest

from test_play_on_windows import COMPILERS, GAME_CODE
from test_record_on_windows import wine_has_32_bits
from test_same_on_windows import windows  # noqa: F401
from tool import TOP, run_into_files, windows_environment

CALLS = int(os.environ.get("SEEKLESS_FIDELITY_CALLS", 3000))
SEED = 47


class Calls:
    """A program in a game's folder that makes calls on the files there, and the same program elsewhere."""

    def __init__(self, bits, work):
        self.game, self.program, self.stranger = work / "game", work / "program.exe", work / "elsewhere" / "program.exe"
        self.stranger.parent.mkdir()
        subprocess.run([COMPILERS[bits], "-O1", "-municode", "-static", TOP / "integration/windows/any_calls.c", "-o",
                        self.program, "-lntdll"], check=True)
        shutil.copy(self.program, self.stranger)

    def lines(self, command=("wine",)):
        """Returns what the program prints, which begins with the same files each time."""
        shutil.rmtree(self.game, ignore_errors=True)
        data = self.game / "data"
        data.mkdir(parents=True)
        chance = random.Random(5)
        for number in range(12):
            # Under Wine, only files of which more than 1 MiB is read are swept.
            size = [0, 700, 40_000, 300_000, 1_500_000, 3_000_000][number % 6]
            (data / f"{number:02}.dat").write_bytes(chance.randbytes(size))
        own = shutil.copy(self.program, self.game)
        done = run_into_files(list(map(str, [*command, own, data, CALLS, SEED, 0, 0, self.stranger])),
                              stdin=subprocess.DEVNULL, env={**os.environ, **windows_environment()})
        out, err = done.stdout.decode(), done.stderr.decode()
        assert done.returncode == GAME_CODE, out[-500:] + err
        return out.splitlines(), err


@pytest.mark.parametrize("bits", [64, 32])
def test_calls_give_the_same_as_without(windows, tmp_path, bits):  # noqa: F811
    if shutil.which(COMPILERS[bits]) is None:
        pytest.skip(f"needs {COMPILERS[bits]} (script/bootstrap windows)")
    if bits == 32 and not wine_has_32_bits():
        pytest.skip("needs a Wine with 32 bits (Debian's wine32)")
    calls = Calls(bits, tmp_path)
    plain, _ = calls.lines()
    assert len(plain) == -(-CALLS // 500) + 1
    play = [*windows.command("play", "--always", "--state", tmp_path / "state", calls.game, "--")]
    told = " 0.0 MB fetched"
    for run in range(6):  # it learns, and then it sweeps, though a busy machine may give it no time
        if run > 1 and " 0.0 MB fetched" not in told:
            break
        watched, told = calls.lines(play)
        first = next((i for i, lines in enumerate(zip(plain, watched)) if lines[0] != lines[1]), None)
        assert first is None, f"they differ between {plain[first - 1]!r} and {plain[first]!r}; {told}"
        assert len(watched) == len(plain)
    assert " 0.0 MB fetched" not in told, told
