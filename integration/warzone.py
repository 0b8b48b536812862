"""Runs Warzone 2100 on its own display, from an empty config folder, for recording and timing it. Needs the Debian
packages warzone2100, warzone2100-data and xvfb."""
import contextlib
import functools
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

GAME = "/usr/games/warzone2100"
if os.path.exists(GAME + ".real"):  # Debian 13's script starts the game in a sandbox with other folders
    GAME += ".real"
DATA = "/usr/share/games/warzone2100"


@functools.cache
def recordings():
    """Returns the recordings in integration/traces of the installed version; if none is installed, the recordings of
    4.3.3."""
    folder = pathlib.Path(__file__).resolve().parent / "traces" / "warzone2100"
    archive = pathlib.Path(DATA, "mp.wz")
    if archive.exists():
        found = hashlib.sha256(archive.read_bytes()).hexdigest()
        for sums in sorted(folder.rglob("content.sha256")):
            if found in sums.read_text():
                folder = sums.parent
    return sorted(folder.glob("*.jsonl.lz4"))


def level(name):
    return [f"--game={name}"], None


def skirmish(map_name, players):
    challenge = {"bases": 2, "difficulty": "Medium", "map": map_name, "maxPlayers": players,
                 "name": "trace", "powerLevel": 1, "scavengers": 1, "version": 2}
    sides = {f"player_{n}": {"team": n, "difficulty": "Medium", "ai": "multiplay/skirmish/nexus.js"}
             for n in range(players)}
    return ["--autogame", "--skirmish=trace.json"], {"challenge": challenge, **sides}


SCENARIOS = {  # name: ((arguments, tests/trace.json), runs)
    "menu": (([], None), 1),
    "map/cam_1a": (level("CAM_1A"), 2),
    "map/cam_2a": (level("CAM_2A"), 1),
    "map/tutorial3": (level("TUTORIAL3"), 1),
    "map/rush": (skirmish("Sk-Rush", 4), 2),  # arizona tiles
    "map/manhattan": (skirmish("Sk-Manhattan", 8), 1),  # urban tiles
    "map/highground": (skirmish("Sk-HighGround", 2), 1),  # rockies tiles
}


@contextlib.contextmanager
def started(command, ending, **options):
    """Run a command in its own process group; at the end, the group gets the signal if it is alive."""
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **options}
    process = subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, ending)
            process.wait()


def lay_beside(folder, archives):
    """Makes links to archives in one of the player's folders, which the engine searches before the game's own."""
    folder.mkdir(parents=True)
    for archive in archives:
        (folder / pathlib.Path(archive).name).symlink_to(pathlib.Path(archive).resolve())


@contextlib.contextmanager
def display(folder):
    """Run Xvfb, which keeps its screen in `folder` as an XWD file; yield the display's name."""
    reader, writer = os.pipe()
    with open(reader) as pipe, started(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset",
             "-fbdir", folder], signal.SIGTERM, pass_fds=[writer]):
        os.close(writer)
        screen = pipe.readline().strip()
        if not screen:
            raise SystemExit("Xvfb did not start")
        yield f":{screen}"


class Game:
    """One run of the game. `process` is the started program: the game, or the tracer `before` it."""

    def __init__(self, process, home):
        self.process = process
        self.home = pathlib.Path(home)

    def log(self):
        logs = (self.home / "config" / "logs").glob("WZlog*")
        return "".join(path.read_text() for path in logs)

    def loaded_map(self):
        return " loading: " in self.log()

    def save_picture(self, path):
        shutil.copy(self.home / "Xvfb_screen0", path)


@contextlib.contextmanager
def running(scenario, before=()):
    """Starts the game on its way to a scenario; `before` is put in front of its command."""
    (arguments, challenge), _ = SCENARIOS[scenario]
    with tempfile.TemporaryDirectory() as home, display(home) as screen:
        config = pathlib.Path(home, "config")
        (config / "tests").mkdir(parents=True)
        if challenge:
            (config / "tests" / "trace.json").write_text(json.dumps(challenge))
        environment = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8",
                       "DISPLAY": screen, "SDL_AUDIODRIVER": "dummy",
                       "ALSOFT_DRIVERS": "null", "LIBGL_ALWAYS_SOFTWARE": "1"}
        command = [*before, GAME, f"--configdir={config}", "--window", "--resolution=640x480",
                   "--gfxbackend=opengl", "--noshadows", *arguments]
        with started(command, signal.SIGKILL, env=environment) as process:
            yield Game(process, home)
