"""Compares what `apply` writes and reads in place, as counted by the system, with a small client in this file that
only looks at the old and the new files."""
import os
import random
import shutil
import subprocess

import pytest

numpy = pytest.importorskip("numpy", reason="bytes are compared by numpy")

from project import Project, edit, settle  # noqa: E402
from tool import tree  # noqa: E402

RELEASES = 12
TABLE_BYTES = 64  # bytes of a journal beside its content


@pytest.fixture(scope="module", params=[None, "layout.lock"], ids=["packs that are edited", "packs that stay"])
def releases(tool, tmp_path_factory, request):
    """Folders with the sets, and the patches from one to the next."""
    folder = tmp_path_factory.mktemp("counts")
    game = Project(tool, folder / "game", assets=60, most_bytes=400_000)
    game.configure(lock=request.param)
    game.build()
    chance, sets = random.Random(7), [folder / "set0"]
    shutil.copytree(game.packs, sets[0])
    for number in range(1, RELEASES):
        for asset in chance.sample(range(60), chance.randrange(1, 4)):
            path = game.asset(asset)
            data = bytearray(path.read_bytes())
            at = chance.randrange(len(data))
            data[at:at + 30_000] = chance.randbytes(len(data[at:at + 30_000]))
            edit(path, bytes(data))
        settle()
        game.build()
        sets.append(folder / f"set{number}")
        shutil.copytree(game.packs, sets[-1])
    patches = []
    for old, new in zip(sets, sets[1:]):
        patches.append(folder / f"{new.name}.skp")
        tool.ok("patch", old, new, "-o", patches[-1])
    return list(zip(sets, sets[1:], patches))


def counted(command):
    """Returns what the process has read and written. The system keeps the count until the process is waited for."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    with open(f"/proc/{process.pid}/io") as file:
        told = {key: int(value) for key, value in (line.split(": ") for line in file)}
    assert process.wait() == 0
    return told


def differing(old, new):
    """Returns the bytes of `new` that differ from the same place of `old`, including equal stretches of less than a
    page between them."""
    common = min(len(old), len(new))
    other = numpy.frombuffer(old[:common], numpy.uint8) != numpy.frombuffer(new[:common], numpy.uint8)
    places = numpy.flatnonzero(other)
    if not len(places):
        return len(new) - common
    gaps = numpy.diff(places)
    return int(1 + gaps[gaps <= 4096].sum() + (gaps > 4096).sum()) + len(new) - common


def predicted(old, new, file_by_file):
    """Predicts the bytes written. A changed file is rewritten whole, or the differing bytes are written twice: to a
    journal, and in place."""
    before, after = tree(old), tree(new)
    written = 0
    for name, data in after.items():
        if before.get(name) == data:
            continue
        changes = differing(before.get(name, b""), data)
        is_edited = file_by_file and name in before and 2 * changes < len(data)
        written += 2 * changes + TABLE_BYTES if is_edited else len(data)
    return written


@pytest.mark.parametrize("options", [(), ("--file-by-file",)], ids=["in place", "file by file"])
def test_apply_writes_what_a_client_of_the_scripts_own_foresees(tool, releases, tmp_path, options):
    foreseen = real = 0
    for old, new, patch in releases:
        packs = tmp_path / new.name
        shutil.copytree(old, packs)
        told = counted(tool.command("apply", packs, patch, *options))
        assert tree(packs) == tree(new)
        forecast = predicted(old, new, bool(options))
        foreseen += forecast
        real += told["wchar"]
    assert foreseen == pytest.approx(real, rel=0.05)
