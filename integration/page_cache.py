"""Control of the system's page cache."""
import os
import subprocess


def forget(*paths):
    """Drops the cached pages of these files, and of all files below these folders. Dirty pages can't be dropped, so
    they are written first."""
    for path in paths:
        for file in path.rglob("*") if path.is_dir() else [path]:
            if file.is_file():
                with open(file, "rb") as opened:
                    os.fsync(opened.fileno())
                    os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def write_back(path):
    """Writes what is dirty of the path's file system. `os.sync()` would also write other tests' file systems, and so
    change where these have room."""
    subprocess.run(["sync", "-f", path], check=True)
