"""Places files at given bytes of the disk, finds where files lie, and places faults."""
import ctypes
import errno
import fcntl
import os
import shutil
import struct
from pathlib import Path

from disk import Disk, Failed, WrongUsage

FIEMAP = 0xC020660B
FIEMAP_SYNC = 1
EXTENTS_AT_ONCE = 4096
KEEP_SIZE_PUNCH_HOLE = 3
BLOCK = 4096
GROUP_BYTES = 32768 * BLOCK  # size of a group of ext4 with blocks of 4 KiB; ext4 allocates in one group at a time
SPARE_BYTES = 256 << 10
LEAST_BYTES = 1 << 20  # least length of a place
SECTOR = 512


def extents(file):
    """Returns (place in the file, place on the disk, bytes) of each piece; adjoining pieces are one."""
    head = struct.Struct("=QQIIII")
    extent = struct.Struct("=QQQQQIIII")
    pieces = []
    start = 0
    while True:
        buffer = bytearray(head.pack(start, 2**64 - 1 - start, FIEMAP_SYNC, 0, EXTENTS_AT_ONCE, 0)
                           + bytes(extent.size * EXTENTS_AT_ONCE))
        fcntl.ioctl(file, FIEMAP, buffer)
        count = head.unpack_from(buffer)[3]
        for number in range(count):
            logical, physical, length = extent.unpack_from(buffer, head.size + number * extent.size)[:3]
            start = logical + length
            if pieces and pieces[-1][0] + pieces[-1][2] == logical and pieces[-1][1] + pieces[-1][2] == physical:
                pieces[-1][2] += length
            else:
                pieces.append([logical, physical, length])
        if count < EXTENTS_AT_ONCE:
            return pieces


def allocate(file, offset, length, mode=0):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
    if libc.fallocate(file.fileno(), mode, offset, length) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class Filler:
    """A file that takes all free space. Holes punched into it are then the only free space."""

    def __init__(self, disk):
        # It has no name, so the system removes it even if this program is killed.
        self.file = os.fdopen(os.open(disk.folder, os.O_TMPFILE | os.O_RDWR, 0o600), "w+b")
        # The room that stays free for ext4's own needs is far smaller than any requested place, so no file is placed
        # there.
        Path(f"/sys/fs/ext4/{disk.loop().name}/reserved_clusters").write_text(str(SPARE_BYTES // BLOCK))
        status = os.statvfs(disk.folder)
        step = status.f_bfree * status.f_frsize
        end = 0
        while step >= BLOCK:
            try:
                allocate(self.file, end, step)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                step = step // 2 // BLOCK * BLOCK
            end = os.fstat(self.file.fileno()).st_size
        self.file.truncate(max(0, end - SPARE_BYTES))
        self.pieces = sorted(extents(self.file), key=lambda piece: piece[1])

    def place_for(self, length, at):
        """Returns the first place from `at` on with `length` bytes of the filler in one piece: (offset in the filler,
        on the disk)."""
        for logical, physical, size in self.pieces:
            skip = max(0, at - physical)
            left_in_group = GROUP_BYTES - (physical + skip) % GROUP_BYTES
            if left_in_group < LEAST_BYTES:
                skip += left_in_group
            if skip <= size and length <= size - skip:
                return logical + skip, physical + skip
        raise Failed(f"no place for {length} bytes in one piece from byte {at} on")

    def punch(self, logical, length):
        allocate(self.file, logical, length, KEEP_SIZE_PUNCH_HOLE)
        os.fsync(self.file.fileno())  # only then is the space free

    def remove(self):
        self.file.close()


def rounded(length, unit):
    return -(-length // unit) * unit


def reserve(filler, path, length, at):
    """Makes a file whose bytes lie in one piece from `at` on; returns its place."""
    logical, place = filler.place_for(length, rounded(at, BLOCK))
    with open(path, "xb") as file:
        done = 0
        while done < length:
            step = min(length - done, GROUP_BYTES - (place + done) % GROUP_BYTES)
            filler.punch(logical + done, step)
            allocate(file, done, step)
            done += step
        found = extents(file)
    if [piece[1] for piece in found] != [place]:
        raise Failed(f"{path}: expected to lie at byte {place} in one piece, found {describe(found)}")
    return place


def describe(pieces):
    return ", ".join(f"{length} bytes at {physical}" for _, physical, length in pieces[:4]) or "nothing"


def put(arguments):
    disk = Disk.found(arguments.folder)
    if arguments.into.is_absolute() or ".." in arguments.into.parts:
        raise WrongUsage(f"--into: expected a folder inside of the disk, found '{arguments.into}'")
    put_files(disk, arguments.files, disk.folder / arguments.into, arguments.at)


def put_files(disk, files, into, at):
    for file in files:
        if not file.is_file():
            raise Failed(f"{file}: expected a file")
        if (into / file.name).exists():
            raise Failed(f"{into / file.name}: is there already")
    names = [file.name for file in files]
    for name in names:
        if names.count(name) > 1:
            raise WrongUsage(f"{name}: expected files of different names, found two of this one")
    into.mkdir(parents=True, exist_ok=True)
    made = []
    try:
        reserve_all(disk, files, into, at, made)
        for file, target in zip(files, made):
            copy(file, target)
    except BaseException:
        for target in made:
            target.unlink(missing_ok=True)
        raise
    for target in made:
        print(line_of(disk, target))


def reserve_all(disk, files, into, at, made):
    """Adds each file that it makes to `made`."""
    filler = Filler(disk)
    try:
        for file in files:
            target = into / file.name
            made.append(target)
            length = max(rounded(file.stat().st_size, BLOCK), LEAST_BYTES)
            at = length + reserve(filler, target, length, at)
    finally:
        filler.remove()


def copy(file, target):
    with open(file, "rb") as source, open(target, "r+b") as into:
        shutil.copyfileobj(source, into, 1 << 20)
        into.truncate()
        os.fsync(into.fileno())
    shutil.copystat(file, target)


def line_of(disk, path):
    with open(path, "rb") as file:
        pieces = extents(file)
    return f"{path.relative_to(disk.folder)}: {describe(pieces)}{' ...' if len(pieces) > 4 else ''}"


def inside(disk, path):
    path = (disk.folder / path if not path.is_absolute() else path).resolve()
    if not path.is_file() or os.stat(path).st_dev != os.stat(disk.folder).st_dev:
        raise Failed(f"{path}: expected a file on the disk mounted on {disk.folder}")
    return path


def where(arguments):
    disk = Disk.found(arguments.folder)
    for path in arguments.files:
        print(line_of(disk, inside(disk, path)))


def disk_place(disk, text, length):
    """Returns the place of "PATH:OFFSET", from which `length` bytes must lie in one piece."""
    name, colon, offset_text = text.rpartition(":")
    if not colon or not offset_text.isdecimal():
        raise WrongUsage(f"--file: expected PATH:OFFSET, found '{text}'")
    path = inside(disk, Path(name))
    offset = int(offset_text)
    with open(path, "rb") as file:
        for logical, physical, size in extents(file):
            if logical <= offset < logical + size and length <= size - (offset - logical):
                return physical + offset - logical
    raise Failed(f"{path}: {length} bytes from byte {offset} on don't lie in one piece on the disk")


def fault(arguments):
    disk = Disk.found(arguments.folder)
    if arguments.kind == "none":
        disk.order("none")
        return
    if arguments.kind == "stuck":
        disk.order(f"stuck {arguments.seconds}")
        return
    size = disk.stats()["size_bytes"]
    begin, length = 0, size
    if arguments.at is not None or arguments.file is not None:
        length = arguments.bytes or SECTOR
        begin = arguments.at if arguments.file is None else disk_place(disk, arguments.file, length)
    if begin > size or length > size - begin:
        raise Failed(f"{length} bytes at {begin} lie beyond the disk's end, {size}")
    order = f"{arguments.kind} {begin} {length} {arguments.times or 0} {arguments.after_reads}"
    disk.order(order + (f" {arguments.ms}" if arguments.kind == "slow" else ""))
