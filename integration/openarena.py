"""Runs OpenArena (ioquake3) on its own display, from an empty home, for recording and timing it. Needs the Debian
packages openarena, its data packages and xvfb."""
import contextlib
import os
import pathlib
import shutil
import signal
import tempfile

from warzone import display, lay_beside, started

GAME = "/usr/games/openarena"
DATA = "/usr/share/games/openarena/baseoa"

# Sorted by the archive that holds the map, in alphabetical order; later archives win.
SCENARIOS = {  # name: runs
    "map/oa_dm1": 2,  # pak1-maps.pk3
    "map/wrackdm17": 1,
    "map/am_underworks": 1,  # pak6-patch085.pk3
    "map/am_thornish": 1,  # pak6-patch088.pk3
    "map/oacmpdm3": 2,  # z_oacmp-volume1-v3.pk3
}


def archives():
    return sorted(path.name for path in pathlib.Path(DATA).glob("*.pk3"))


class Game:
    """One run of the game. `process` is the started program: the game, or the tracer `before` it."""

    def __init__(self, process, home):
        self.process = process
        self.home = pathlib.Path(home)

    def log(self):
        logs = (self.home / ".openarena").glob("*/qconsole.log")
        return "".join(path.read_text(errors="replace") for path in logs)

    def loaded_map(self):
        """Returns True if the client has loaded its map, and the player is in it."""
        log = self.log()
        return "CL_InitCGame:" in log and "entered the game" in log

    def save_picture(self, path):
        shutil.copy(self.home / "Xvfb_screen0", path)


@contextlib.contextmanager
def running(scenario, before=(), beside=(), settings=None, command=None):
    """Starts the game on its way to a map; `before` is put in front of its command. `beside`: archives in the player's
    own folder, which is searched after the game's; `settings`: more settings of the engine; `command`: a console
    command instead of loading the map, such as to join a server."""
    with tempfile.TemporaryDirectory() as home, display(home) as screen:
        lay_beside(pathlib.Path(home, ".openarena/baseoa"), beside)
        environment = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8",
                       "DISPLAY": screen, "SDL_AUDIODRIVER": "dummy",
                       "LIBGL_ALWAYS_SOFTWARE": "1"}
        settings = {**(settings or {}), "r_fullscreen": 0, "r_mode": -1, "r_customwidth": 320, "r_customheight": 240,
                    "com_introplayed": 1, "logfile": 2, "bot_enable": 0}
        command = [*before, GAME, *(word for name, value in settings.items()
                                    for word in ("+set", name, str(value))),
                   *(command or ["+devmap", scenario.removeprefix("map/")])]
        with started(command, signal.SIGKILL, env=environment) as process:
            yield Game(process, home)
