"""A made-up history: a game of 20 GB, fifty builds of 2 % edits each, hot and cold folders, an engine upgrade that
touches 40 %, and a rename of a third. Its files are sparse, except for a few bytes that make each content unique.
"""
import os
import random

from history import Change, Content

FILE_BYTES = 1_000_000  # mean size
FOLDERS, HOT_FOLDERS = 100, 20
HOT_SHARE = 0.8  # share of the edits that are in the hot folders
EDITED_SHARE = 0.02
UPGRADE_AT, UPGRADED_SHARE = 25, 0.4
RENAME_AT, RENAMED_SHARE = 40, 1 / 3
MOVED = "moved/"


def generated_history(total_bytes, builds=61, recorded_at=10):
    """Returns each build's changes, as `read_history` does. Nothing is edited before the recordings."""
    chance = random.Random("generated")
    files, number = {}, 0
    history = [[]]
    left = total_bytes
    while left > 0:
        size = max(4096, int(chance.lognormvariate(0, 1.2) / 2.05 * FILE_BYTES))
        number, left = number + 1, left - size
        files[f"f{chance.randrange(FOLDERS):02}/asset{number:06}.{'abcd'[number % 4]}"] = (size, f"{number:016x}")
    history[0] = [Change(path, size, i) for path, (size, i) in sorted(files.items())]
    history += [[] for _ in range(recorded_at)]
    for build in range(recorded_at + 1, builds):
        changes = []
        if build == RENAME_AT:
            changes = renames(files, chance)
        else:
            share = UPGRADED_SHARE if build == UPGRADE_AT else EDITED_SHARE
            for path in picks(files, share, chance, build != UPGRADE_AT):
                number += 1
                changes.append(Change(path, max(4096, int(files[path][0] * chance.uniform(0.95, 1.06))),
                                      f"{number:016x}"))
        for change in changes:
            if change.id:
                files[change.path] = (change.size, change.id)
            else:
                del files[change.path]
        history.append(changes)
    return history


def is_hot(path):
    """Returns True for a file of a hot folder; a renamed file has kept its folder."""
    return int(path.removeprefix(MOVED)[1:3]) < HOT_FOLDERS


def picks(files, share, chance, prefers_hot):
    """Returns random paths that together have this share of the bytes."""
    wanted = share * sum(size for size, _ in files.values())
    hot = [path for path in sorted(files) if is_hot(path)]
    cold = [path for path in sorted(files) if not is_hot(path)]
    every, chosen, held = hot + cold, {}, 0
    while held < wanted:
        path = chance.choice(hot if prefers_hot and chance.random() < HOT_SHARE else every)
        held += 0 if path in chosen else files[path][0]
        chosen[path] = True
    return chosen


def renames(files, chance):
    changes = []
    for path in chance.sample(sorted(files), int(len(files) * RENAMED_SHARE)):
        changes += [Change(path), Change(MOVED + path, *files[path])]
    return changes


class SparseContent(Content):
    def apply(self, changes):
        for change in changes:
            file = self.folder / change.path
            if not change.id:
                file.unlink()
                del self.files[change.path]
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("wb") as output:
                output.write(f"content {change.id}".encode())
                os.ftruncate(output.fileno(), change.size)
            self.files[change.path] = (change.size, change.id)
