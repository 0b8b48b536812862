"""A project with a build file: a small game of loose files and an archive, recordings of its loads, and its builds."""
import json
import os
import random
import shutil
import zipfile
from pathlib import Path

from tool import check_schema

SCENARIOS = {"menu": range(0, 12), "north": range(8, 40), "south": range(24, 60)}


def settle():
    """Waits one tick of the clock that stamps files: a build reads files from the last tick again."""
    import time
    time.sleep(0.05)


class Project:
    """`folder` holds seekless.json, content/ and traces/; builds write packs/ and .seekless/."""

    def __init__(self, tool, folder, assets=90, most_bytes=40_000):
        self.tool = tool
        self.folder = Path(folder)
        self.content = self.folder / "content"
        self.packs = self.folder / "packs"
        self.content.mkdir(parents=True)
        chance = random.Random(7)
        for number in range(assets):
            path = self.asset(number)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(chance.randbytes(chance.randrange(100, most_bytes)))
        with zipfile.ZipFile(self.content / "base.zip", "w") as archive:
            for number in range(6):
                archive.writestr(zipfile.ZipInfo(f"zipped/z{number}.txt"), f"entry {number} " * 400)
        (self.folder / "traces").mkdir()
        for name, numbers in SCENARIOS.items():
            for run in (1, 2):
                self.record(name, run, [number for number in numbers if number < assets])
        self.configure()

    def asset(self, number):
        return self.content / f"d{number % 4}" / f"a{number:03}.bin"

    def record(self, scenario, run, numbers):
        lines = []
        for i, number in enumerate(numbers):
            path = self.asset(number)
            lines.append(f'7 {i}.000000 openat(AT_FDCWD, "{path}", O_RDONLY) = 3<{path}> <0.000010>\n'
                         f'7 {i}.100000 read(3<{path}>, ""..., 100) = 100 <0.000010>\n'
                         f'7 {i}.200000 close(3<{path}>) = 0 <0.000010>\n')
        (self.folder / "traces" / f"{scenario}.{run}.strace").write_text("".join(lines))

    def configure(self, **changes):
        """Writes the build file, with these keys changed; None removes a key."""
        told = {"content": ["content"], "traces": ["traces/*.strace"], "block": 65536, "budget": 1,
                "outputs": {"packs": {"folder": "packs"}}, "lock": "layout.lock", "threads": 2, **changes}
        told = {key: value for key, value in told.items() if value is not None}
        (self.folder / "seekless.json").write_text("// made by a test\n" + json.dumps(told))

    def build(self, *options, **how):
        answer = self.tool.ok("build", self.folder, *options, "--json", "-", **how).json
        check_schema(answer, "results/build")
        return answer

    def written(self, *options):
        """Returns the packs that a build writes."""
        answer = self.build(*options)
        return {pack["file"] for pack in answer["packs"] if pack["fate"] == "written"}

    def copy(self, folder):
        """Copies only the inputs, with their times."""
        other = object.__new__(Project)
        other.__dict__.update(self.__dict__, folder=Path(folder), content=Path(folder) / "content",
                              packs=Path(folder) / "packs")
        other.folder.mkdir(parents=True)
        for name in ("content", "traces"):
            shutil.copytree(self.folder / name, other.folder / name)
        for trace in (other.folder / "traces").iterdir():
            trace.write_text(trace.read_text().replace(str(self.folder), str(other.folder)))
        for name in ("seekless.json", "layout.lock"):
            if (self.folder / name).exists():
                shutil.copy2(self.folder / name, other.folder / name)
        return other

    def pack_of(self, number):
        """Returns the names of the packs that hold an asset."""
        layout = json.loads((self.folder / ".seekless/layout.json").read_text())
        path = self.asset(number).relative_to(self.content).as_posix()
        return {pack["name"] + ".skl" for pack in layout["packs"]
                if any(asset["path"] == path for asset in pack["assets"])}


def stamps(folder):
    return {path.name: (path.stat().st_mtime_ns, path.stat().st_ino, path.stat().st_size)
            for path in Path(folder).iterdir()}


def edit(path, data):
    """Writes other bytes into the existing file."""
    with open(path, "r+b") as file:
        file.truncate(len(data))
        file.write(data)
    os.utime(path)
