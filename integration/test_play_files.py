"""A folder that `seekless play` serves, under what file systems are tested with: stress-ng's class of stressors, and fsx.

Short here; by hand, for the long form: SEEKLESS_STRESS="--class filesystem --seq 1 --timeout 30", SEEKLESS_FSX_OPERATIONS=10000000,
and SEEKLESS_FSX, the program of the crate `fsx` (cargo install fsx), without which its test is skipped."""
import os
import re
import shutil
import subprocess

import pytest

from test_play import pytestmark  # noqa: F401, as what is needed is the same

SHORT = "access chattr chdir chmod copy-file dentry dir dirdeep fallocate fcntl file-ioctl filename flock fpunch fstat getdent " \
        "hdd inode-flags iomix lease link locka lockf lockofd mknod open rename seek symlink touch utime verity xattr"
STRESS = os.environ.get("SEEKLESS_STRESS") or " ".join(f"--{name} 1" for name in SHORT.split()) + " --timeout 2"
FSX = os.environ.get("SEEKLESS_FSX") or shutil.which("fsx")
LONGEST_S = 7200
OPERATIONS = int(os.environ.get("SEEKLESS_FSX_OPERATIONS", 20000))
RUN = 2000  # fsx keeps what it has mapped, so operations of a long run take ever longer, in any file system


def said_of(command):
    """What it prints, and its exit code; for hours if need be."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=LONGEST_S)
    return done.stdout + done.stderr, done.returncode


def served(tool, tmp_path, folder, *command):
    return said_of(tool.command("play", "--always", "--state", tmp_path / "state", folder, "--", *command))


def failing(text):
    """The stressors that found something wrong."""
    return set(re.findall(r"stress-ng: fail: +\[\d+\] ([\w-]+):", text))


@pytest.mark.timeout(LONGEST_S)
@pytest.mark.skipif(shutil.which("stress-ng") is None, reason="there is no stress-ng")
def test_stress_finds_nothing_that_it_does_not_find_in_the_folder_itself(tool, tmp_path):
    folders = [tmp_path / name for name in ("native", "served")]
    for folder in folders:
        folder.mkdir()
    native, shown = (["stress-ng", *STRESS.split(), "--verify", "--temp-path", folder] for folder in folders)
    found_natively = failing(said_of(native)[0])
    said, _ = served(tool, tmp_path, folders[1], *shown)
    assert "run completed" in said and "seekless: warning" not in said, said[-2000:]
    assert failing(said) <= found_natively, (failing(said), found_natively)


@pytest.mark.timeout(LONGEST_S)
@pytest.mark.skipif(FSX is None, reason="there is no fsx; cargo install fsx, and name it with SEEKLESS_FSX")
def test_fsx_reads_what_it_wrote(tool, tmp_path):
    folder = tmp_path / "served"
    folder.mkdir()
    runs = 'for seed in $(seq "$1"); do "$2" -qq -N "$3" -S "$seed" "$4" || exit; done'
    said, code = served(tool, tmp_path, folder, "sh", "-c", runs, "sh", OPERATIONS // RUN, FSX, RUN, folder / "file")
    assert code == 0, said[-2000:]
    assert (folder / "file").exists()
