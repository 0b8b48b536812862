"""Kinds of calls that programs make in their folder. Each must do the same in a plain folder and in a served one.

As a program, `served_calls.py FOLDER` runs every kind in a separate folder below FOLDER, and prints each call's result.
served_compare.py does that in both folders and compares."""
import ctypes
import errno
import fcntl
import hashlib
import itertools
import json
import mmap
import os
import resource
import select
import signal
import socket
import stat
import struct
import subprocess
import sys
from pathlib import Path

LONGEST_S = 60  # limit for one kind; after that it counts as hanging
USER = 65534  # same as in tool.as_nobody
OTHER, SHARED = 4321, 5005  # owner of files that aren't the player's; a group
NOW_NS = 1_600_000_000 * 10**9  # times that a kind sets are before this
LIBC = ctypes.CDLL(None, use_errno=True)
KINDS = {}          # name -> function
PREPARED = {}       # name -> what lies there before, made by root


def kind(function):
    KINDS[function.__name__] = function
    return function


def prepared_by(prepare):
    def note(function):
        PREPARED[function.__name__] = prepare
        return kind(function)
    return note


class Notes:
    """The result of each call: a value, or the name of its error."""

    def __init__(self):
        self.lines = []

    def __call__(self, label, call, *arguments, **how):
        try:
            value = call(*arguments, **how)
        except OSError as error:
            self.lines.append([label, errno.errorcode.get(error.errno, str(error.errno))])
            return None
        if type(value) is int and value > NOW_NS:
            value = "now"
        self.lines.append([label, value if isinstance(value, (int, str, type(None))) else repr(value)])
        return value

    def open(self, label, path, flags, mode=0o644):
        """Opens a file. The descriptor's number may differ, so it isn't noted."""
        opened = []
        self(label, lambda: opened.append(os.open(path, flags, mode)))
        return opened[0] if opened else None


def libc(name, *arguments):
    done = getattr(LIBC, name)(*arguments)
    if done < 0:
        raise OSError(ctypes.get_errno(), name)
    return done


def write(path, content=b"0123456789"):
    with open(path, "wb") as file:
        file.write(content)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def mode_of(path):
    return oct(os.lstat(path).st_mode)


AT_FDCWD = -100
ACCESS = {"read": os.O_RDONLY, "write": os.O_WRONLY, "both": os.O_RDWR}


# ---- opening, creating --------------------------------------------------------------------------

@kind
def open_flags(note):
    more = ["TRUNC", "APPEND", "CREAT", "EXCL", "DIRECTORY", "NOFOLLOW", "NONBLOCK", "SYNC", "DSYNC", "NOATIME", "PATH", "NOCTTY"]
    sets = [(), *((name,) for name in more), ("CREAT", "EXCL"), ("CREAT", "TRUNC"), ("CREAT", "APPEND"), ("CREAT", "NOFOLLOW"),
            ("CREAT", "DIRECTORY"), ("TRUNC", "APPEND")]
    for (way, access), names in itertools.product(ACCESS.items(), sets):
        write("file"), os.makedirs("folder", exist_ok=True), Path("missing").unlink(missing_ok=True), Path("target").unlink(missing_ok=True)
        for link, to in (("link", "file"), ("dangling", "target")):
            Path(link).unlink(missing_ok=True)
            os.symlink(to, link)
        flags = access
        for name in names:
            flags |= getattr(os, "O_" + name)
        for path in ("file", "folder", "link", "dangling", "missing", "file/below", "no/file"):
            file = note.open(f"{path} {way} {names}", path, flags)
            if file is None:
                continue
            note("write", os.write, file, b"abc")
            note("read", os.read, file, 100)
            os.close(file)
        note("then", lambda: (content("file"), os.path.exists("missing"), os.path.exists("target")))


@kind
def open_by_rights(note):
    write("file"), os.mkdir("folder")
    for mode, (way, access) in itertools.product(range(0, 0o1000, 0o100), ACCESS.items()):
        os.chmod("file", mode)
        file = note.open(f"{way} {oct(mode)}", "file", access)
        if file is not None:
            os.close(file)
    for mode in (0, 0o100, 0o200, 0o300, 0o400, 0o500, 0o700):
        os.chmod("folder", mode)
        note(f"list {oct(mode)}", os.listdir, "folder")
        note(f"create {oct(mode)}", lambda: os.close(os.open("folder/f", os.O_CREAT | os.O_WRONLY)))
        note(f"remove {oct(mode)}", os.unlink, "folder/f")
    os.chmod("folder", 0o700)


@kind
def search_of_known_names(note):
    os.mkdir("folder"), write("folder/file"), os.stat("folder/file")
    os.chmod("folder", 0o600)
    note("open", lambda: content("folder/file"))
    note("remove", os.unlink, "folder/file")
    os.chmod("folder", 0o700)


@kind
def masks(note):
    for mask, mode in itertools.product((0, 0o022, 0o077, 0o777), (0o666, 0o777, 0o640, 0o4755)):
        os.umask(mask)
        name = f"{mask:o}-{mode:o}"
        note("file", lambda: os.close(os.open(name, os.O_CREAT | os.O_WRONLY, mode)))
        note("folder", os.mkdir, name + "d", mode)
        note("pipe", os.mkfifo, name + "p", mode)
        note("node", os.mknod, name + "n", stat.S_IFREG | mode)
        note("modes", lambda: [mode_of(name + ending) for ending in ("", "d", "p", "n")])


@kind
def created_without_right_to_write(note):
    file = note.open("create", "file", os.O_CREAT | os.O_RDWR, 0o400)
    note("write", os.write, file, b"abc"), note("cut", os.ftruncate, file, 2)
    os.chmod("file", 0)
    note("write on", os.write, file, b"d"), note("cut", os.ftruncate, file, 1), note("read", os.pread, file, 9, 0)


@kind
def cut_while_opened(note):
    for way, access in ACCESS.items():
        write("file")
        file = note.open(way, "file", access | os.O_TRUNC)
        note("size", lambda: os.fstat(file).st_size), note("content", content, "file")
        os.close(file)
    os.chmod("file", 0o444)
    note.open("read only", "file", os.O_WRONLY | os.O_TRUNC)


@kind
def appends(note):
    write("log", b"begin\n")
    a, b = (os.open("log", os.O_RDWR | os.O_APPEND) for _ in range(2))
    c = os.open("log", os.O_RDWR)
    for file, text in ((a, b"a1\n"), (b, b"b1\n"), (a, b"a2\n")):
        note("append", os.write, file, text)
    os.lseek(a, 0, 0)
    note("after going back", os.write, a, b"a3\n"), note("at an offset", os.pwrite, a, b"a4\n", 0)
    note("place", os.lseek, a, 0, 1), note("read", os.pread, c, 5, 6)
    note("another cuts", os.ftruncate, c, 3), note("append", os.write, b, b"b2\n")
    fcntl.fcntl(c, fcntl.F_SETFL, os.O_APPEND)
    note("appends from now on", os.write, c, b"c1\n")
    fcntl.fcntl(a, fcntl.F_SETFL, 0)
    note("no more", os.pwrite, a, b"X", 0), note("content", content, "log")


@kind
def appends_of_many(note):
    write("log", b"")
    children = []
    for number in range(4):
        child = os.fork()
        if child == 0:
            file = os.open("log", os.O_WRONLY | os.O_APPEND)
            for line in range(100):
                os.write(file, b"%d %03d\n" % (number, line))
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    note("lines", lambda: sorted(content("log").splitlines())), os.unlink("log")


@kind
def appends_to_a_mapped_file(note):
    write("file", bytes(4096))
    file = os.open("file", os.O_RDWR | os.O_APPEND)
    memory = mmap.mmap(file, 0)
    memory[10:14] = b"here"
    memory.flush()
    note("append", os.write, file, b"end"), memory.close(), os.close(file)
    note("content", lambda: content("file").strip(b"\0")), note("size", lambda: os.stat("file").st_size)


# ---- names --------------------------------------------------------------------------------------

def rename2(old, new, flags):
    return libc("renameat2", AT_FDCWD, os.fsencode(old), AT_FDCWD, os.fsencode(new), flags)


def rename_each(note, flags):
    def lay_out():
        subprocess.run("chmod -R u+w . ; rm -rf * ; mkdir empty full sub; touch full/x; echo a > a; echo b > b; ln a twin; ln -s a link",
                       shell=True, check=True, stderr=subprocess.DEVNULL)
    pairs = ["a new", "a b", "a twin", "a a", "a link", "link b", "a empty", "empty a", "empty full", "full empty", "full new", "full full/in",
             "no b", "a no/x", "a sub/a", "full sub/full", "sub/.. x", "link new", "a " + "n" * 256]
    for pair in pairs:
        lay_out()
        note(pair[:30], rename2, *pair.split(), flags)
        note("then", lambda: sorted((name, stat.S_IFMT(os.lstat(name).st_mode), os.path.isfile(name) and content(name))
                                    for name in os.listdir(".")))
    lay_out()


@kind
def rename(note):
    rename_each(note, 0)


@kind
def rename_without_replacing(note):
    rename_each(note, 1)


@kind
def rename_exchanging(note):
    rename_each(note, 2)


@kind
def rename_with_other_flags(note):
    write("a"), write("b")
    for flags in (3, 8, 5):
        note(str(flags), rename2, "a", "b", flags)


@kind
def rename_what_is_open(note):
    write("a", b"old"), write("b", b"other")
    a, b = os.open("a", os.O_RDWR), os.open("b", os.O_RDWR)
    os.rename("a", "b")
    note("write", os.write, a, b"new"), note("of the replaced one", os.pread, b, 9, 0), note("links", lambda: os.fstat(b).st_nlink)
    note("write to it", os.write, b, b"gone"), note("content", content, "b")
    os.mkdir("d"), write("d/x"), os.rename("d", "e")
    note("below", content, "e/x"), note("not there", content, "d/x")


@kind
def links(note):
    write("file"), os.mkdir("folder"), os.symlink("file", "soft")
    note("link", os.link, "file", "twin"), note("again", os.link, "file", "twin"), note("of a folder", os.link, "folder", "f2")
    note("of a link", os.link, "soft", "soft2", follow_symlinks=False), note("through it", os.link, "soft", "hard", follow_symlinks=True)
    note("into nothing", os.link, "file", "no/x"), note("of nothing", os.link, "no", "x")
    note("counts", lambda: [os.lstat(name).st_nlink for name in ("file", "twin", "soft", "hard")])
    note("same", lambda: os.stat("file").st_ino == os.stat("twin").st_ino)
    Path("twin").write_bytes(b"by the other name")
    note("content", content, "file"), os.unlink("file"), note("left", lambda: (content("twin"), os.stat("twin").st_nlink))


@kind
def symbolic_links(note):
    for to in ("", "x", "x" * 255, "x" * 4095, "/etc/passwd", "../..", "self"):
        note(f"{len(to)} {to[:9]}", os.symlink, to, f"to{len(to)}{to[:1] == '/'}")
    os.symlink("self", "self"), os.symlink("..", "up")
    note("read", os.readlink, "up"), note("loop", open, "self"), note("through", lambda: os.path.samefile("up", "..")), write("file")
    note("no link", os.readlink, "file"), note("mode", mode_of, "up"), note("size", lambda: os.lstat("up").st_size)


@kind
def folders(note):
    for mode in (0o777, 0o700, 0o1777, 0o2777, 0o555):
        note(oct(mode), os.mkdir, f"d{mode:o}", mode)
    write("file")
    note("there", os.mkdir, "d700"), note("over a file", os.mkdir, "file"), note("below nothing", os.mkdir, "no/x")
    note("below a file", os.mkdir, "file/x"), note("long", os.mkdir, "n" * 256), note("slash", os.mkdir, "slash/")
    note("links", lambda: os.stat(".").st_nlink > 2)


@kind
def folders_removed(note):
    os.makedirs("full/below"), os.mkdir("empty"), write("file"), os.symlink("empty", "link"), os.mkdir("here")
    for name in ("full", "file", "no", "link", "empty", "full/below", "full/.", "full/.."):
        note(name, os.rmdir, name)
    os.chdir("here"), os.rmdir("../here")
    note("create in what is gone", lambda: open("x", "w")), note("list it", os.listdir, "."), note("where", os.getcwd)


@kind
def removed(note):
    os.mkdir("folder"), os.symlink("folder", "link"), write("file")
    for name in ("folder", "no", "file/x", "link", "file", "file"):
        note(name, os.unlink, name)


@kind
def removed_but_open(note):
    write("file")
    file = os.open("file", os.O_RDWR)
    os.unlink("file"), write("file", b"the next one")
    note("read", os.pread, file, 20, 0), note("write", os.pwrite, file, b"XY", 2), note("read", os.pread, file, 20, 0)
    note("cut", os.ftruncate, file, 5), note("size", lambda: os.fstat(file).st_size), note("links", lambda: os.fstat(file).st_nlink)
    note("mode", os.fchmod, file, 0o600), note("times", os.utime, file, ns=(1, 2)), note("again", lambda: content(f"/proc/self/fd/{file}"))
    note("the next", content, "file")


@kind
def made_anew(note):
    for round_ in range(20):
        write("save.tmp", b"%d" % round_), os.replace("save.tmp", "save")
        note("content", content, "save"), os.unlink("save"), note("gone", os.path.exists, "save")


@kind
def long_names(note):
    for length in (254, 255, 256):
        note(str(length), write, "n" * length), note("is there", os.path.exists, "n" * length)
    deep = "/".join(["d" * 200] * 15)
    note("deep", os.makedirs, deep), note("file", write, deep + "/f"), note("deeper", os.mkdir, deep + "/" + "e" * 250 + "/" + "e" * 250)
    note("list", os.listdir, deep)


@kind
def names_in_any_encoding(note):
    for name in (b"\xff\xfe caf\xe9", "あ".encode(), b"new\nline", b"back\\slash", b"-", b" ", b"\x01\x7f", b"a:b*c?", b"CON", b"dot."):
        note(repr(name), write, name), note("read", content, name)
    note("list", lambda: sorted(os.listdir(b".")))


# ---- what files are like ------------------------------------------------------------------------

@kind
def modes(note):
    write("file"), os.mkdir("folder"), os.symlink("file", "link")
    for name, mode in itertools.product(("file", "folder", "link"), (0, 0o777, 0o644, 0o1755, 0o2755, 0o4755, 0o6711)):
        note(f"{name} {oct(mode)}", os.chmod, name, mode), note("is", mode_of, name)
    file = os.open("/proc/self/cwd/folder", os.O_RDONLY)
    note("by descriptor", os.fchmod, file, 0o701), note("is", mode_of, "folder"), note("missing", os.chmod, "no", 0o644)


@kind
def owners(note):
    write("file"), os.chmod("file", 0o6755), os.symlink("file", "link")
    me, mine = os.geteuid(), os.getegid()
    note("nothing", os.chown, "file", -1, -1), note("is", mode_of, "file")
    os.chmod("file", 0o6755), note("mine", os.chown, "file", me, mine), note("is", mode_of, "file")
    note("group", os.chown, "file", -1, mine), note("link", os.lchown, "link", me, mine)
    note("by descriptor", lambda: os.fchown(os.open("file", os.O_RDONLY), me, mine))


@kind
def owners_of_others(note):
    write("file")
    for user, group in ((0, -1), (-1, 0), (OTHER, OTHER)):
        note(f"{user} {group}", os.chown, "file", user, group)


@kind
def times(note):
    write("file"), os.mkdir("folder"), os.symlink("file", "link")
    for name, both in itertools.product(("file", "folder"), ((5, 7_000_000_001), (10**18, 999_999_999), (-10**9, -1))):
        note(f"{name} {both}", os.utime, name, ns=both), note("is", lambda: os.stat(name).st_mtime_ns)
    note("of a link", os.utime, "link", ns=(1, 2), follow_symlinks=False), note("is", lambda: os.lstat("link").st_mtime_ns)
    now, omit = (1 << 30) - 1, (1 << 30) - 2
    for first, second in ((now, omit), (omit, now), (omit, omit), (now, now), (5, omit)):
        both = struct.pack("qqqq", 3, first, 4, second)
        note(f"{first} {second}", libc, "utimensat", AT_FDCWD, b"file", both, 0)
    os.chmod("file", 0o444)
    note("read only", os.utime, "file", ns=(3_000_000_000, 4_000_000_000)), note("to now", os.utime, "file")
    os.utime("file", ns=(8, 9))


@kind
def times_of_writes(note):
    def changed(label, call):
        for name in ("file", "."):
            os.utime(name, ns=(10**18, 10**18))
        note(label, call)
        note("moved", lambda: [os.stat(name).st_mtime_ns != 10**18 for name in ("file", ".")])
    write("file")
    file = os.open("file", os.O_RDWR)
    changed("read", lambda: os.pread(file, 3, 0)), changed("write", lambda: os.pwrite(file, b"x", 0)), changed("mode", lambda: os.chmod("file", 0o600))
    changed("create", lambda: write("new")), changed("link", lambda: os.link("file", "twin")), changed("rename", lambda: os.rename("new", "newer"))
    changed("remove", lambda: os.unlink("newer")), changed("cut", lambda: os.truncate("file", 2)), changed("folder", lambda: os.mkdir("d"))


@kind
def sizes(note):
    write("file"), os.mkdir("folder")
    for size in (3, 0, 5000, 5000, -1, 1 << 40):
        note(f"to {size}", os.truncate, "file", size), note("is", lambda: os.stat("file").st_size)
    os.truncate("file", 7)
    note("folder", os.truncate, "folder", 0), note("missing", os.truncate, "no", 0)
    note("read only", os.ftruncate, os.open("file", os.O_RDONLY), 1)
    note("far", os.truncate, "file", 1 << 62), os.truncate("file", 7), note("content", content, "file")


@kind
def reserving(note):
    for mode, (at, length) in itertools.product((0, 1, 3, 16, 17, 2), ((0, 4096), (4096, 8192), (0, 0), (-1, 5), (1 << 20, 4096))):
        write("file", b"x" * 20_000)
        file = os.open("file", os.O_RDWR)
        note(f"{mode} {at} {length}", libc, "fallocate", file, mode, ctypes.c_int64(at), ctypes.c_int64(length))
        note("then", lambda: (os.fstat(file).st_size, hashlib.md5(content("file")).hexdigest()))
        os.close(file)


@kind
def cutting_out(note):
    for mode, (at, length) in itertools.product((8, 32, 64), ((0, 4096), (4096, 4096), (1, 5))):
        write("file", b"x" * 4096 + b"y" * 4096 + b"z" * 4096)
        file = os.open("file", os.O_RDWR)
        note(f"{mode} {at} {length}", libc, "fallocate", file, mode, ctypes.c_int64(at), ctypes.c_int64(length))
        os.close(file)
    os.unlink("file")


@kind
def holes(note):
    file = os.open("file", os.O_RDWR | os.O_CREAT)
    os.pwrite(file, b"x" * 65536, 1 << 20), os.ftruncate(file, 3 << 20)
    for whence, at in itertools.product((os.SEEK_DATA, os.SEEK_HOLE), (0, 1 << 20, (1 << 20) + 70_000, 3 << 20, 4 << 20, -1)):
        note(f"{whence} {at}", os.lseek, file, at, whence)
    note("few blocks", lambda: os.fstat(file).st_blocks < 1000), os.ftruncate(file, 0)


@kind
def places(note):
    write("file")
    file = os.open("file", os.O_RDWR)
    for at, whence in ((3, 0), (2, 1), (-1, 2), (5, 2), (-1, 0), (-99, 1), (0, 1), (0, 9)):
        note(f"{at} {whence}", os.lseek, file, at, whence)
    os.lseek(file, 0, 2), os.write(file, b"more"), note("end", os.lseek, file, 0, 2), note("past it", os.pread, file, 3, 100)
    folder = os.open(".", os.O_RDONLY)
    note("folder", os.lseek, folder, 0, 0), note("read it", os.read, folder, 10), note("write it", os.write, folder, b"x")


def statx(path, flags=0, mask=0x7ff):
    into = ctypes.create_string_buffer(256)
    libc("statx", AT_FDCWD, os.fsencode(path), flags, mask, into)
    found, blksize, attributes, nlink, uid, gid, mode = struct.unpack_from("IIQIIIH", into)
    return {"mode": oct(mode), "nlink": nlink, "size": struct.unpack_from("Q", into, 40)[0]}


@kind
def extended_stat(note):
    write("file", b"x" * 5000), os.link("file", "twin"), os.symlink("file", "link"), os.mkdir("folder"), os.mkfifo("pipe")
    for name, flags in itertools.product(("file", "link", "pipe", "no"), (0, 0x100, 0x2000, 0x4000)):
        note(f"{name} {flags}", statx, name, flags)
    note("blocks", lambda: os.stat("file").st_blocks), note("device", lambda: os.stat("file").st_dev == os.stat("folder").st_dev)


@kind
def space(note):
    note("free", lambda: (os.statvfs(".").f_blocks, os.statvfs(".").f_bsize, os.statvfs(".").f_namemax))


@kind
def rights_asked(note):
    write("file"), os.mkdir("folder"), os.symlink("no", "dangling")
    for mode, mask in itertools.product((0, 0o100, 0o200, 0o400, 0o700, 0o077), (os.F_OK, os.R_OK, os.W_OK, os.X_OK, os.R_OK | os.W_OK)):
        for name in ("file", "folder"):
            os.chmod(name, mode)
            note(f"{name} {oct(mode)} {mask}", os.access, name, mask), note("effective", os.access, name, mask, effective_ids=True)
    note("dangling", os.access, "dangling", os.F_OK), os.chmod("folder", 0o700)


# ---- reading and writing ------------------------------------------------------------------------

@kind
def in_pieces(note):
    file = os.open("file", os.O_RDWR | os.O_CREAT)
    note("gather", os.writev, file, [b"one", b"", b"two" * 1000]), note("at", os.pwritev, file, [b"X", b"Y"], 2)
    into = [bytearray(5), bytearray(3000)]
    note("scatter", os.preadv, file, into, 1), note("is", lambda: bytes(into[0]))
    for flags in (os.RWF_DSYNC, os.RWF_SYNC):
        note(f"flags {flags}", os.pwritev, file, [b"Z"], 0, flags)
    note("far", os.pwrite, file, b"!", 200_000), note("in between", os.pread, file, 10, 100_000)
    note("big", os.pwrite, file, b"b" * 3_000_000, 7), note("nothing", os.pwrite, file, b"", 0)


@kind
def direct(note):
    write("file", bytes(range(256)) * 64)
    file = note.open("open", "file", os.O_RDWR | os.O_DIRECT)
    if file is None:
        return
    page = mmap.mmap(-1, 8192)
    note("read", os.preadv, file, [page], 4096), note("is", lambda: hashlib.md5(page).hexdigest())
    note("write", os.pwritev, file, [memoryview(page)[:4096]], 8192), note("content", lambda: hashlib.md5(content("file")).hexdigest())


@kind
def copying(note):
    write("from", bytes(range(256)) * 400), write("to", b"t" * 1000)
    a, b = os.open("from", os.O_RDONLY), os.open("to", os.O_RDWR)
    note("all", os.copy_file_range, a, b, 200_000), note("part", os.copy_file_range, a, b, 500, 10, 20), note("past", os.copy_file_range, a, b, 5, 10**7, 0)
    note("wrong way", os.copy_file_range, b, a, 5, 0, 0), note("overlap", os.copy_file_range, b, b, 500, 0, 100)
    c = os.open("sent", os.O_RDWR | os.O_CREAT)
    note("send", os.sendfile, c, a, 100, 5000), note("to a folder", os.copy_file_range, a, os.open(".", os.O_RDONLY), 5)
    reading, writing = os.pipe()
    note("into a pipe", os.splice, a, writing, 3000, offset_src=7), note("out of it", os.splice, reading, c, 3000, offset_dst=1)


@kind
def shared_memory(note):
    write("file", b"a" * 10_000)
    file = os.open("file", os.O_RDWR)
    memory = mmap.mmap(file, 0)
    memory[5000:5005] = b"memry"
    note("read", os.pread, file, 7, 4999)
    os.pwrite(file, b"written", 100), note("seen", lambda: memory[98:109]), memory.flush(), memory.close()
    note("read only", mmap.mmap, os.open("file", os.O_RDONLY), 0, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
    note("write only", mmap.mmap, os.open("file", os.O_WRONLY), 0, mmap.MAP_SHARED, mmap.PROT_WRITE)
    os.chmod("file", 0), mmap.mmap(file, 0)[0:1]


@kind
def private_memory(note):
    write("file", b"a" * 10_000)
    file = os.open("file", os.O_RDONLY)
    memory = mmap.mmap(file, 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
    memory[0:4] = b"mine"
    note("the file's", os.pread, file, 4, 0), note("mine", lambda: memory[0:6])
    Path("file").write_bytes(b"b" * 10_000)
    note("of the new", lambda: memory[5000:5003])


@kind
def told_the_system(note):
    write("file", b"a" * 100_000)
    file = os.open("file", os.O_RDWR)
    for advice in range(6):
        note(f"advice {advice}", os.posix_fadvise, file, 0, 0, advice)
    note("ahead", libc, "readahead", file, ctypes.c_int64(0), 50_000), note("sync", os.fsync, file), note("data", os.fdatasync, file)
    note("range", libc, "sync_file_range", file, ctypes.c_int64(0), ctypes.c_int64(4096), 7), note("all", libc, "syncfs", file)
    note("folder", lambda: os.fsync(os.open(".", os.O_RDONLY))), note("by path", lambda: os.fsync(os.open("file", os.O_PATH)))


@kind
def limits_of_size(note):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    file = os.open("file", os.O_RDWR | os.O_CREAT | os.O_APPEND)
    note("across", os.write, file, b"x" * 6000), note("beyond", os.write, file, b"x"), note("cut", os.ftruncate, file, 6000)
    note("size", lambda: os.fstat(file).st_size), note("of another", lambda: os.write(os.open("other", os.O_CREAT | os.O_WRONLY), b"x" * 7000))


# ---- locks and news -----------------------------------------------------------------------------

def in_child(note, label, call):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, repr(call()).encode())
        except OSError as error:
            os.write(writing, errno.errorcode[error.errno].encode())
        os._exit(0)
    os.close(writing), os.waitpid(child, 0), note(label, lambda: os.read(reading, 1000).decode())


@kind
def locks_of_files(note):
    write("file")
    file = os.open("file", os.O_RDWR)
    for held, wanted in itertools.product((fcntl.LOCK_SH, fcntl.LOCK_EX), repeat=2):
        fcntl.flock(file, held)
        in_child(note, f"{held} {wanted}", lambda: fcntl.flock(os.open("file", os.O_RDWR), wanted | fcntl.LOCK_NB))
    fcntl.flock(file, fcntl.LOCK_UN)
    in_child(note, "free", lambda: fcntl.flock(os.open("file", os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB))


@kind
def locks_of_ranges(note):
    write("file")
    file = os.open("file", os.O_RDWR)
    fcntl.lockf(file, fcntl.LOCK_EX, 5, 2)
    for length, start in ((2, 0), (3, 0), (1, 6), (0, 7), (0, 0)):
        in_child(note, f"{start} {length}", lambda: fcntl.lockf(os.open("file", os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB, length, start))
    note("read only", fcntl.lockf, os.open("file", os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0)
    other = os.open("file", os.O_RDWR)
    note("of an open file", fcntl.fcntl, other, 37, wanted)  # F_OFD_SETLK


@kind
def news_of_a_folder(note):
    watch = libc("inotify_init1", os.O_NONBLOCK)
    libc("inotify_add_watch", watch, b".", 0x2 | 0x8 | 0x100 | 0x200 | 0x40 | 0x80)
    write("a"), os.rename("a", "b"), os.unlink("b"), os.mkdir("d"), os.rmdir("d")
    select.select([watch], [], [], 5)
    masks_, found = [], os.read(watch, 65536)
    while found:
        mask, _, length = struct.unpack_from("III", found, 4)
        masks_.append(hex(mask)), (found := found[16 + length:])
    note("news", lambda: masks_)


# ---- lists --------------------------------------------------------------------------------------

def entries(file, size):
    into = ctypes.create_string_buffer(size)
    got = libc("syscall", 217, file, into, size)
    found, at = [], 0
    while at < got:
        _, place, length, kind_ = struct.unpack_from("QqHB", into.raw, at)
        found.append((into.raw[at + 19:at + length].split(b"\0")[0].decode(), place, kind_))
        at += length
    return found


@kind
def many_names(note):
    for number in range(1200):
        os.close(os.open(f"name-{number:04}", os.O_CREAT))
    note("all", lambda: hashlib.md5(repr(sorted(os.listdir("."))).encode()).hexdigest())
    folder = os.open(".", os.O_RDONLY)
    first = entries(folder, 4000)
    rest = [name for piece in iter(lambda: entries(folder, 4000), []) for name, _, _ in piece]
    note("in pieces", lambda: len(set(rest) | {name for name, _, _ in first}))
    os.lseek(folder, first[4][1], 0)
    note("from a place", lambda: entries(folder, 4000)[0][0] == first[5][0])
    os.lseek(folder, 0, 0), note("from the start", lambda: entries(folder, 4000)[0][0] == first[0][0])
    for number in range(0, 1200, 2):
        os.unlink(f"name-{number:04}")
    note("half", lambda: len(os.listdir(".")))
    for number in range(1200):
        Path(f"name-{number:04}").unlink(missing_ok=True)
    os.lseek(folder, 0, 0), note("too small", entries, folder, 10)


@kind
def kinds_in_lists(note):
    write("file"), os.mkdir("folder"), os.symlink("file", "link"), os.mkfifo("pipe")
    note("kinds", lambda: sorted((name, kind_) for name, _, kind_ in entries(os.open(".", os.O_RDONLY), 4000)))
    note("walk", lambda: sorted(map(repr, os.walk("."))))


@kind
def removing_while_listing(note):
    os.mkdir("many")
    for number in range(500):
        os.close(os.open(f"many/{number}", os.O_CREAT))
    with os.scandir("many") as found:
        for entry in found:
            os.unlink(entry.path)
    note("left", os.listdir, "many"), note("removed", os.rmdir, "many")


# ---- attributes and lists of rights -------------------------------------------------------------

@kind
def attributes(note):
    write("file"), os.mkdir("folder"), os.symlink("file", "link")
    for name in ("file", "folder"):
        note("set", os.setxattr, name, "user.a", b"value"), note("create", os.setxattr, name, "user.a", b"v", os.XATTR_CREATE)
        note("replace", os.setxattr, name, "user.b", b"v", os.XATTR_REPLACE), note("empty", os.setxattr, name, "user.e", b"")
        note("get", os.getxattr, name, "user.a"), note("missing", os.getxattr, name, "user.no")
        note("long", os.setxattr, name, "user.l", b"l" * 1000), note("remove", os.removexattr, name, "user.a")
        note("again", os.removexattr, name, "user.a")
        note("list", lambda: sorted(each for each in os.listxattr(name) if each.startswith("user.")))
    note("through a link", os.getxattr, "link", "user.e"), note("of a link", os.setxattr, "link", "user.x", b"1", follow_symlinks=False)
    note("long name", os.setxattr, "file", "user." + "n" * 251, b"1"), note("too long", os.setxattr, "file", "user.v", b"v" * 65537)
    file = os.open("file", os.O_RDONLY)
    note("by descriptor", os.setxattr, file, "user.fd", b"1"), os.chmod("file", 0o444), note("read only", os.setxattr, "file", "user.ro", b"1")


@kind
def attributes_of_the_system(note):
    write("file")
    for name in ("trusted.a", "security.a", "system.a", "none", "other.a"):
        note(f"set {name}", os.setxattr, "file", name, b"v"), note(f"get {name}", os.getxattr, "file", name)


def list_of(user, rights):
    """Returns an access control list in the system's form: `user` gets `rights`, others less."""
    nobody = 2**32 - 1
    return struct.pack("I", 2) + b"".join(struct.pack("HHI", *entry) for entry in (
        (1, 7, nobody), (2, rights, user), (4, 5, nobody), (16, 7, nobody), (32, 0, nobody)))


def prepare_lists(folder):
    for name, wanted in (("inherits", "system.posix_acl_default"), ("lets", "system.posix_acl_access")):
        (folder / name).mkdir()
        (folder / name / "before").write_bytes(b"before")
        try:
            os.setxattr(folder / name, wanted, list_of(USER, 7))
            if name == "inherits":
                os.chmod(folder / name, 0o777)
            os.setxattr(folder / name / "before", "system.posix_acl_access", list_of(USER, 6))
        except OSError:
            os.chmod(folder / name, 0o777)  # this file system has none


@prepared_by(prepare_lists)
def default_lists(note):
    os.umask(0o077)
    for folder in ("inherits", "lets"):
        os.chdir(folder)
        note("create", write, "file"), note("folder", os.mkdir, "folder"), note("pipe", os.mkfifo, "pipe"), note("node", os.mknod, "node")
        note("below", write, "folder/file"), note("modes", lambda: [mode_of(name) for name in ("file", "folder", "pipe", "node", "folder/file")])
        note("read", content, "before"), note("write", lambda: os.close(os.open("before", os.O_WRONLY | os.O_APPEND)))
        os.chdir("..")


# ---- special files, programs --------------------------------------------------------------------

@kind
def pipes(note):
    note("make", os.mkfifo, "pipe", 0o600), note("again", os.mkfifo, "pipe"), note("nobody reads", os.open, "pipe", os.O_WRONLY | os.O_NONBLOCK)
    reading = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    writing = os.open("pipe", os.O_WRONLY)
    note("write", os.write, writing, b"through"), note("read", os.read, reading, 100), note("kind", mode_of, "pipe")


@kind
def devices(note):
    note("null", os.mknod, "null", stat.S_IFCHR | 0o666, os.makedev(1, 3)), note("block", os.mknod, "loop", stat.S_IFBLK | 0o600, os.makedev(7, 200))
    note("folder", os.mknod, "d", stat.S_IFDIR | 0o700), note("nothing", os.mknod, "n", 0o644)


@kind
def sockets(note):
    server = socket.socket(socket.AF_UNIX)
    note("bind", server.bind, "socket"), note("again", socket.socket(socket.AF_UNIX).bind, "socket"), server.listen()
    client = socket.socket(socket.AF_UNIX)
    note("connect", client.connect, "socket"), note("open", os.open, "socket", os.O_RDONLY)
    client.send(b"hello"), note("heard", lambda: server.accept()[0].recv(9)), os.unlink("socket")


@kind
def programs(note):
    write("script", b"#!/bin/sh\necho run $1\n")
    for mode in (0o644, 0o755, 0o111, 0o700):
        os.chmod("script", mode)
        note(oct(mode), lambda: subprocess.run(["./script", "x"], capture_output=True).stdout)
    os.chmod("script", 0o755)
    subprocess.run(["cp", "/bin/sleep", "sleep"], check=True)
    running = subprocess.Popen(["./sleep", "30"])
    note("busy", os.open, "sleep", os.O_WRONLY), note("cut", os.truncate, "sleep", 0), running.kill(), running.wait()
    note("removed", os.unlink, "sleep")


@kind
def nameless_files(note):
    file = note.open("make", ".", os.O_TMPFILE | os.O_RDWR, 0o600)
    if file is not None:
        note("write", os.write, file, b"x"), note("name", os.link, f"/proc/self/fd/{file}", "named", follow_symlinks=True)


@kind
def flags_of_inodes(note):
    write("file")
    note("get", lambda: fcntl.ioctl(os.open("file", os.O_RDONLY), 0x80086601, bytes(8)) and "told")


@kind
def leases(note):
    write("file")
    note("lease", fcntl.fcntl, os.open("file", os.O_RDONLY), 1024, fcntl.F_RDLCK)


@kind
def again_by_descriptor(note):
    write("file"), os.mkdir("folder")
    file, folder = os.open("file", os.O_RDWR), os.open("folder", os.O_PATH)
    note("reopen", lambda: content(f"/proc/self/fd/{file}")), note("below", lambda: os.close(os.open("x", os.O_CREAT, dir_fd=folder)))
    note("list", lambda: os.listdir(f"/proc/self/fd/{folder}")), note("go", os.fchdir, folder), note("up", lambda: os.path.samefile("../file", f"/proc/self/fd/{file}"))
    note("path", lambda: os.readlink(f"/proc/self/fd/{folder}").rsplit("/", 2)[1:])


# ---- rights that are taken off ------------------------------------------------------------------

@kind
def programs_that_are_changed(note):
    def changed(label, call, mode):
        write("file"), os.chmod("file", mode), note(label, call), note("is", mode_of, "file")
    for mode in (0o4755, 0o6755, 0o2755, 0o2745):
        changed(f"write {oct(mode)}", lambda: os.write(os.open("file", os.O_WRONLY), b"x"), mode)
        changed("append", lambda: os.write(os.open("file", os.O_WRONLY | os.O_APPEND), b"x"), mode)
        changed("cut", lambda: os.truncate("file", 1), mode), changed("open", lambda: os.close(os.open("file", os.O_WRONLY | os.O_TRUNC)), mode)
        changed("reserve", lambda: os.posix_fallocate(os.open("file", os.O_WRONLY), 0, 100), mode)
        changed("copy", lambda: os.copy_file_range(os.open("/proc/self/cwd/other", os.O_RDONLY), os.open("file", os.O_WRONLY), 3), mode) \
            if os.path.exists("other") else write("other")
        changed("times", lambda: os.utime("file"), mode), changed("name", lambda: os.rename("file", "file"), mode)


def prepare_setgid(folder):
    (folder / "shared").mkdir()
    os.chown(folder / "shared", OTHER, SHARED)
    os.chmod(folder / "shared", 0o2777)


@prepared_by(prepare_setgid)
def folders_that_give_their_group(note):
    os.umask(0o002), os.chdir("shared")
    note("file", write, "file"), note("folder", os.mkdir, "folder"), note("below", write, "folder/file"), note("pipe", os.mkfifo, "pipe")
    note("link", os.symlink, "file", "link"), note("with its bit", lambda: os.close(os.open("sg", os.O_CREAT | os.O_WRONLY, 0o2775)))
    note("set", os.chmod, "file", 0o2775)
    note("modes", lambda: [mode_of(name) for name in ("file", "folder", "folder/file", "pipe", "sg")])


def prepare_others(folder):
    """The player owns no file. Rights come from one of the player's groups, from another group, or from others'
    rights."""
    for name, group, mode in (("open", OTHER, 0o777), ("sticky", OTHER, 0o1777), ("group", SHARED, 0o2770), ("closed", OTHER, 0o755),
                              ("hidden", OTHER, 0o700), ("blind", OTHER, 0o733)):
        place = folder / name
        place.mkdir()
        for file, rights in (("wide", 0o666), ("read", 0o644), ("secret", 0o600), ("suid", 0o4777), ("own", 0o660)):
            (place / file).write_bytes(b"of another")
            os.chown(place / file, OTHER, group)
            os.chmod(place / file, rights)
        (place / "folder").mkdir()
        os.chown(place / "folder", OTHER, group)
        os.chown(place, OTHER, group)
        os.chmod(place, mode)


@prepared_by(prepare_others)
def files_of_others(note):
    os.umask(0o022)
    for place in ("open", "sticky", "group", "closed", "hidden", "blind"):
        note(f"list {place}", lambda: sorted(os.listdir(place)))
        for name, (way, access) in itertools.product(("wide", "read", "secret", "suid", "own", "new"), ACCESS.items()):
            flags = access | (os.O_CREAT if name == "new" else 0)
            file = note.open(f"{place}/{name} {way}", f"{place}/{name}", flags)
            if file is not None:
                note("read", os.pread, file, 100, 0), note("write", os.pwrite, file, b"mine", 2), os.close(file)
        for name in ("wide", "read", "suid"):
            path = f"{place}/{name}"
            note(f"append {path}", lambda: os.write(os.open(path, os.O_WRONLY | os.O_APPEND), b"+")), note("cut", os.truncate, path, 5)
            note("anew", lambda: os.close(os.open(path, os.O_WRONLY | os.O_TRUNC))), note("may", os.access, path, os.W_OK)
            note("mode", os.chmod, path, 0o600), note("owner", os.chown, path, os.geteuid(), -1), note("touch", os.utime, path)
            note("times", os.utime, path, ns=(1, 2)), note("attribute", os.setxattr, path, "user.a", b"1"), note("link", os.link, path, path + "2")
            note("not touched", os.open, path, os.O_RDONLY | os.O_NOATIME)
        note("folder", os.mkdir, f"{place}/made"), note("remove it", os.rmdir, f"{place}/made"), note("pipe", os.mkfifo, f"{place}/pipe")
        note("rename", os.rename, f"{place}/wide", f"{place}/wider"), note("over", os.rename, f"{place}/new", f"{place}/read")
        note("remove", os.unlink, f"{place}/secret"), note("folder", os.rmdir, f"{place}/folder")
        note("may", lambda: [os.access(place, mask) for mask in (os.R_OK, os.W_OK, os.X_OK)])


@prepared_by(prepare_others)
def others_of_a_game_of_root(note):
    """A game that root starts continues as another user, with an additional group."""
    if os.geteuid() == 0:
        os.setgroups([SHARED])
        os.setgid(USER)
        os.setuid(USER)
    files_of_others(note)


@prepared_by(prepare_lists)
def lists_of_a_game_of_root(note):
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)
    default_lists(note)


@prepared_by(prepare_setgid)
def groups_of_a_game_of_root(note):
    if os.geteuid() == 0:
        os.setgroups([SHARED])
        os.setgid(USER)
        os.setuid(USER)
    folders_that_give_their_group(note)


# ---- as a program -------------------------------------------------------------------------------

def run_kind(name):
    """Runs a kind in a separate process, in this folder."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.alarm(LONGEST_S)
        notes = Notes()
        try:
            os.chdir(name)
            KINDS[name](notes)
        except Exception as error:  # reported as the kind's result, which must be the same in both folders
            notes.lines.append(["ended by", f"{type(error).__name__}: {getattr(error, 'errno', error)}"])
        with os.fdopen(writing, "w") as out:
            json.dump(notes.lines, out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        text = said.read()
    _, status = os.waitpid(child, 0)
    return json.loads(text) if status == 0 else [["ended", f"by status {status}"]]


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    print(json.dumps({name: run_kind(name) for name in sys.argv[2:] or KINDS}))
