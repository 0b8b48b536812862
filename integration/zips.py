"""Makes zip archives of every kind, valid and hostile, byte by byte; and reads archives with independent readers:
Python's zipfile, Info-ZIP, libarchive and libzip."""
import ctypes
import ctypes.util
import shutil
import struct
import subprocess
import zipfile
import zlib

DATE = (0x5A21, 0x6B43)  # time and date as DOS counts them
SATURATED = 0xFFFFFFFF


def deflated(data, level=6):
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def field(number, data=b""):
    return struct.pack("<HH", number, len(data)) + data


class Entry:
    """One entry. Keyword arguments replace the true values in its records."""

    def __init__(self, name, data=b"", method=0, *, flags=0, made_by=0x031E, needed=20, local_extra=b"",
                 extra=b"", comment=b"", attributes=0o644 << 16, internal=0, date=DATE, descriptor=None,
                 zip64=False, packed=None, local=None, central=None):
        self.name = name if isinstance(name, bytes) else name.encode()
        self.data, self.method, self.flags, self.made_by, self.needed = data, method, flags, made_by, needed
        self.local_extra, self.extra, self.comment = local_extra, extra, comment
        self.attributes, self.internal, self.date = attributes, internal, date
        self.descriptor = descriptor  # one of None, "signed", "bare", "signed64", "bare64"
        self.zip64 = zip64
        self.packed = packed if packed is not None else deflated(data) if method == 8 else data
        self.local, self.central = local or {}, central or {}
        if descriptor:
            self.flags |= 8

    def figures(self, overrides):
        told = {"crc": zlib.crc32(self.data), "stored": len(self.packed), "size": len(self.data),
                "name": self.name, "method": self.method, "flags": self.flags}
        told.update(overrides)
        return told

    def local_header(self):
        told = self.figures({**({"crc": 0, "stored": 0, "size": 0} if self.descriptor else {}), **self.local})
        extra = self.local_extra
        if self.zip64:
            extra = field(1, struct.pack("<QQ", told["size"], told["stored"])) + extra
            told["stored"] = told["size"] = SATURATED
        return struct.pack("<IHHHHHIIIHH", 0x04034B50, self.needed, told["flags"], told["method"], *self.date,
                           told["crc"], told["stored"], told["size"], len(told["name"]), len(extra)) \
            + told["name"] + extra

    def after_data(self):
        if not self.descriptor:
            return b""
        told = self.figures(self.central)
        sizes = struct.pack("<QQ" if self.descriptor.endswith("64") else "<II", told["stored"], told["size"])
        return (b"PK\7\10" if self.descriptor.startswith("signed") else b"") + struct.pack("<I", told["crc"]) + sizes

    def record(self, offset):
        told = self.figures(self.central)
        offset = told.get("offset", offset)
        extra = self.extra
        if self.zip64:
            extra = field(1, struct.pack("<QQQ", told["size"], told["stored"], offset)) + extra
            told["stored"] = told["size"] = offset = SATURATED
        return struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, self.made_by, self.needed, told["flags"], told["method"],
                           *self.date, told["crc"], told["stored"], told["size"], len(told["name"]), len(extra),
                           len(self.comment), told.get("disk", 0), self.internal, self.attributes, offset) \
            + told["name"] + extra + self.comment


def archive(entries, *, prefix=b"", counts_prefix=True, comment=b"", trailing=b"", gap=b"", before_directory=b"",
            before_end=b"", zip64_end=False, zip64_extra=b"", disk=0, count=None):
    out = bytearray(prefix)
    base = 0 if counts_prefix else len(prefix)
    offsets = []
    for entry in entries:
        offsets.append(len(out) - base)
        out += entry.local_header() + entry.packed + entry.after_data() + gap
    out += before_directory
    start = len(out)
    for entry, offset in zip(entries, offsets):
        out += entry.record(offset)
    size = len(out) - start
    out += before_end
    total = len(entries) if count is None else count
    if zip64_end or total > 0xFFFF and count is None:
        at = len(out)
        out += struct.pack("<IQHHIIQQQQ", 0x06064B50, 44 + len(zip64_extra), 45, 45, 0, 0, total, total, size,
                           start - base) + zip64_extra
        out += struct.pack("<IIQI", 0x07064B50, 0, at - base, 1)
        out += struct.pack("<IHHHHIIH", 0x06054B50, disk, 0, 0xFFFF, 0xFFFF, SATURATED, SATURATED, len(comment))
    else:
        out += struct.pack("<IHHHHIIH", 0x06054B50, disk, 0, total & 0xFFFF, total & 0xFFFF, size, start - base,
                           len(comment))
    return bytes(out + comment + trailing)


# ---- what readers find ------------------------------------------------------------------------

def by_zipfile(path, password=None):
    """Returns every entry, in the order of the directory: the parts that are kept when it moves, and its content;
    None if Python can't unpack it."""
    found = []
    with zipfile.ZipFile(path) as opened:
        for info in opened.infolist():
            try:
                content = opened.read(info, password)
            except (NotImplementedError, RuntimeError):
                content = None
            found.append((info.orig_filename, info.CRC, info.file_size, info.date_time, info.comment,
                          info.external_attr, info.internal_attr, info.create_version, info.create_system,
                          info.flag_bits & 0x801, content))
        found.append(opened.comment)
    return found


def by_unzip(path, password="x"):
    """Returns the exit code of unzip's test (0 or 1: a warning), and its list without the parts that vary."""
    tested = subprocess.run(["unzip", "-tqq", "-P", password, path], capture_output=True)
    listed = subprocess.run(["unzip", "-Zsl", "-h-t", path], capture_output=True)
    lines = []
    for line in listed.stdout.split(b"\n"):
        words = line.split(None, 9)  # mode, version, system, size, kind, stored, method, date, time, name
        if len(words) == 10:
            lines.append((words[0], words[2], words[3], words[7], words[8], words[9]))
    return tested.returncode, sorted(lines)


def by_bsdtar(path):
    done = subprocess.run(["bsdtar", "-tvf", path], capture_output=True, env={"LC_ALL": "C.UTF-8", "TZ": "UTC"})
    return done.returncode, sorted(done.stdout.split(b"\n"))


class ZipStat(ctypes.Structure):
    _fields_ = [("valid", ctypes.c_uint64), ("name", ctypes.c_char_p), ("index", ctypes.c_uint64),
                ("size", ctypes.c_uint64), ("comp_size", ctypes.c_uint64), ("mtime", ctypes.c_long),
                ("crc", ctypes.c_uint32), ("comp_method", ctypes.c_uint16), ("encryption", ctypes.c_uint16),
                ("flags", ctypes.c_uint32)]


def by_libzip(path):
    """Returns name, size and content of every entry; None as a whole if libzip can't open the archive."""
    lib = ctypes.CDLL(ctypes.util.find_library("zip"))
    lib.zip_open.restype = lib.zip_fopen_index.restype = ctypes.c_void_p
    lib.zip_fread.restype = lib.zip_get_num_entries.restype = ctypes.c_int64
    lib.zip_get_num_entries.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
    lib.zip_stat_index.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32, ctypes.POINTER(ZipStat)]
    lib.zip_fopen_index.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32]
    lib.zip_fread.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64]
    lib.zip_fclose.argtypes = lib.zip_discard.argtypes = [ctypes.c_void_p]
    opened = lib.zip_open(str(path).encode(), 16, None)
    if not opened:
        return None
    found = []
    for index in range(lib.zip_get_num_entries(opened, 0)):
        stat = ZipStat()
        assert lib.zip_stat_index(opened, index, 0, ctypes.byref(stat)) == 0
        file = lib.zip_fopen_index(opened, index, 0)
        content = None
        if file:
            buffer = ctypes.create_string_buffer(stat.size + 1)
            got = lib.zip_fread(file, buffer, stat.size + 1)
            content = buffer.raw[:got] if got >= 0 else None
            lib.zip_fclose(file)
        found.append((stat.name, stat.size, stat.crc, stat.mtime, content))
    lib.zip_discard(opened)
    return found


def data_offsets(path):
    """Returns where each entry's data begin, in the order of the directory."""
    raw = path.read_bytes()
    with zipfile.ZipFile(path) as opened:
        return [info.header_offset + 30 + sum(struct.unpack_from("<HH", raw, info.header_offset + 26))
                for info in opened.infolist()]


def names_by_place(path):
    with zipfile.ZipFile(path) as opened:
        return [info.orig_filename for info in sorted(opened.infolist(), key=lambda info: info.header_offset)]


def have_readers():
    return all(shutil.which(name) for name in ("unzip", "bsdtar")) and ctypes.util.find_library("zip")
