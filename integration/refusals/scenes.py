"""The commands that run while calls are refused: every command that reads or writes files, on a small game with an
older and a newer set."""
import shutil
import subprocess

from game import Game
from project import Project, edit, settle


class Scene:
    """`arguments` of the tool, in which {made} is the shared folder, and {here} the scene's own folder. Before each
    run, {here} gets copies from {made}: `given` maps names here to names there. `again` are the arguments of the run
    after a fault, if they differ. A scene with `once` may be refused a second time, when nothing is left to do. The
    answer of a `timed` scene differs each time. `may_lack` has sentences with which files may say that something is
    missing."""

    def __init__(self, name, *arguments, given=None, again=None, once=False, may_lack=None, timed=False):
        self.is_timed = timed
        self.may_lack = may_lack or {}
        self.name = name
        self.arguments = arguments
        self.given = given or {}
        self.again = again or arguments
        self.once = once

    def tells_lack(self, name, data):
        return data is not None and any(sentence in data for sentence in self.may_lack.get(name, ()))

    def prepare(self, made, here):
        shutil.rmtree(here, ignore_errors=True)
        here.mkdir(parents=True)
        for name, source in self.given.items():
            subprocess.run(["cp", "-a", made / source, here / name], check=True)
        for trace in here.glob("project/traces/*"):
            trace.write_text(trace.read_text().replace(str(made / "project"), str(here / "project")))

    def command(self, tool, made, here, again=False):
        words = self.again if again else self.arguments
        return tool.command(*[str(word).format(made=made, here=here) for word in words])


CONTENT = ["--content", "{made}/game"]
TRACES = ["{made}/traces/menu.jsonl.lz4", "{made}/traces/map.jsonl.lz4"]

SCENES = [
    Scene("import", "import", "{made}/menu.strace", "-o", "{here}/t.jsonl.lz4", given={"t.jsonl.lz4": "traces/map.jsonl.lz4"}),
    Scene("profile", "profile", *TRACES, *CONTENT, "-o", "{here}/profile.json"),
    Scene("plan", "plan", *TRACES, *CONTENT, "-o", "{here}/layout.json", given={"layout.json": "layout.json"}),
    Scene("analyze", "analyze", *TRACES, *CONTENT, "--html", "{here}/a.html",
          may_lack={"a.html": (b"It tells no place of ", b"Places on the disk are the model")}),
    Scene("advise", "advise", "{made}/game", *TRACES, "--drive", "wd-black-1tb", "--state", "{here}/state"),
    Scene("pack", "pack", "{made}/layout.json", "-o", "{here}/packs"),
    Scene("pack over an old set", "pack", "{made}/layout2.json", "-o", "{here}/packs", given={"packs": "packs"}),
    Scene("pack lz4", "pack", "{made}/layout.json", "-o", "{here}/packs", "--codec", "lz4"),
    Scene("verify", "verify", "{made}/packs"),
    Scene("info", "info", "{made}/packs"),
    Scene("info --assets", "info", "{made}/packs", "--assets", "--long"),
    Scene("extract one", "extract", "{made}/packs", "music/theme.ogg", "-o", "-"),
    Scene("extract", "extract", "{made}/packs", "-o", "{here}/out", "features/f00*", "music/**",
          again=("extract", "{made}/packs", "-o", "{here}/out", "features/f00*", "music/**", "--overwrite")),
    Scene("diff", "diff", "{made}/packs", "{made}/packs2"),
    Scene("patch", "patch", "{made}/packs", "{made}/packs2", "-o", "{here}/up.skp"),
    Scene("apply", "apply", "{made}/packs", "{made}/up.skp", "-o", "{here}/new"),
    Scene("apply in place", "apply", "{here}/packs", "{made}/up.skp", given={"packs": "packs"}),
    Scene("report", "report", "{made}/packs", *TRACES, *CONTENT, "--layout", "{made}/layout.json",
          "--html", "{here}/r.html", "--json", "{here}/r.json"),
    Scene("simulate", "simulate", "{made}/layout.json", *TRACES, *CONTENT),
    Scene("games", "games"),
    Scene("where", "where", "{made}/game"),
    Scene("doctor", "doctor", "{made}/game"),  # its answer depends on the refused calls
    Scene("warm", "warm", "{made}/packs"),
    Scene("emit", "emit", "tar", *TRACES, *CONTENT, "-o", "{here}/list"),
    Scene("prove", "prove", *TRACES, *CONTENT, "--work", "{here}", "--drive", "wd-black-1tb",
          "--rounds", "1", "--force", timed=True),
    Scene("drive", "drive", "show", "wd-black-1tb"),
    Scene("repack", "repack", *TRACES, *CONTENT, "-o", "{here}/out"),
    Scene("repack in place", "repack", *TRACES, "--map", "{made}/game={here}/game",
          "--content", "{here}/game", "--in-place", "--force",
          given={"game": "game"}, once=True),
    Scene("restore", "restore", "{here}/game", given={"game": "replaced"}, once=True),
    Scene("init", "init", "{here}/game", given={"game": "game"}, once=True),
    Scene("build", "build", "{here}/project", "-o", "{here}/packs", given={"project": "project", "packs": "built"}),
]


class Made:
    """The folder that all scenes share. Scenes never write to it."""

    def __init__(self, tool, folder):
        self.folder = folder
        game = Game(folder / "game")
        menu, map_one = game.write_traces(folder / "recorded")[:2]
        shutil.copy(menu, folder / "menu.strace")
        (folder / "traces").mkdir()
        tool.ok("import", menu, "-o", folder / "traces/menu.jsonl.lz4", "--scenario", "menu")
        tool.ok("import", map_one, "-o", folder / "traces/map.jsonl.lz4", "--scenario", "map/one")
        traces = sorted((folder / "traces").iterdir())
        content = ["--content", game.folder]
        tool.ok("profile", *traces, *content, "-o", folder / "profile.json")
        for number, block in (("", 256 * 1024), ("2", 128 * 1024)):
            tool.ok("plan", *traces, *content, "-o", folder / f"layout{number}.json", "--block", block, "--budget", 1)
            tool.ok("pack", folder / f"layout{number}.json", "-o", folder / f"packs{number}")
        tool.ok("patch", folder / "packs", folder / "packs2", "-o", folder / "up.skp")
        shutil.copytree(game.folder, folder / "replaced", symlinks=True)
        tool.ok("repack", *traces, "--map", f"{game.folder}={folder}/replaced", "--content", folder / "replaced", "--in-place", "--force")  # a small game gains nothing
        project = Project(tool, folder / "project", assets=40, most_bytes=3000)
        project.configure(threads=1, lock=None, outputs={"packs": {"folder": "packs"}})
        tool.ok("build", project.folder, "-o", folder / "built")
        edit(project.asset(30), b"edited" * 400)
        settle()
