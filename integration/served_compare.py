"""Runs the kinds of calls of served_calls.py in a plain and in a served folder, and lists differences: in a call's
result or error, or in the resulting tree (bytes, modes, owners, times, extended attributes). KNOWN has the known
differences, with reasons."""
import hashlib
import json
import os
import stat
import subprocess

import served_calls
from served_calls import KINDS, LONGEST_S, NOW_NS, PREPARED, content

# (kind, how the call's label begins) -> why it differs.
KNOWN = {
    ("nameless_files", ""): "libfuse has no call for files without a name; programs go on with one that has",
    ("flags_of_inodes", ""): "ioctl isn't passed on",
    ("leases", ""): "anybody gets one, of the kernel's own",
    ("rename_exchanging", "a twin"): "of two names of one file the kernel knows that nothing is to be done, whatever the file system can do",
    ("cutting_out", ""): "FUSE has no call that takes bytes out of a file, or copies what is shared",
    # These differences occur in a user name space, which players use.
    ("owners_of_others", ""): "owners that aren't there are EINVAL instead of EPERM",
    ("open_by_rights", "remove 0o200"): "the kernel still knows that a name is missing, where it may not be looked up any more",
    ("programs", "0o111"): "a program that may be run but not read can't be read by the server either",
}


def is_known(name, label):
    return any(name == of and label.startswith(begin) for of, begin in KNOWN)


def left_in(folder):
    """Maps each path there to its kind and mode, owners, links, time, content and attributes."""
    found = {}
    for at, folders_, files in os.walk(os.fsencode(folder)):
        for name in (*folders_, *files):
            path = os.path.join(at, name)
            status = os.lstat(path)
            value = {"mode": oct(status.st_mode), "owner": status.st_uid, "group": status.st_gid, "links": status.st_nlink,
                     "time": status.st_mtime_ns if status.st_mtime_ns < NOW_NS else "now"}
            if stat.S_ISREG(status.st_mode):
                value["size"] = status.st_size
                value["content"] = hashlib.md5(content(path)).hexdigest()
            elif stat.S_ISLNK(status.st_mode):
                value["to"] = repr(os.readlink(path))
            try:
                names = [] if stat.S_ISLNK(status.st_mode) else os.listxattr(path)
            except OSError:
                names = []
            value["attributes"] = sorted((each, repr(os.getxattr(path, each))) for each in names)
            found[repr(os.path.relpath(path, os.fsencode(folder)))] = value
    return found


def lay_out(folder, kinds, owner=None):
    """Makes a folder for each kind, with the files that it needs. Kinds with files of other owners need root."""
    folder.mkdir()
    for name in kinds:
        (folder / name).mkdir()
        if name in PREPARED:
            PREPARED[name](folder / name)
        if owner is not None and os.geteuid() == 0:
            os.chown(folder / name, owner, owner)
    if owner is not None:
        os.chown(folder, owner, owner)
    return folder


def kinds_for(is_root):
    return [name for name in KINDS if is_root or name not in PREPARED]


def differences(plain, served):
    return [f"{key}: plain {plain.get(key)}, served {served.get(key)}" for key in sorted({*plain, *served}) if plain.get(key) != served.get(key)]


def compare(work, plainly, played, owner=None, kinds=None):
    """`plainly` and `played` are prefixes of the command that makes the calls; the word FOLDER in them becomes the
    folder's path. `owner`: the folders' owner, if not this user. Maps each kind that differed to its differences."""
    kinds = kinds or kinds_for(os.geteuid() == 0)
    folders_ = {way: lay_out(work / way, kinds, owner) for way in ("plain", "served")}
    said = {}
    for way, before in (("plain", plainly), ("served", played)):
        folder = folders_[way]
        before = [str(folder if word == "FOLDER" else word) for word in before]
        done = subprocess.run([*before, "/usr/bin/python3", "-I", "-S", served_calls.__file__, str(folder), *kinds],
                              capture_output=True, text=True, timeout=LONGEST_S * len(kinds), cwd="/")
        if done.returncode != 0:
            raise AssertionError(f"{way}: exit code {done.returncode}: {done.stderr[-3000:]}")
        said[way] = json.loads(done.stdout)
    found = {}
    for name in kinds:
        plain, served = said["plain"][name], said["served"][name]
        apart = [f"{a}: plain {b}, served {d}" for (a, b), (c, d) in zip(plain, served) if (a, b) != (c, d) and not is_known(name, a)]
        if len(plain) != len(served) and not is_known(name, ""):
            apart.append(f"plain {len(plain)} calls, served {len(served)}: {plain[-1:]}, {served[-1:]}")
        apart += differences(left_in(folders_["plain"] / name), left_in(folders_["served"] / name))
        if apart:
            found[name] = apart
    return found
