"""Runs games of Debian with other kinds of content than OpenArena and Warzone 2100, for recording and timing them. Each
gets its own display and an empty home. Needs xvfb and the packages of the games' names."""
import contextlib
import os
import pathlib
import shutil
import signal
import tempfile

from recording import PLAYED_S
from warzone import display, lay_beside, started

NOBODY = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]


class Running:
    """One run. `process` is the started program: the game, or the tracer `before` it."""

    def __init__(self, process, home, sign):
        self.process, self.home, self.sign = process, pathlib.Path(home), sign

    def log(self):
        return (self.home / "output.log").read_text(errors="replace")

    def loaded_map(self):
        return self.sign in self.log()

    def save_picture(self, path):
        shutil.copy(self.home / "Xvfb_screen0", path)


class DebianGame:
    """data: the game's content; command: its start command; scenarios: name -> the arguments that load it; more:
    scenarios with one recording, for predictions of maps without recordings; sign: the line that it prints once the
    load is over; front: words before its command; own: the folder in the player's home that it searches for archives
    first. Recordings go on for PLAYED_S after the sign, and 0 A.D. never stops reading."""
    PLAYED_S = PLAYED_S

    def __init__(self, data, command, scenarios, sign, front=(), more=(), own=None):
        self.DATA, self.command, self.SCENARIOS, self.sign, self.front, self.own = data, command, scenarios, sign, front, own
        self.MORE = dict(more)

    @contextlib.contextmanager
    def running(self, scenario, before=(), beside=()):
        with tempfile.TemporaryDirectory() as home, display(home) as screen:
            if self.own:
                lay_beside(pathlib.Path(home, self.own), beside)
            os.chmod(home, 0o777)  # a game may run as user nobody
            environment = {"PATH": os.environ["PATH"] + ":/usr/games", "HOME": home, "LANG": "C.UTF-8", "DISPLAY": screen,
                           "SDL_AUDIODRIVER": "dummy", "ALSOFT_DRIVERS": "null", "LIBGL_ALWAYS_SOFTWARE": "1"}
            command = [*before, *self.front, *self.command, *{**self.SCENARIOS, **self.MORE}[scenario]]
            with open(pathlib.Path(home, "output.log"), "wb") as output:
                with started(command, signal.SIGKILL, env=environment, stdout=output, stderr=output) as process:
                    yield Running(process, home, self.sign)


def skirmishes(*maps):
    """Returns 0 A.D. skirmishes against the computer."""
    return {f"map/{name}": [f"-autostart=skirmishes/{name}", "-autostart-ai=2:petra"] for name in maps}


GAMES = {
    # One stored zip of 3.3 GB, and a small one.
    "0ad": DebianGame(
        "/usr/share/games/0ad/mods",
        ["/usr/games/pyrogenesis", "-nosound", "-xres=640", "-yres=480", "-conf=windowed:true"],
        skirmishes("acropolis_bay_2p", "sicilia_2p", "libyan_oases_4p"),
        "GAME STARTED, ALL INIT COMPLETE", NOBODY,  # it refuses to run as root
        more=skirmishes("corsica_and_sardinia_4p", "deccan_plateau_2p", "gambia_river_3p", "hindu_kush_2p",
                        "lorraine_plain_2p", "neareastern_badlands_2p")),
    # One zip of 278 MB, its entries deflated.
    "nexuiz": DebianGame(
        "/usr/share/games/nexuiz/data",
        ["/usr/games/nexuiz", "-nosound", "-window", "-width", "320", "-height", "240"],
        {f"map/{name}": ["+map", name] for name in ("strength", "silvercity", "aneurysm")},
        "is spectating now",
        more={f"map/{name}": ["+map", name] for name in ("bloodprison", "desertfactory", "evilspace")}, own=".nexuiz/data"),
    # 5,200 loose files.
    "supertuxkart": DebianGame(
        "/usr/share/games/supertuxkart/data",
        ["/usr/games/supertuxkart", "--no-start-screen", "--race-now", "--numkarts=4", "--windowed",
         "--screensize=320x240", "--disable-texture-compression", "--disable-hd-textures"],
        {f"track/{name}": [f"--track={name}"] for name in ("hacienda", "snowmountain", "cocoa_temple")},
        "simple_particle.frag",  # belongs to the first frame of the race
        more={f"track/{name}": [f"--track={name}"] for name in ("lighthouse", "scotland", "zengarden")}),
}

# Large programs that aren't games but also load thousands of small files at start.
PROGRAMS = {
    "python": DebianGame(
        "/usr/lib/python3/dist-packages",
        ["/usr/bin/python3", "-c", "import sys, time; exec('import ' + sys.argv[1]); print('it is all there', flush=True); time.sleep(99)"],
        {"import/pandas": ["pandas, scipy.stats, matplotlib.pyplot"], "import/sympy": ["sympy, scipy.signal, PIL.Image"]},
        "it is all there"),
}
