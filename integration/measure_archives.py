"""Measures the gain of `repack` on engines' archives: the unmodified engine loads from the archive on the emulated
disk, cold, before and after `repack --in-place`. Beside it: how long the disk is busy with repacking and with `cp`.

Usage: measure_archives.py [--rounds N] [--drive DRIVE] [--work DIR] [ENGINE...]
Each figure is the disk's busy seconds and its seeks until the load is over, the median of N runs. Only the archive lies on
the disk, as its packer wrote it; the engine's own files don't.
"""
import argparse
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "hdd")]
import page_cache
from bench import SEEKLESS, Disk
from flat_archives import contents, pak
from gamecube_disc import MIB, READ_BYTES, disc
from game import noise
from moved_archives import morrowind_bsa, nif, rpa

RENPY_GAMES = pathlib.Path("/usr/share/games/renpy")
LOAD = """init 100 python:
    import os
    for name in {names}:
        renpy.loader.load(name).read()
    with open(os.environ["RESULT"], "w") as result:
        result.write("loaded")
    os._exit(0)
"""


class RenPy:
    """The pictures and sounds of a game of Ren'Py's as its packer archives them, in the order of names. Ren'Py's loader reads
    those that the game's script mentions, in that order. The script itself isn't run: Debian 12's Ren'Py can't compile
    its own screens with Debian 12's Python."""
    name, programs = "game/archive.rpa", ("renpy",)

    def __init__(self, game):
        self.game = RENPY_GAMES / game / "game"

    def mentioned(self, names):
        script = "\n".join(path.read_text(errors="replace") for path in sorted(self.game.rglob("*.rpy")))
        place = lambda name: min((at for part in (name, pathlib.PurePath(name).stem)
                                  if (at := script.lower().find(part.lower())) >= 0), default=-1)
        found = [(place(name), name) for name in names]
        return [name for at, name in sorted(found) if at >= 0]

    def make(self, folder):
        entries = [(path.relative_to(self.game).as_posix(), path.read_bytes()) for path in sorted(self.game.rglob("*"))
                   if path.is_file() and not path.suffix.startswith((".rpy", ".py"))]
        (folder / "game").mkdir()
        (folder / self.name).write_bytes(rpa(entries))
        self.names = self.mentioned([name for name, _ in entries])
        return len(entries)

    def command(self, folder, beside):
        """The game's folder, with a link to the archive on the disk."""
        game = beside / "renpy" / "game"
        if not game.exists():
            game.mkdir(parents=True)
            (game / "archive.rpa").symlink_to(folder / self.name)
            (game / "zz_load.rpy").write_text(LOAD.format(names=self.names))
        return ["renpy", game.parent]


class DarkPlaces:
    """Its server runs a chain of a thousand scripts out of four thousand. The archive has them in the order of
    names."""
    name, programs, SCRIPTS, RUN = "id1/pak0.pak", ("darkplaces-server",), 4000, 1000

    def make(self, folder):
        chain = random.Random(5).sample(range(self.SCRIPTS), self.RUN)
        after = dict(zip(chain, chain[1:]))
        entries = []
        for number in range(self.SCRIPTS):
            command = f"exec scripts/{after[number]}.cfg" if number in after else "quit"
            entries.append((f"scripts/{number}.cfg", f"// {noise(number, 6000).hex()}\n{command}\n".encode()))
        entries += [("quake.rc", f"exec scripts/{chain[0]}.cfg\n".encode()), ("progs.dat", b"")]
        (folder / "id1").mkdir()
        (folder / self.name).write_bytes(pak(entries))
        return len(entries)

    def command(self, folder, beside):
        return ["darkplaces-server", "-basedir", folder, "-userdir", beside / "home"]


class Godot:
    """Loads 120 of 600 resources by number from a .pck that Godot made, in which their order is random."""
    name, programs, LEVELS, LOADED = "game.pck", ("godot3-server",), 600, 120

    def make(self, folder):
        from test_repack_formats import PACKER, PROJECT, SCENE, SCRIPT, level
        chance = random.Random(3)
        with tempfile.TemporaryDirectory() as made:
            project = pathlib.Path(made, "project")
            project.mkdir()
            numbers = chance.sample(range(self.LEVELS), self.LOADED)
            script = SCRIPT.replace("range(40)", str(numbers))
            files = {"project.godot": PROJECT, "main.tscn": SCENE, "main.gd": script,
                     **{f"level{number}.tres": level(number) for number in range(self.LEVELS)}}
            for name, text in files.items():
                (project / name).write_text(text)
            names = chance.sample(sorted(files), len(files))
            packer = pathlib.Path(made, "pack.gd")
            packer.write_text(PACKER.format(pck=folder / self.name, alignment=32, folder=project,
                                            names="[" + ", ".join(f'"{name}"' for name in names) + "]"))
            subprocess.run(["godot3-server", "--no-window", "-s", packer], check=True, capture_output=True, timeout=600,
                           cwd=made, env=environment(made))
        return len(contents((folder / self.name).read_bytes()))

    def command(self, folder, beside):
        return ["godot3-server", "--main-pack", folder / self.name]


class Dolphin:
    """A disc's program reads 400 places of 300 MB, in a random order. Dolphin is ended after half a minute; the reads take some
    seconds."""
    name, programs, DISC_BYTES, READS = "disc.rvz", ("dolphin-emu-nogui", "dolphin-tool"), 300 * MIB, 400

    def make(self, folder):
        with tempfile.TemporaryDirectory(dir=folder) as made:
            image = pathlib.Path(made, "disc.iso")
            image.write_bytes(disc(self.DISC_BYTES, random.Random(9).sample(range(2 * MIB, self.DISC_BYTES, READ_BYTES), self.READS)))
            subprocess.run(["dolphin-tool", "convert", "-u", made, "-i", image, "-o", folder / self.name, "-f", "rvz", "-b",
                            str(128 << 10), "-c", "zstd", "-l", "5"], check=True, stdout=subprocess.DEVNULL, env=environment(made))
        return self.DISC_BYTES // (128 << 10)

    def command(self, folder, beside):
        return ["timeout", "30", "dolphin-emu-nogui", "-p", "headless", "-v", "Null", "-u", beside / "user",
                "-C", "Dolphin.Core.FastDiscSpeed=True", "-C", "Dolphin.Core.EmulationSpeed=0", "-e", folder / self.name]


class OpenMW:
    """OpenMW's mesh checker reads 2,000 meshes, in the order of names, from a .bsa of Morrowind with as many pictures.
    Its entries lie in the order of their hashes, which is effectively random."""
    name, programs, MESHES = "game.bsa", ("niftest",), 2000

    def make(self, folder):
        entries = [(f"{kind}/{number}.{ending}", make(number)) for number in range(self.MESHES)
                   for kind, ending, make in (("meshes", "nif", lambda at: nif(noise(at, 9000).hex())),
                                              ("textures", "dds", lambda at: noise(at, 18000)))]
        random.Random(7).shuffle(entries)
        (folder / self.name).write_bytes(morrowind_bsa(entries))
        return len(entries)

    def command(self, folder, beside):
        return ["niftest", folder / self.name]


ENGINES = {"Ren'Py's demo": RenPy("demo"), "The Question (Ren'Py)": RenPy("the_question"), "Godot 3": Godot(),
           "DarkPlaces": DarkPlaces(), "OpenMW": OpenMW(),
           "Dolphin": Dolphin()}


def environment(home):
    return {**os.environ, "HOME": str(home), "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy",
            "RESULT": str(pathlib.Path(home, "result")), "PATH": os.environ["PATH"] + ":/usr/games:/usr/lib/darkplaces"}


def load(engine, folder, beside, front=()):
    command = [*front, *engine.command(folder, beside)]
    done = subprocess.run([str(word) for word in command], env=environment(beside), stdin=subprocess.DEVNULL, cwd=beside,
                          capture_output=True, text=True, errors="replace", timeout=600)
    return done.stdout + done.stderr


def measure(name, engine, rounds, drive, work):
    with tempfile.TemporaryDirectory(dir=work) as made, tempfile.TemporaryDirectory(dir=work) as beside, \
            Disk(pathlib.Path(made) / "disk", "--tables", "usual", "--drive", drive) as disk:
        beside = pathlib.Path(beside)
        folder = disk.folder / "game"
        folder.mkdir()
        entries = engine.make(folder)
        archive = folder / engine.name
        load(engine, folder, beside)  # lets the engine write its first-start files now

        def cold():
            runs = []
            for _ in range(rounds):
                with disk.cold() as measured:
                    said = load(engine, folder, beside)
                runs.append(measured)
                assert measured["bytes"] > 1e6, said[-2000:]
            return {key: statistics.median(run[key] for run in runs) for key in ("busy_s", "seeks", "bytes")}
        before = cold()
        trace = beside / "load.trace"
        load(engine, folder, beside, [SEEKLESS, "record", "-o", trace, "--only", f"{archive}", "--"])

        def busy_s(*command):
            """Returns for how long the disk is busy until what the command writes is on the disk."""
            with disk.cold() as measured:
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                page_cache.write_back(folder)
            return measured["busy_s"]
        copying = busy_s("cp", archive, beside_archive := archive.with_name("copy"))
        beside_archive.unlink()
        repacking = busy_s(SEEKLESS, "repack", trace, "--content", archive, "--in-place", "--force")
        after = cold()
        cell = lambda run: f"{run['busy_s']:.2f}, {run['seeks']:.0f}, {run['bytes'] / 1e6:.1f}"
        print(f"| {name} | {entries} entries, {archive.stat().st_size / 1e6:.0f} MB | {cell(before)} | {cell(after)} | "
              f"{before['busy_s'] / after['busy_s']:.1f} | {repacking:.2f} | {copying:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--drive", default="wd-black-1tb")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("engines", nargs="*", metavar="ENGINE", help=f"[all of {', '.join(ENGINES)}]")
    options = parser.parse_args()
    print("| engine | archive | as its packer wrote it: busy s, seeks, MB | repacked | times | "
          "busy s of repacking | of cp |\n|" + "---|" * 7, flush=True)
    for name in options.engines or ENGINES:
        measure(name, ENGINES[name], options.rounds, options.drive, options.work)


if __name__ == "__main__":
    main()
