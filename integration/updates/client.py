"""A small client that really updates a set, like a store's client: from the old files and downloads.

It knows the place of every chunk of the old release. Each changed file is written beside the old one, from old chunks
and downloaded ones. When all are complete they are moved into place, and files that the new release lacks are removed.
It counts every byte. Chunks are cut at a grid, or content-defined.
"""
import dataclasses
import os
import pathlib
import shutil
import sys

import xxhash

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from measure_patch import chunks, grid  # noqa: E402

CUTS = {"grid": grid, "chunks": chunks}


@dataclasses.dataclass
class Counted:
    downloaded: int = 0
    read: int = 0
    written: int = 0
    peak_room: int = 0  # most room that it takes beside the old release


def update(installed, release, cut):
    """Makes the folder `installed` equal to `release`; `cut` is one of CUTS. Chunks are downloaded once."""
    installed, release = pathlib.Path(installed), pathlib.Path(release)
    known = index(installed, CUTS[cut])
    staged = installed.with_name(installed.name + ".staged")
    staged.mkdir()
    counted, downloaded = Counted(), set()
    for file in sorted(release.glob("*.skl")):
        data = file.read_bytes()
        old = installed / file.name
        if old.exists() and old.read_bytes() == data:  # a store knows that from its list of files
            continue
        rebuild(data, CUTS[cut], staged / file.name, known, downloaded, counted)
    counted.peak_room = sum(file.stat().st_size for file in staged.iterdir())
    for file in staged.iterdir():
        os.replace(file, installed / file.name)
    staged.rmdir()
    for file in installed.glob("*.skl"):
        if not (release / file.name).exists():
            file.unlink()
    return counted


def index(folder, cut):
    """Maps a chunk's digest to its file and place."""
    known = {}
    for file in sorted(folder.glob("*.skl")):
        at = 0
        for chunk in cut(file.read_bytes()):
            known.setdefault(xxhash.xxh3_128_digest(chunk), (file, at, len(chunk)))
            at += len(chunk)
    return known


def rebuild(data, cut, path, known, downloaded, counted):
    with path.open("wb") as output:
        for chunk in cut(data):
            digest = xxhash.xxh3_128_digest(chunk)
            if digest in known:
                file, at, length = known[digest]
                with file.open("rb") as source:
                    source.seek(at)
                    chunk = source.read(length)
                counted.read += length
            elif digest not in downloaded:
                downloaded.add(digest)
                counted.downloaded += len(chunk)
            output.write(chunk)
            counted.written += len(chunk)


def measure(old, new, work):
    """Maps each cut to the client's counts on a copy of `old`."""
    found = {}
    for cut in CUTS:
        installed = pathlib.Path(work) / f"installed-{cut}"
        shutil.copytree(old, installed)
        found[cut] = update(installed, new, cut)
        there = {file.name: file.read_bytes() for file in installed.iterdir()}
        assert there == {file.name: file.read_bytes() for file in pathlib.Path(new).glob("*.skl")}
        shutil.rmtree(installed)
    return found
