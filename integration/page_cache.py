"""What the system keeps of files in memory."""
import os


def forget(*paths):
    """The next read of these files comes from the disk. Folders count with all files below them. Pages that aren't written
    yet can't leave memory, so they are written first."""
    for path in paths:
        for file in path.rglob("*") if path.is_dir() else [path]:
            if file.is_file():
                with open(file, "rb") as opened:
                    os.fsync(opened.fileno())
                    os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
