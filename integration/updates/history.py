"""Histories of real game content, and content that behaves like them.

A history lists the files that sixty builds added, edited and deleted, with sizes and ids of their content, but without
the content. Bytes are made up here from the ids: equal ids give equal bytes. Half of all edits keep 50 to 95 % of the
old bytes, and replace a run in the middle; the others keep nothing. Nothing compresses.
"""
import dataclasses
import lzma
import os
import pathlib
import random

import numpy

FOLDER = pathlib.Path(__file__).resolve().parent / "histories"
NAMES = ("freedoom", "openra")


@dataclasses.dataclass(frozen=True)
class Change:
    path: str
    size: int = 0
    id: str = ""  # empty: deleted


def read_history(name):
    """Returns each build's changes."""
    builds = []
    with lzma.open(FOLDER / f"{name}.tsv.xz", "rt", encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                continue
            build, _, kind, size, content_id, path = line.rstrip("\n").split("\t")
            while len(builds) <= int(build):
                builds.append([])
            builds[-1].append(Change(path) if kind == "D" else Change(path, int(size), content_id))
    return builds


def noise(size, seed):
    return numpy.random.Generator(numpy.random.PCG64(seed)).bytes(size)


@dataclasses.dataclass(frozen=True)
class Recipe:
    size: int
    parent: str = ""  # id of the content from which a part of the bytes comes


class Content:
    """Files in a folder that follow a history, change by change; `scale` times as large."""

    def __init__(self, folder, scale=1):
        self.folder, self.scale = pathlib.Path(folder), scale
        self.files = {}  # path -> (size, id)
        self.recipes = {}  # indexed by id

    def apply(self, changes):
        for change in changes:
            file = self.folder / change.path
            if not change.id:
                file.unlink()
                del self.files[change.path]
                continue
            size = max(1, change.size * self.scale)
            if change.id not in self.recipes:
                self.recipes[change.id] = self.recipe(change, size)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(self.bytes_of(change.id))
            self.files[change.path] = (size, change.id)

    def recipe(self, change, size):
        before = self.files.get(change.path)
        keeps = before is not None and random.Random(f"keeps {change.id}").random() < 0.5
        return Recipe(size, before[1] if keeps else "")

    def bytes_of(self, content_id):
        recipe = self.recipes[content_id]
        if not recipe.parent:
            return noise(recipe.size, int(content_id, 16))
        old = self.bytes_of(recipe.parent)
        chance = random.Random(f"run {content_id}")
        common = int(min(len(old), recipe.size) * chance.uniform(0.5, 0.95))
        front = int(common * chance.random())
        middle = noise(recipe.size - common, int(content_id, 16))
        return old[:front] + middle + old[len(old) - (common - front):]

    def total(self):
        return sum(size for size, _ in self.files.values())


@dataclasses.dataclass(frozen=True)
class Edits:
    """A build's changes, in bytes."""
    edited: int  # bytes of new contents, each once
    touched: int  # size of files that are new or changed, renamed ones included
    removed: int
    total: int  # size of all files after the build

    @property
    def is_ordinary(self):
        """Returns True for builds that change less than a fifth of the bytes, mostly by editing and not by renaming."""
        return max(self.touched, self.removed) < 0.2 * self.total and 2 * self.edited >= self.touched and self.edited > 0


def edits_between(old, new):
    """Compares `Content.files` before and after."""
    known = {content_id for _, content_id in old.values()}
    return Edits(edited=sum({i: size for size, i in new.values() if i not in known}.values()),
                 touched=sum(of[0] for path, of in new.items() if old.get(path) != of),
                 removed=sum(of[0] for path, of in old.items() if path not in new),
                 total=sum(size for size, _ in new.values()))


def hot_fix(changes, files, seed):
    """Returns about a tenth of a build's edits of existing files, in their order."""
    known = {content_id for _, content_id in files.values()}
    edits = [change for change in changes if change.id and change.path in files and change.id not in known]
    edits = edits or [change for change in changes if change.id and change.id not in known]
    count = min(len(edits), max(1, round(len(edits) / 10)))
    return random.Random(f"fix {seed}").sample(edits, count)


def record(files, content, folder, scenarios=20, seed=1):
    """Made-up loads: each reads a core that all of them read, some folders' worth of files that lie side by side by
    their paths (about 6 % of all, in six runs), and a few strays; whole files, one after the other. If other files
    change, the same scenarios still read mostly the same paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = sorted(files)
    core = [path for path in paths if random.Random(f"core {path}").random() < 0.08]
    for number in range(scenarios):
        chance = random.Random(f"scenario {seed} {number}")
        chosen = dict.fromkeys(core)
        for start in sorted(chance.random() for _ in range(6)):
            first = int(start * len(paths))
            chosen.update(dict.fromkeys(paths[first:first + max(1, len(paths) // 100)]))
        chosen.update(dict.fromkeys(p for p in paths if random.Random(f"stray {number} {p}").random() < 0.005))
        write_trace(folder / f"load{number:02}.1.strace", [os.path.join(content, p) for p in chosen],
                    [files[p][0] for p in chosen])


def write_trace(path, files, sizes):
    path.write_text("".join(
        f'7 {i}.000000 openat(AT_FDCWD, "{file}", O_RDONLY) = 3<{file}> <0.000010>\n'
        f'7 {i}.100000 read(3<{file}>, ""..., {size}) = {size} <0.000010>\n'
        f'7 {i}.200000 close(3<{file}>) = 0 <0.000010>\n' for i, (file, size) in enumerate(zip(files, sizes))))
