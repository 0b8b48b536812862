"""Two releases of a small game whose packs stay from one to the next, the patch between them, and the content of each,
for tests of `apply`."""
import random
import shutil
import signal
import subprocess

from project import edit, settle
from tool import tree

OLD, NEW = ".seekless-old", ".seekless-new"


def extracted(tool, packs, folder):
    tool.ok("extract", packs, "-o", folder)
    found = tree(folder)
    shutil.rmtree(folder)
    return found


def content_of(project):
    """Maps paths in packs to content, with the archive's entries instead of the archive."""
    found = {name: data for name, data in tree(project.content).items() if name != "base.zip"}
    return found | {f"zipped/z{number}.txt": (f"entry {number} " * 400).encode() for number in range(6)}


def set_of(packs):
    """Returns the files of the set, without kept files of the release before."""
    return {name: data for name, data in tree(packs).items() if not name.startswith(OLD)}


def change(project, chance):
    """Changes the content as people do: edits, often of the same files, sometimes a new file, and a removed one."""
    numbers = [number for number in range(90) if project.asset(number).exists()]
    for number in chance.sample(numbers, chance.randrange(1, 9)):
        edit(project.asset(number), chance.randbytes(chance.randrange(1, 40_000)))
    if chance.random() < 0.4:
        (project.content / f"new-{chance.randrange(20)}.bin").write_bytes(chance.randbytes(9000))
    if chance.random() < 0.2:
        project.asset(chance.choice(numbers)).unlink()
    settle()


class Released:
    """Two releases, the patch between them, and each release's content."""

    def __init__(self, tool, game, folder):
        self.tool, self.folder = tool, folder
        self.old, self.new, self.patch = folder / "old", folder / "new", folder / "up.skp"
        chance = random.Random(4)
        for _ in range(3):
            change(game, chance)
            game.build()
        shutil.copytree(game.packs, self.old)
        for _ in range(2):
            change(game, chance)
            game.build()
        shutil.copytree(game.packs, self.new)
        tool.ok("patch", self.old, self.new, "-o", self.patch)
        self.releases = [extracted(tool, packs, folder / "out") for packs in (self.old, self.new)]

    def installed(self):
        there = self.folder / "installed"
        shutil.rmtree(there, ignore_errors=True)
        shutil.copytree(self.old, there)
        return there

    def check_whole(self, packs):
        """Checks that a reader of the set gets one of the releases."""
        self.tool.ok("verify", packs)
        assert extracted(self.tool, packs, self.folder / "out") in self.releases


def kill_after(command, seconds):
    """Kills the command at that time, if it hasn't ended. Returns its exit code."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
    return process.returncode
