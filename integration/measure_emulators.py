"""Times emulators whose disc image lies in hundreds of pieces on the emulated disk: plain, after `seekless play IMAGE`
has learned it, laid out, and placed.

Usage: measure_emulators.py [--rounds N] [--drive DRIVE] [--work DIR] [EMULATOR...]
For each: the disk's busy seconds and seeks; reads of the image for which the emulator waits more than 50 ms, and more
than 10 ms (by strace's clock); its total wait for reads; MB that `play` fetches; MB of the image that the emulator
reads. Each run is cold and ends by itself. Figures are of one run, or medians of N.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import struct
import subprocess
import tempfile

import page_cache
from measure_play_holes import MIB, SEEKLESS, Disk, UsedRoom

PAGE, KIB = 4096, 1 << 10
IMAGE_BYTES, PIECES = 600 * MIB, 300
SCUMMVM_GAMES = pathlib.Path("/usr/share/scummvm")
LONGEST_S = 300
RUNS_ON = re.compile(r"(?:\.|=) (\d+) <(\d+\.\d+)>$")


def noise(seed, size):
    return random.Random(seed).randbytes(size)


def some_files(count, chosen, seed=48):
    return random.Random(seed).sample(range(count), chosen)


class DosBox:
    """Reads 120 of the 1,600 files of a disc, one after the other, by DOS' own command."""
    FILES, READ, programs = 1600, 120, ("dosbox", "genisoimage")

    def make(self, folder, image_bytes):
        with tempfile.TemporaryDirectory(dir=folder) as made:
            disc = pathlib.Path(made, "disc")
            disc.mkdir()
            each = image_bytes // self.FILES // 2048 * 2048
            for number in range(self.FILES):
                (disc / f"F{number:04}.DAT").write_bytes(noise(number, each - number % 7 * 1000))
            subprocess.run(["genisoimage", "-quiet", "-o", folder / "game.bin", disc], check=True)
        (folder / "game.cue").write_text('FILE "game.bin" BINARY\n  TRACK 01 MODE1/2048\n    INDEX 01 00:00:00\n')
        return folder / "game.bin"

    def named(self, image):
        return image.with_name("game.cue")

    def command(self, image, folder):
        names = [f"D:\\F{number:04}.DAT" for number in some_files(self.FILES, self.READ)]
        lines = ["[cpu]", "core=normal", "cycles=max", "[autoexec]", "@echo off", f'mount c "{folder}"',
                 f'imgmount d "{self.named(image)}" -t iso', "c:", *(f"copy {name} NUL >NUL" for name in names), "exit"]
        (folder / "dosbox.conf").write_text("\n".join(lines) + "\n")
        return ["dosbox", "-conf", folder / "dosbox.conf", "-noconsole", "-exit"]


class Qemu:
    """A virtual machine whose boot sector reads 24 ranges of its hard disk, each 20 times 32 KiB."""
    SECTOR, AT_ONCE, RUNS, RUN_LENGTH, programs = 512, 64, 24, 20, ("qemu-system-x86_64",)

    def make(self, folder, image_bytes):
        image = folder / "game.img"
        with open(image, "wb") as file:
            for number in range(image_bytes // MIB):
                file.write(noise(number, MIB))
        return image

    def named(self, image):
        return image

    def command(self, image, folder):
        sectors = image.stat().st_size // self.SECTOR
        chance = random.Random(48)
        begins = [chance.randrange(64, sectors - self.RUN_LENGTH * self.AT_ONCE) for _ in range(self.RUNS)]
        places = [begin + piece * self.AT_ONCE for begin in begins for piece in range(self.RUN_LENGTH)]
        (folder / "floppy.img").write_bytes(boot_floppy(places))
        return ["sh", "-c", '"$@"; test $? = 1', "sh",  # when the guest switches off, the emulator exits with 1
                "qemu-system-x86_64", "-display", "none", "-nodefaults", "-machine", "pc,accel=tcg", "-m", "16",
                "-boot", "a", "-device", "isa-debug-exit,iobase=0x501", "-drive",
                f"file={folder / 'floppy.img'},format=raw,if=floppy", "-drive",
                f"file={image},format=raw,if=virtio,snapshot=on"]


def boot_floppy(places):
    """Returns a floppy whose boot sector reads 64 sectors at each place of the first hard disk, and then switches off."""
    code = bytes.fromhex(
        "31c0 8ed8 8ec0 8ed0 bc007c"        # data, extra and stack segments: 0
        "bb0080 b81002 b90200 31d2 cd13"    # 16 sectors of the floppy, the list, to 0x8000
        "be0080"                            # si: the list
        "668b04 6683f8ff 7414"              # next: eax = place; -1: switch off
        "66a3487c"                          # into the packet
        "56 be407c b442 b280 cd13 5e"       # int 13h, 42h: read by the packet
        "83c604 ebe3"                       # the next
        "ba0105 b000 ee f4")                     # out 0x501: switch off
    packet = struct.pack("<BBHHHQ", 16, 0, Qemu.AT_ONCE, 0, 0x1000, 0)
    sector = code.ljust(0x40, b"\0") + packet
    list_bytes = b"".join(struct.pack("<I", place) for place in places) + b"\xff\xff\xff\xff"
    return (sector.ljust(510, b"\0") + b"\x55\xaa" + list_bytes).ljust(1440 * KIB, b"\0")


class ScummVm:
    """Plays the introduction of a free game for 40 seconds. Its data file has a fixed size."""
    programs = ("/usr/games/scummvm",)

    def __init__(self, game, folder, file):
        self.game, self.source, self.file = game, SCUMMVM_GAMES / folder, file

    def make(self, folder, _):
        for file in self.source.iterdir():
            shutil.copy(file, folder)
        return folder / self.file

    def named(self, image):
        return image

    def command(self, image, _):
        return ["timeout", "--preserve-status", "-s", "INT", "40", "/usr/games/scummvm", "--no-fullscreen", "-p", image.parent,
                self.game]


EMULATORS = {
    "DOSBox": DosBox(),
    "ScummVM, Beneath a Steel Sky": ScummVm("sky", "beneath-a-steel-sky", "sky.dsk"),
    "ScummVM, Flight of the Amazon Queen": ScummVm("queen", "flight-of-the-amazon-queen", "queen.1c"),
    "QEMU": Qemu(),
}


def waits_in(log, image):
    """Returns the seconds of each read of the image, from strace's log."""
    waits = []
    for line in log.read_text(errors="replace").splitlines():
        found = RUNS_ON.search(line)
        if found and f"<{image}>" in line and int(found[1]) > 0:
            waits.append(float(found[2]))
    return waits


def figures(measured, waits, answer=None):
    fetched = (answer or {}).get("foreseen", {}).get("fetched_bytes", 0)
    return {"busy_s": measured["busy_s"], "seeks": measured["seeks"], "over_50_ms": sum(wait > 0.05 for wait in waits),
            "over_10_ms": sum(wait > 0.01 for wait in waits), "waited_s": sum(waits), "reads": len(waits), "fetched_bytes": fetched}


def run_json(*words):
    return json.loads(subprocess.run([SEEKLESS, *words, "--json", "-"], check=True, capture_output=True).stdout)


class OnDisk:
    """An emulator's image, in pieces on an emulated disk, in a separate folder."""

    def __init__(self, disk, emulator, work, image_bytes=IMAGE_BYTES, pieces=PIECES):
        self.disk, self.emulator, self.work = disk, emulator, pathlib.Path(work)
        self.folder = disk.folder / "discs"
        self.folder.mkdir()
        with tempfile.TemporaryDirectory(dir=work) as made:
            image = emulator.make(pathlib.Path(made), image_bytes)
            room = PiecesOfRoom(disk, image.stat().st_size, max(1, image.stat().st_size * pieces // image_bytes))
            for file in sorted(pathlib.Path(made).iterdir(), key=lambda file: file != image):
                shutil.copy(file, self.folder)
            page_cache.write_back(disk.folder)
            room.close()
        self.image, self.state = self.folder / image.name, disk.folder / "state"

    def run(self, front=()):
        log, answer = self.work / "strace", self.work / "answer.json"
        answer.unlink(missing_ok=True)
        home = self.work / "home"
        home.mkdir(exist_ok=True)
        command = ["strace", "-f", "-y", "-T", "-e", "trace=read,pread64,readv,preadv,preadv2", "-e", "signal=none", "-o", log,
                   *self.emulator.command(self.image, self.work)]
        environment = {**os.environ, "HOME": str(home), "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy",
                       "PATH": os.environ["PATH"] + ":/usr/games"}
        with self.disk.cold() as measured:
            done = subprocess.run([*map(str, front), *map(str, command)], env=environment, stdin=subprocess.DEVNULL, cwd=self.work,
                                  capture_output=True, text=True, timeout=LONGEST_S)
        assert done.returncode == 0, done.stdout[-500:] + done.stderr[-500:]
        waits = waits_in(log, self.image)
        assert waits, "strace saw no read of the image: " + done.stderr[-500:]
        return figures(measured, waits, json.loads(answer.read_text()) if answer.exists() else None)

    def play(self, *options):
        return self.run([SEEKLESS, "play", "--state", self.state, "--json", self.work / "answer.json", *options,
                         self.emulator.named(self.image), "--"])

    def used_bytes(self):
        """Returns how much of the image is read, as `play` has learned it."""
        kept = run_json("play", "--status", "--state", self.state, self.emulator.named(self.image))
        return sum(load["likely_bytes"] for load in kept["loads"])

    def place(self):
        subprocess.run([SEEKLESS, "place", "--state", self.work / "placed", self.emulator.named(self.image)], check=True,
                       stdout=subprocess.DEVNULL)

    def pieces(self):
        return run_json("where", self.image)["fragments"]


class PiecesOfRoom(UsedRoom):
    """Leaves one hole free for each piece that the file should have, and room for names."""

    def __init__(self, disk, size, pieces):
        super().__init__(disk)
        each = -(-size // pieces // PAGE) * PAGE
        slots = self.chance.sample(range(25_000), pieces + 1)
        for number, slot in enumerate(slots):
            length = each + (MIB if number == pieces else PAGE)
            logical, _ = self.filler.place_for(length, 20 * 10**9 + slot * 8 * MIB)
            self.filler.punch(logical, length)

    def close(self):
        """Frees the rest of the disk."""
        super().close()
        self.file.unlink()


def median(runs):
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def cell(run):
    return (f"{run['busy_s']:.2f}, {run['seeks']:.0f}; {run['over_50_ms']:.0f}, {run['over_10_ms']:.0f}; "
            f"{run['waited_s']:.2f}")


def measure(name, emulator, rounds, drive, work):
    with tempfile.TemporaryDirectory(dir=work) as folder, \
            Disk(pathlib.Path(folder) / "disk", "--tables", "usual", "--drive", drive) as disk, \
            tempfile.TemporaryDirectory(dir=work) as beside:
        on_disk = OnDisk(disk, emulator, beside)
        pieces = on_disk.pieces()
        plain = median([on_disk.run() for _ in range(rounds)])
        on_disk.play(), on_disk.play()
        learned = median([on_disk.play() for _ in range(rounds)])
        on_disk.play("--lay-out")
        laid_out = median([on_disk.play() for _ in range(rounds)])
        used = on_disk.used_bytes()
        on_disk.place()
        placed = median([on_disk.run() for _ in range(rounds)])
        print(f"| {name}, {pieces} pieces | " + " | ".join(cell(run) for run in (plain, learned, laid_out, placed)) +
              f" | {learned['fetched_bytes'] / 1e6:.1f} | {laid_out['fetched_bytes'] / 1e6:.1f} | {used / 1e6:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--drive", default="wd-black-1tb")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("words", nargs="*", metavar="EMULATOR", help=f"[all of {', '.join(EMULATORS)}]")
    options = parser.parse_args()
    print("| | plain | learned | laid out | placed | MB fetched, learned | laid out | used |\n|" + "---|" * 8, flush=True)
    for name in options.words or EMULATORS:
        measure(name, EMULATORS[name], options.rounds, options.drive, options.work)


if __name__ == "__main__":
    main()
