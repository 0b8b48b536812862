"""Asks the system about mounts, who keeps them busy, and loop devices; and unmounts."""
import ctypes
import fcntl
import os
import re
from pathlib import Path

LOOP_GET_STATUS64 = 0x4C05
LOOP_STATUS_BYTES = 232  # struct loop_info64
LOOP_NAME_AT = 56
LOOP_NAME_BYTES = 64


def read_quietly(path):
    """Returns a file's text; ignores files of /proc and /sys that vanish meanwhile."""
    try:
        return path.read_text(errors="surrogateescape")
    except OSError:
        return ""


def mounts():
    """Returns (folder, source, file system type) of each mount."""
    found = []
    for line in Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines():
        before, _, after = line.partition(" - ")
        kind, source = after.split(" ")[:2]
        found.append((unescape(before.split(" ")[4]), unescape(source), kind))
    return found


def unescape(text):
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def unmount(folder, flags=0):
    """Unmounts by the bare system call, which works even if the program that serves the folder doesn't answer."""
    libc = ctypes.CDLL(None, use_errno=True)
    done = libc.umount2(os.fsencode(folder), flags)
    return ctypes.get_errno() if done != 0 else 0


def kept_by(folder):
    """Returns the processes that have files open, or work, in the file system mounted on the folder."""
    point = os.stat(folder).st_dev
    names = set()
    for process in Path("/proc").glob("[0-9]*"):
        for place in [process / "cwd", process / "root", process / "exe", *list_quietly(process / "fd"),
                      *list_quietly(process / "map_files")]:
            try:
                if os.stat(place).st_dev == point:
                    names.add(f"{read_quietly(process / 'comm').strip()} (process {process.name})")
                    break
            except OSError:
                continue
    inner = [where for where, _, _ in mounts() if where.startswith(f"{folder}/")]
    names.update(f"a mount on {where}" for where in inner)
    return "kept busy by " + (", ".join(sorted(names)) or "something that can't be seen from here")


def list_quietly(folder):
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def told_to(loop):
    """Returns the name in the loop device's own record."""
    status = bytearray(LOOP_STATUS_BYTES)
    try:
        device = os.open(loop, os.O_RDONLY)
    except OSError:
        return b""
    try:
        fcntl.ioctl(device, LOOP_GET_STATUS64, status)
    except OSError:
        return b""
    finally:
        os.close(device)
    return bytes(status[LOOP_NAME_AT:LOOP_NAME_AT + LOOP_NAME_BYTES]).partition(b"\0")[0]
