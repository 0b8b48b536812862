"""Reads packs, with the reader that ships in games."""

from __future__ import annotations

import collections.abc
import os
import types
import typing

from seekless import _core
from seekless._needs import needed
from seekless.commands import StrPath, run

if typing.TYPE_CHECKING:
    import pyarrow

__all__ = ["PackSet", "Part", "open"]

Writable = bytearray | memoryview


class Part(typing.NamedTuple):
    """An asset of a sweep, or a part of one that is larger than a block.

    data: a read-only view without a copy. While it exists, it keeps its block (2 MiB) in memory, so copy bytes that
        you keep, with bytes(data).
    """

    path: str
    offset_bytes: int
    asset_bytes: int
    data: memoryview

    @property
    def is_whole(self) -> bool:
        return len(self.data) == self.asset_bytes

    @property
    def is_last(self) -> bool:
        """Returns True if the asset ends with this part. The parts of an asset come in order."""
        return self.offset_bytes + len(self.data) == self.asset_bytes


class PackSet(collections.abc.Mapping[str, bytes]):
    """An open pack set (its folder), a single pack, a zip or a folder of loose files.

    It maps paths to content: `packs["map/a.png"]`, `"map/a.png" in packs`, `len(packs)`. All methods may be called
    from any thread, and release the GIL while they read. A whole asset is checked against its hash.

    memory_bytes: limit for blocks that are read ahead and decoded; 0: 16 MiB.
    """

    def __init__(self, path: StrPath, *, memory_bytes: int = 0) -> None:
        self.path = os.fspath(path)
        self._set = _core.PackSet(os.fsencode(self.path), memory_bytes)
        self._assets: dict[str, int] | None = None
        for name in ("read", "read_into", "size_bytes"):  # calls the extension's methods directly, which saves a step
            setattr(self, name, getattr(self._set, name))

    if typing.TYPE_CHECKING:  # their types and documentation; the functions are the extension's, set above

        def read(self, path: str, offset_bytes: int = 0, length_bytes: int | None = None) -> bytes:
            """Returns the asset's bytes, or a part of them; fewer if the asset ends earlier."""

        def read_into(self, path: str, into: Writable, offset_bytes: int = 0) -> int:
            """Fills a bytearray, a memoryview or an array with the asset's bytes, and returns their number."""

        def size_bytes(self, path: str) -> int:
            """Returns the asset's size."""

    def __getitem__(self, path: str) -> bytes:
        return self._set.read(path)

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and path in self._set

    def __iter__(self) -> collections.abc.Iterator[str]:
        return iter(self.sizes())

    def __len__(self) -> int:
        return len(self.sizes())

    def __enter__(self) -> PackSet:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: types.TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"seekless.PackSet({self.path!r})"

    def sizes(self) -> dict[str, int]:
        """Returns every path with its size in bytes, in the order of the packs."""
        if self._assets is None:
            self._assets = dict(zip(*self._set.list(), strict=True))
        return self._assets

    def list(self, *globs: str) -> pyarrow.Table:
        """Lists where assets lie: path, bytes, pack, block, offset, alignment. The list is in the order of the packs
        and includes copies."""
        needed("pyarrow", "arrow")
        return run("info", self.path, *globs, assets=True).table("assets")

    def info(self) -> dict[str, typing.Any]:
        """Returns the packs, scenarios and sizes."""
        return dict(run("info", self.path))

    def verify(self) -> None:
        """Checks every byte. Raises DamagedError, whose `result["damages"]` says where and what is damaged."""
        run("verify", self.path)

    def hash(self, path: str) -> str:
        """Returns the XXH3-128 of the asset's content, as xxh128sum prints it."""
        return self._set.hash(path)

    def sweep(self, scenario: str | None = None) -> collections.abc.Iterator[Part]:
        """Yields a scenario's assets in the order of the disk, and reads ahead.

        None means all of a single pack.
        """
        for part in self._set.sweep(scenario):
            yield Part(*part)

    def load(self, scenario: str | None = None) -> collections.abc.Iterator[tuple[str, memoryview]]:
        """Like sweep, but yields whole assets: those in several parts are joined."""
        begun: dict[str, bytearray] = {}
        for part in self.sweep(scenario):
            if part.is_whole:
                yield part.path, part.data
                continue
            begun.setdefault(part.path, bytearray()).extend(part.data)
            if part.is_last:
                yield part.path, memoryview(begun.pop(part.path)).toreadonly()

    def stats(self) -> dict[str, int]:
        """Returns the cost of reading so far: reads, bytes, seeks."""
        return self._set.stats()

    def close(self) -> None:
        """Closes the files when no thread reads any more. Existing views stay valid."""
        self._set.close()


def open(path: StrPath, *, memory_bytes: int = 0) -> PackSet:
    """Opens a pack set, a single pack, a zip or a folder."""
    return PackSet(path, memory_bytes=memory_bytes)
