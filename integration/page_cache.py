"""Control of the system's page cache."""
import os


def forget(*paths):
    """Drops the cached pages of these files, and of all files below these folders. Dirty pages can't be dropped, so
    they are written first."""
    for path in paths:
        for file in path.rglob("*") if path.is_dir() else [path]:
            if file.is_file():
                with open(file, "rb") as opened:
                    os.fsync(opened.fileno())
                    os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
