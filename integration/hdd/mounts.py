"""What the system says of mounts and of who keeps them, from /proc; and unmounting."""
import ctypes
import os
import re
from pathlib import Path


def read_quietly(path):
    """Things of /proc and /sys come and go."""
    try:
        return path.read_text(errors="surrogateescape")
    except OSError:
        return ""


def mounts():
    """(where, of what, kind) of each mount."""
    found = []
    for line in Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines():
        before, _, after = line.partition(" - ")
        kind, source = after.split(" ")[:2]
        found.append((unescape(before.split(" ")[4]), unescape(source), kind))
    return found


def unescape(text):
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def unmount(folder, flags=0):
    """By the bare system call, which doesn't look at a folder that no program answers for."""
    libc = ctypes.CDLL(None, use_errno=True)
    done = libc.umount2(os.fsencode(folder), flags)
    return ctypes.get_errno() if done != 0 else 0


def kept_by(folder):
    """Who has files open, or works, in the file system mounted on the folder."""
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
