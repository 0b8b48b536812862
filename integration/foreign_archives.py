"""Writes and reads archives with third-party libraries, which share no code with seekless. It runs in their own Python
environment (build/archive-tools, which script/bootstrap makes).

Usage: foreign_archives.py write KIND FILE FOLDER   puts the folder's files into an archive
       foreign_archives.py read READER FILE         prints each entry's name and SHA-256, as JSON
"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def files_below(folder):
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


# ---- writers -----------------------------------------------------------------------------------------------------------

def write_with_bethkit(make):
    def write(file, folder):
        with make() as writer:
            for name, data in files_below(folder):
                writer.add(name.replace("/", "\\"), data)
            writer.write_to(Path(file))
    return write


def bsa(version, is_compressed=False):
    def make():
        import bethkit
        writer = bethkit.BsaWriter(getattr(bethkit.BsaVersion, version))
        writer.set_compress(is_compressed)
        return writer
    return write_with_bethkit(make)


def vpk_by_vpk(file, folder):
    import vpk
    vpk.new(str(folder)).save(str(file))


def vpk_set_by_srctools(file, folder):
    """It writes no set of version 2."""
    from srctools.vpk import VPK
    archive = VPK(str(file), mode="w", dir_data_limit=100)
    for number, (name, data) in enumerate(files_below(folder)):
        archive.add_file(name, data, arch_index=number % 3)
    archive.write_dirfile()


def pak_by_repak(version, is_compressed=False):
    def write(file, folder):
        import repak
        builder = repak.PakBuilder()
        if is_compressed:
            builder = builder.compression([repak.Compression.ZLIB])
        with builder.writer(str(file), version=getattr(repak.Version, version), mount_point="../../../Game/") as writer:
            for name, data in files_below(folder):
                writer.write_file(name, data, compress=is_compressed)
    return write


def pak_by_vgio(file, folder):
    from vgio.quake.pak import PakFile
    with PakFile(str(file), "w") as archive:
        for name, data in files_below(folder):
            archive.writestr(name, data)


WRITERS = {
    "bsa of Oblivion": bsa("TES4"), "bsa of Oblivion, compressed": bsa("TES4", True),
    "bsa of Fallout 3": bsa("FO3"), "bsa of Skyrim SE": bsa("SSE"), "bsa of Skyrim SE, compressed": bsa("SSE", True),
    "vpk 2": vpk_by_vpk, "vpk 1 in several files": vpk_set_by_srctools,
    **{f"pak of Unreal {version[1:].lower()}": pak_by_repak(version)
       for version in ("V3", "V5", "V7", "V8A", "V8B", "V9", "V11")},
    "pak of Unreal 11, compressed": pak_by_repak("V11", True), "pak of Unreal 8b, compressed": pak_by_repak("V8B", True),
    "pak of Quake": pak_by_vgio,
}


# ---- readers -----------------------------------------------------------------------------------------------------------

def read_bethesda_structs(file):
    from bethesda_structs.archive import get_archive
    return [(str(found.filepath), found.data) for found in get_archive(str(file)).iter_files()]


def read_bethkit(file):
    import bethkit
    with bethkit.Archive.open(Path(file)) as archive:
        return [(entry.path, archive.extract_required(entry.path)) for entry in archive.entries()]


def read_bsatool(file):
    """OpenMW's."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["/usr/games/bsatool", "extractall", file, folder], check=True, stdout=subprocess.DEVNULL)
        return list(files_below(folder))


def read_srctools(file):
    from srctools.vpk import VPK
    archive = VPK(str(file))
    assert archive.verify_all()
    return [(found.filename, found.read()) for found in archive]


def read_vpk(file):
    import vpk
    archive = vpk.open(str(file))
    assert archive.version == 1 or archive.verify()
    return [(name, archive.get_file(name).read()) for name in archive]


def read_repak(file):
    import repak
    with repak.PakBuilder().reader(str(file)) as archive:
        return [(name, archive.get(name)) for name in archive.entries()]


def read_unrpa(file):
    from unrpa import UnRPA
    with tempfile.TemporaryDirectory() as folder:
        UnRPA(str(file), path=folder, mkdir=True).extract_files()
        return list(files_below(folder))


def read_vgio(file):
    from vgio.quake.pak import PakFile
    with PakFile(str(file)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


READERS = {name.removeprefix("read_").replace("_", "-"): read for name, read in list(globals().items())
           if name.startswith("read_")}


if __name__ == "__main__":
    what, kind, file, *folder = sys.argv[1:]
    if what == "write":
        WRITERS[kind](os.path.abspath(file), *folder)
    else:
        print(json.dumps(sorted((name.replace("\\", "/").removeprefix("./"), hashlib.sha256(data).hexdigest())
                                for name, data in READERS[kind](os.path.abspath(file)))))
