"""A folder that `seekless play` serves, under what file systems are tested with: stress-ng's class of stressors, and fsx.

Short here; by hand, for the long form: SEEKLESS_STRESS="--class filesystem --seq 1 --timeout 30", SEEKLESS_FSX_OPERATIONS=10000000,
and SEEKLESS_FSX, the program of the crate `fsx` (cargo install fsx), without which its test is skipped."""
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from test_play import play, pytestmark  # noqa: F401, as what is needed is the same

SHORT = "access chattr chdir chmod copy-file dentry dir dirdeep fallocate fcntl file-ioctl filename flock fpunch fstat getdent " \
        "hdd inode-flags iomix lease link locka lockf lockofd mknod open rename seek symlink touch utime verity xattr"
STRESS = os.environ.get("SEEKLESS_STRESS") or " ".join(f"--{name} 1" for name in SHORT.split()) + " --timeout 2"
FSX = os.environ.get("SEEKLESS_FSX") or shutil.which("fsx")
LONGEST_S = 7200


def failing(text):
    """The stressors that found something wrong."""
    return set(re.findall(r"stress-ng: fail: +\[\d+\] ([\w-]+):", text))


@pytest.mark.skipif(shutil.which("stress-ng") is None, reason="there is no stress-ng")
def test_stress_finds_nothing_that_it_does_not_find_in_the_folder_itself(tool, tmp_path):
    found = {}
    for name in ("native", "served"):
        folder = tmp_path / name
        folder.mkdir()
        command = ["stress-ng", *STRESS.split(), "--verify", "--temp-path", str(folder)]
        if name == "native":
            done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S)
            found[name] = failing(done.stdout + done.stderr)
        else:
            command = tool.command("play", "--always", "--state", tmp_path / "state", folder, "--", *command)
            done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S)
            found[name] = failing(done.stdout + done.stderr)
            assert "seekless: warning" not in done.stderr, done.stderr[-2000:]
    assert found["served"] <= found["native"], found


@pytest.mark.skipif(FSX is None, reason="there is no fsx; cargo install fsx, and name it with SEEKLESS_FSX")
def test_fsx_reads_what_it_wrote(tool, tmp_path):
    folder = tmp_path / "served"
    folder.mkdir()
    answer = play(tool, folder, FSX, "-N", os.environ.get("SEEKLESS_FSX_OPERATIONS", "20000"), "-S", "7", folder / "file",
                  options=["--state", tmp_path / "state"])
    assert answer.code == 0, (answer.text + answer.err)[-2000:]
    assert Path(folder / "file").exists()
