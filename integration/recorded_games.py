"""The games whose recordings are in integration/traces, as installed, for planning and timing them."""
import pathlib
import time

import debian_games
import openarena
import warzone

HERE = pathlib.Path(__file__).resolve().parent
GB = 10**9
QUIET_S, LONGEST_S = 5, 300  # idle seconds after the load that end a measurement; a longer measurement has failed


class Game:
    """archives: below the game's folder; none if its files are loose. reads_alike: the same each time that a map is loaded."""

    def __init__(self, name, module, archives, maps, over, overlay=None, traces=None, reads_alike=True):
        self.name, self.module, self.archives, self.maps = name, module, archives, maps
        self.overlay = overlay  # a name under which the engine reads an overlay beside its archives
        self.reads_alike = reads_alike
        self.over = over  # what is mounted over the game's own content: "folder" or "files"
        folder = HERE / "traces" / (traces or name)
        self.traces = sorted(folder.glob("*.lz4"))
        self.more_traces = sorted(folder.glob("more/*.lz4"))  # maps that have one recording
        self.data = pathlib.Path(module.DATA)
        self.apart_gb = None  # between archives; None: they lie all over the disk

    def runs(self, scenario):
        front = scenario.replace("/", "+") + "."
        return [trace for trace in self.traces if trace.name.startswith(front)]

    def others(self, scenario):
        return [trace for trace in self.traces if trace not in self.runs(scenario)]

    def content(self):
        return [self.data / archive for archive in self.archives] or [self.data]

    def is_installed(self):
        return all(path.exists() for path in self.content())

    def disk_options(self):
        """Archives are put anywhere on the disk, in one piece; loose files lie where a usual ext4 has them."""
        return ["--tables", "front" if self.archives else "usual"]

    def stretch(self):
        """Returns the size of the disk's part for each archive."""
        return self.apart_gb * GB if self.apart_gb else 900 * GB // len(self.archives)

    def start_of(self, number):
        """Returns where the n-th archive lies on a disk that has been used for years: far from the others."""
        return number * self.stretch() + self.stretch() // 2

    def after_archives(self):
        return len(self.archives) * self.stretch()

    def instead(self, folder):
        """Returns the front of a command that mounts the archives in `folder` over the game's own."""
        pairs = [(folder, self.data)] if self.over == "folder" else [
            (folder / name, self.data / name) for name in self.archives]
        binds = " && ".join(f"mount --bind {new} {old}" for new, old in pairs)
        return ["unshare", "--mount", "--propagation", "slave", "sh", "-c", f'{binds} && exec "$@"', "sh"]


GAMES = {
    "openarena": Game("openarena", openarena, openarena.archives(),
                      ["map/oa_dm1", "map/am_thornish", "map/oacmpdm3"], "folder", "z_zz_seekless.pk3"),
    "warzone2100": Game("warzone2100", warzone, ["base.wz", "mp.wz"],
                        ["map/cam_1a", "map/rush", "map/highground"], "files"),
    "0ad": Game("0ad", debian_games.GAMES["0ad"], ["mod/mod.zip", "public/public.zip"],
                ["map/acropolis_bay_2p", "map/sicilia_2p", "map/libyan_oases_4p"], "files", traces="debian_games/0ad",
                reads_alike=False),  # sides are chosen by chance
    "nexuiz": Game("nexuiz", debian_games.GAMES["nexuiz"], ["data.pk3", "textures.pk3"],
                   ["map/strength", "map/silvercity"], "files", "zz_seekless.pk3", traces="debian_games/nexuiz"),
    "supertuxkart": Game("supertuxkart", debian_games.GAMES["supertuxkart"], [],
                         ["track/hacienda", "track/snowmountain"], "folder", traces="debian_games/supertuxkart"),
}


# These programs have no recordings, which serving doesn't need.
PROGRAMS = {"python": Game("python", debian_games.PROGRAMS["python"], [], ["import/pandas", "import/sympy"], "folder")}


def wait_for_load(game, running, disk):
    """Waits until the map is loaded and the disk has been idle for a while, or until the game was played as long as in
    recordings, without waiting for the disk. Returns wall seconds: there_s until the map, last_s until the last
    read."""
    began = last = time.monotonic()
    reads, there, there_s = 0, None, 0  # `there` subtracts the time that the disk was busy before
    while (now := time.monotonic()) < last + QUIET_S or there is None:
        stats = disk.stats()
        if there is None and running.loaded_map():
            there, there_s = now - stats["busy_s"], now - began
        if there is not None and now - stats["busy_s"] > there + getattr(game.module, "PLAYED_S", LONGEST_S):
            break
        if running.process.poll() is not None:
            raise SystemExit(f"{game.name} ended by itself:\n" + running.log()[-2000:])
        if now > began + LONGEST_S:
            raise SystemExit(f"{game.name}: no load after {LONGEST_S} s:\n" + running.log()[-2000:])
        if stats["reads"] != reads or there is None:
            last = now if stats["reads"] != reads else last
            reads = stats["reads"]
        time.sleep(0.05)
    return {"there_s": there_s, "last_s": last - began}


def installed():
    return [name for name, game in GAMES.items() if game.is_installed()]
