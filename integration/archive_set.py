"""Archives that a recorded load reads, for tests of `repack`."""
import zipfile

import zips
from strace_lines import read_of


class ArchiveSet:
    """Archives in a folder, and a trace that reads some of their entries."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder
        self.content = folder / "content"
        self.output = folder / "out"
        self.trace = folder / "load.strace"
        self.lines = []
        self.content.mkdir()

    def add(self, name, data):
        path = self.content / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def read(self, path, offset, length=100):
        self.lines += read_of(path, offset, length, at_s=len(self.lines))
        self.trace.write_text("\n".join(self.lines) + "\n")

    def read_backwards(self, path, step=1):
        """Returns all entries (or one of `step`), the last first, so that the order changes."""
        with zipfile.ZipFile(path) as opened:
            sizes = [info.compress_size for info in opened.infolist()]
        for offset, size in list(zip(zips.data_offsets(path), sizes))[::-step]:
            if size:
                self.read(path, offset, size)

    def repack(self, *options):
        return self.tool.run("repack", self.trace, "--content", self.content, "-o", self.output, *options)

    def repacked(self, *options):
        return self.tool.json("repack", self.trace, "--content", self.content, "-o", self.output, *options)
