"""A pack set is replaced while a command reads it, at each of the command's opens of the set's files. The command's
answer describes the whole old set or the whole new one."""
import shutil

import pytest

from faults import Faults
from tool import DONE, tree


class Replaced:
    """`packs` holds one set until a file of it is opened for the n-th time, and then another set."""

    def __init__(self, tool, made, folder):
        self.tool, self.faults = tool, Faults(folder)
        self.packs, self.folder = folder / "packs", folder
        self.sets = {}
        for name, budget in (("old", 1), ("new", 1.5)):
            layout = folder / f"{name}.json"
            tool.ok("plan", *made.traces, "--content", made.game.folder, "-o", layout, "--block", 256 * 1024, "--budget",
                    budget, *(() if name == "old" else ("--exclude", "mods/**")))
            tool.ok("pack", layout, "-o", folder / name)
            self.sets[name] = tree(folder / name)
        assert self.sets["old"].keys() and self.sets["old"] != self.sets["new"]
        self.action = " ".join(map(str, tool.command("pack", folder / "new.json", "-o", self.packs))) + " > /dev/null"

    def run(self, number, *command):
        """Runs the command; returns None if it opens fewer files than `number`."""
        shutil.rmtree(self.packs, ignore_errors=True)
        shutil.copytree(self.folder / "old", self.packs)
        answer = self.tool.run(*command, env=self.faults.env(open=number, open_end=".skl", open_do=self.action))
        was_replaced = tree(self.packs) == self.sets["new"]
        assert was_replaced or tree(self.packs) == self.sets["old"]
        return answer if was_replaced else None


@pytest.fixture(scope="module")
def replaced(tool, made, tmp_path_factory):
    return Replaced(tool, made, tmp_path_factory.mktemp("replaced"))


@pytest.mark.parametrize("command", ["verify", "info --assets", "info", "extract", "extract one"])
def test_the_answer_is_of_one_of_the_sets(replaced, command):
    tool, packs, output = replaced.tool, replaced.packs, replaced.folder / "out"
    line = {"verify": ("verify", packs), "info --assets": ("info", "--assets", packs), "info": ("info", packs),
            "extract": ("extract", packs, "-o", output),
            "extract one": ("extract", packs, "stats/rules.json", "-o", "-")}[command]

    def result(answer):
        found = answer.out if command != "extract" else tree(output)
        shutil.rmtree(output, ignore_errors=True)
        return found

    right = []
    for name in ("old", "new"):
        shutil.rmtree(packs, ignore_errors=True)
        shutil.copytree(replaced.folder / name, packs)
        right.append(result(tool.ok(*line)))
    assert right[0] != right[1] or command in ("extract one", "verify")
    number = 1
    while (answer := replaced.run(number, *line)) is not None:
        assert answer.code == DONE, f"replaced before opening number {number}: {answer.err}{answer.text[-500:]}"
        assert result(answer) in right, number
        number += 1
    assert number > 2
