"""A small game, made from nothing: loose files and zips of every kind the product reads, traces of its loads as strace
prints them, and the resulting content, found with Python's zipfile."""
import random
import struct
import zipfile
from pathlib import Path

PAGE = 4096
DATE = (1998, 7, 6, 5, 4, 2)


def noise(seed, size_bytes):
    return random.Random(seed).randbytes(size_bytes)


def prose(seed, size_bytes):
    words = ["tank", "oil", "derrick", "rush", "arena", "9", "\n", "height = "]
    picked = random.Random(seed).choices(words, k=size_bytes // 3 + 1)
    return " ".join(picked).encode()[:size_bytes]


class CodePage437Info(zipfile.ZipInfo):
    """An entry as DOS wrote it: its name is in code page 437, and the flag for UTF-8 isn't set."""

    def _encodeFilenameFlags(self):
        return self.filename.encode("cp437"), self.flag_bits & ~0x800


class Pipe:
    """A file that can only be written forward, so that zipfile writes data descriptors."""

    def __init__(self, file):
        self.write = file.write
        self.flush = file.flush


def info(name, method=zipfile.ZIP_STORED, kind=zipfile.ZipInfo):
    entry = kind(name, DATE)
    entry.compress_type = method
    if kind is CodePage437Info:
        entry.create_system = 0
    return entry


def write_archives(folder):
    stored, deflated = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(folder / "base.wz", "w") as archive:
        archive.comment = b"the game's own data"
        archive.writestr(info("stats/"), b"")
        archive.writestr(info("stats/rules.json", deflated), prose(1, 30_000))
        archive.writestr(info("readme.txt"), b"old words")
        archive.writestr(info("Textures/Wall.png"), noise(2, 70_000))
        archive.writestr(info("maps/Zürich.map", deflated), prose(3, 250_000))
        archive.writestr(info("sounds/café.wav", kind=CodePage437Info), noise(4, 40_000))
        archive.writestr(info("empty.bin"), b"")
        for number in range(300):
            entry = info(f"features/f{number:03}.pie", deflated if number % 3 else stored)
            entry.comment = b"a feature" if number % 7 == 0 else b""
            archive.writestr(entry, prose(100 + number, 400 + 37 * number))
        with archive.open(info("cutscene.ogg"), "w", force_zip64=True) as entry:
            entry.write(noise(5, 900_000))
    (folder / "mods").mkdir()
    with open(folder / "mods" / "extra.wz", "wb") as file:
        with zipfile.ZipFile(Pipe(file), "w") as archive:
            archive.writestr(info("script.js", deflated), prose(6, 90_000))
            archive.writestr(info("copy.png"), noise(2, 70_000))
    with zipfile.ZipFile(folder / "mp.wz", "w") as archive:
        archive.writestr(info("stats/rules.json"), prose(7, 31_000))
        archive.writestr(info("textures/wall.png"), noise(8, 66_000))
        archive.writestr(info("textures/wall-again.png"), noise(8, 66_000))


def write_loose(folder):
    (folder / "music").mkdir()
    (folder / "music" / "theme.ogg").write_bytes(noise(9, 700_000))
    (folder / "readme.txt").write_bytes(b"new words, of a loose file")
    (folder / "nothing").write_bytes(b"")


class Game:
    """`entries`: (file, prefix in one name space, name, content), the later one wins."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        write_archives(self.folder)
        write_loose(self.folder)
        self.entries = []
        for archive in ["base.wz", "mods/extra.wz", "mp.wz"]:
            with zipfile.ZipFile(self.folder / archive) as opened:
                for entry in opened.infolist():
                    if not entry.is_dir():
                        self.entries.append((archive, str(Path(archive).parent), entry.filename,
                                             opened.read(entry)))
        for name in ["music/theme.ogg", "nothing", "readme.txt"]:
            self.entries.append((None, ".", name, (self.folder / name).read_bytes()))

    def one_name_space(self, fold=str):
        """Maps path to content, where later ones win; `fold` makes paths equal that only differ in case."""
        won = {}
        for _, prefix, name, content in self.entries:
            path = name if prefix == "." else f"{prefix}/{name}"
            won[fold(path)] = (path, content)
        return dict(won.values())

    def kept_apart(self):
        return {name if archive is None else f"{archive}/{name}": content
                for archive, _, name, content in self.entries}

    def strace(self, paths, thread=100):
        """Returns a load that opens all archives, reads their directories and, as some games do, the header of each
        entry; then reads these assets in order."""
        lines, clock = [], 1_700_000_000.0

        def say(call):
            nonlocal clock
            clock += 0.0005
            lines.append(f"{thread} {clock:.6f} {call} <0.000100>")

        say('openat(AT_FDCWD</tmp>, "/etc/ld.so.cache", O_RDONLY|O_CLOEXEC) = 3</etc/ld.so.cache>')
        say('read(3</etc/ld.so.cache>, ""..., 832) = 832')
        say("close(3</etc/ld.so.cache>) = 0")
        handles = {}
        for number, archive in enumerate(["base.wz", "mods/extra.wz", "mp.wz"], start=5):
            file = self.folder / archive
            handles[archive] = f"{number}<{file}>"
            say(f'openat(AT_FDCWD</tmp>, "{file}", O_RDONLY) = {handles[archive]}')
            start, length, headers = self.directory(archive)
            say(f"lseek({handles[archive]}, {start}, SEEK_SET) = {start}")
            say(f'read({handles[archive]}, ""..., {length}) = {length}')
            for header in headers:
                say(f'pread64({handles[archive]}, "PK\\3\\4"..., 30, {header}) = 30')
        for path in paths:
            archive, offset, size = self.place(path)
            if archive is None:
                file = self.folder / path
                say(f'openat(AT_FDCWD</tmp>, "{file}", O_RDONLY) = 9<{file}>')
                for at in range(0, size, PAGE):
                    say(f'read(9<{file}>, ""..., {PAGE}) = {min(PAGE, size - at)}')
                say(f'read(9<{file}>, "", {PAGE}) = 0')
                say(f"close(9<{file}>) = 0")
                continue
            for at in range(0, size, PAGE):
                length = min(PAGE, size - at)
                say(f'pread64({handles[archive]}, ""..., {length}, {offset + at}) = {length}')
        lines.append(f"{thread} {clock + 1:.6f} +++ killed by SIGKILL +++")
        return "\n".join(lines) + "\n"

    def directory(self, archive):
        """Returns the start and length of an archive's end, directory included, and where its entries begin. Leaves out
        empty entries, which have only a header to read."""
        with zipfile.ZipFile(self.folder / archive) as opened:
            headers = [entry.header_offset for entry in opened.infolist() if entry.file_size > 0]
            start = opened.start_dir
        return start, (self.folder / archive).stat().st_size - start, headers

    def place(self, path):
        """Returns where the winner's stored bytes lie: (archive, or None for a loose file; offset; size)."""
        found = None
        for archive, prefix, name, _ in self.entries:
            if path == (name if prefix == "." else f"{prefix}/{name}"):
                found = (archive, name)
        archive, name = found
        if archive is None:
            return None, 0, (self.folder / name).stat().st_size
        with zipfile.ZipFile(self.folder / archive) as opened:
            entry = opened.getinfo(name)
        with open(self.folder / archive, "rb") as file:
            file.seek(entry.header_offset + 26)
            name_bytes, extra_bytes = struct.unpack("<HH", file.read(4))
        return archive, entry.header_offset + 30 + name_bytes + extra_bytes, entry.compress_size

    MENU = ["stats/rules.json", "readme.txt", "sounds/café.wav", "music/theme.ogg"]
    MAP = ["stats/rules.json", "maps/Zürich.map", "textures/wall.png", "textures/wall-again.png",
           *[f"features/f{number:03}.pie" for number in range(200, 20, -3)], "cutscene.ogg",
           "mods/copy.png"]

    def write_traces(self, folder):
        """Writes and returns one recording of a first scenario, and two of a second."""
        folder = Path(folder)
        folder.mkdir()
        runs = {"menu.1": self.MENU, "map.1": self.MAP,
                "map.2": [*self.MAP[:30], "mods/script.js", *self.MAP[30:]]}
        paths = []
        for name, assets in runs.items():
            paths.append(folder / f"{name}.strace")
            paths[-1].write_text(self.strace(assets))
        return paths
