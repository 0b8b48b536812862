"""Computes the cost of the same releases if content is packed in other ways. No files are made: these are sums of
sizes.

- one archive: everything in one file, rewritten without holes (a `.pak`, a `.zip`);
- packs of 1/16 of the content (64 MB of a game of 1 GB): files in the order of their paths, cut where a pack is full.
    An edited file stays in its pack, a new one goes to the pack of its neighbour, and a pack that outgrows the size
  by half is split. Each pack with a change is rewritten without holes;
- loose files: new and changed files are written.
"""
import bisect


def one_archive(edits):
    return edits.total


def loose_files(edits):
    return edits.touched


class CappedPacks:
    def __init__(self, files, parts=16):
        self.parts, self.starts = parts, []  # the first path of each pack but the first
        self.split(sorted(files), files, sum(size for size, _ in files.values()) / parts)

    def split(self, paths, files, most):
        held = 0
        for path in paths:
            if held > 0 and held + files[path][0] > most:
                bisect.insort(self.starts, path)
                held = 0
            held += files[path][0]

    def pack_of(self, path):
        return bisect.bisect_right(self.starts, path)

    def release(self, old, new):
        """Returns the bytes written by a client that rebuilds changed packs."""
        changed = {self.pack_of(path) for path in old.keys() | new.keys() if old.get(path) != new.get(path)}
        by_pack = {}
        for path in sorted(new):
            by_pack.setdefault(self.pack_of(path), []).append(path)
        sizes = {pack: sum(new[path][0] for path in paths) for pack, paths in by_pack.items()}
        written = sum(sizes.get(pack, 0) for pack in changed)
        most = sum(size for size, _ in new.values()) / self.parts
        for pack, paths in by_pack.items():
            if sizes[pack] > 1.5 * most:
                self.split(paths, new, most)
        return written
