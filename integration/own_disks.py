"""File systems on image files for single tests. They don't write in the background."""
import contextlib
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

MIB = 1 << 20
# Maps each file system to the program that makes it, mount options, and the program that checks it.
FILE_SYSTEMS = {
    "ext4": (["mkfs.ext4", "-b", "4096", "-E", "lazy_itable_init=1"], "loop,noinit_itable", ["e2fsck", "-fn"]),
    "ext4 with blocks of 1 KiB": (["mkfs.ext4", "-b", "1024"], "loop", ["e2fsck", "-fn"]),
    "xfs": (["mkfs.xfs"], "loop", ["xfs_repair", "-n"]),
    "xfs-rmap": (["mkfs.xfs", "-m", "rmapbt=1"], "loop", ["xfs_repair", "-n"]),
    "XFS without clones": (["mkfs.xfs", "-m", "reflink=0"], "loop", ["xfs_repair", "-n"]),
    "btrfs": (["mkfs.btrfs"], "loop,nodiscard,commit=300", ["btrfs", "check"]),
    "f2fs": (["mkfs.f2fs"], "loop", ["fsck.f2fs", "--dry-run"]),
}


HDD = Path(__file__).resolve().parents[1] / "build/release/bin/seekless-hdd"
NEEDS_EMULATED_DISK = [
    pytest.mark.skipif(os.geteuid() != 0, reason="mounting an emulated disk needs root"),
    pytest.mark.skipif(not Path("/dev/fuse").exists(), reason="there is no /dev/fuse"),
    pytest.mark.skipif(not HDD.exists(), reason="seekless-hdd isn't built: libfuse3-dev was missing")]


def program(name):
    return shutil.which(name, path="/usr/sbin:/sbin:/usr/bin")


def why_not(name="ext4"):
    """Returns the reason if such a file system can't be made and mounted here, otherwise None."""
    make = FILE_SYSTEMS[name][0][0]
    if os.geteuid() != 0:
        return "mounting needs root"
    if not Path("/dev/loop-control").exists():
        return "there are no loop devices"
    if program(make) is None:
        return f"there is no {make}"
    if f"\t{make.removeprefix('mkfs.')}\n" not in Path("/proc/filesystems").read_text():
        return f"Linux doesn't know what {make} makes"
    return None


class OwnDisk:
    """The file system is mounted on `folder`, and its image lies beside that."""

    def __init__(self, parent, name, megabytes):
        self.make, self.options, self.checker = FILE_SYSTEMS[name]
        self.image, self.folder = parent / "image", parent / "disk"
        self.folder.mkdir()
        with open(self.image, "wb") as file:
            file.truncate(megabytes * MIB)
        subprocess.run([program(self.make[0]), "-q", *self.make[1:], self.image], check=True, stdout=subprocess.DEVNULL)

    def mount(self):
        subprocess.run(["mount", "-o", self.options, self.image, self.folder], check=True)

    def unmount(self):
        subprocess.run(["umount", self.folder], check=True)

    def check(self):
        """Unmounts the file system and runs its checker."""
        self.unmount()
        # Other programs' name spaces may have a copy of the mount for a while.
        end = time.monotonic() + 60
        while subprocess.run(["losetup", "-j", self.image], capture_output=True).stdout:
            assert time.monotonic() < end, "another mount name space holds the file system"
            time.sleep(0.05)
        command = [program(self.checker[0]), *self.checker[1:], self.image]
        checked = subprocess.run(command, capture_output=True, text=True)
        self.mount()
        assert checked.returncode == 0, checked.stdout + checked.stderr


@contextlib.contextmanager
def mounted(parent, name, megabytes):
    if reason := why_not(name):
        pytest.skip(reason)
    disk = OwnDisk(parent, name, megabytes)
    disk.mount()
    try:
        yield disk
    finally:
        disk.unmount()
