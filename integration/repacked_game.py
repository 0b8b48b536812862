"""A folder with archives that are repacked for a recorded load."""
from strace_lines import read_of


class RepackedGame:
    def __init__(self, tool, folder):
        self.tool, self.content, self.output = tool, folder / "content", folder / "out"
        self.trace, self.lines = folder / "load.strace", []
        self.content.mkdir()

    def add(self, name, data):
        (self.content / name).write_bytes(data)
        return self.content / name

    def record(self, path, places):
        """Adds a load that reads the file at these (place, size)."""
        for at, size in places:
            self.lines += read_of(path, at, size, at_s=len(self.lines))
        self.trace.write_text("\n".join(self.lines) + "\n")

    def run(self, *options):
        return self.tool.run("repack", self.trace, "--content", self.content, *options)

    def json(self, *options):
        return self.tool.json("repack", self.trace, "--content", self.content, *options)

    def repack(self, *options):
        return self.json("--in-place", "--force", *options)

    def restore(self, *options):
        return self.tool.json("restore", self.content, *options)

    def new_recording(self):
        """Forgets what was recorded so far."""
        self.lines = []


def repacked(answer):
    return [(archive["name"], archive["repacked"]) for archive in answer["archives"]]
