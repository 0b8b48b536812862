"""Refuses system calls of the tool, one in each run, and judges the result: the exit code and the message are right,
every file is whole, old or new, and the next run has the undisturbed result."""
import errno
import os
import random
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from refusals.scenes import SCENES, Made
from tool import tree

SOURCE = Path(__file__).parent / "refuse.c"
KINDS = {
    "open": ["EMFILE", "EACCES", "EIO"], "read": ["EIO"], "write": ["EIO", "ENOSPC", "EDQUOT"],
    "space": ["ENOSPC", "EFBIG"], "sync": ["EIO", "ENOSPC"], "name": ["EIO", "EACCES", "ENOSPC"],
    "remove": ["EACCES", "EIO"], "folder": ["ENOSPC", "EACCES"], "list": ["EIO", "EMFILE"],
    "stat": ["EIO", "EACCES"], "lock": ["ENOLCK"], "memory": ["ENOMEM"],
    "large memory": ["ENOMEM"], "thread": ["EAGAIN"],
}
TIMEOUT_S = 60
# Patterns of output that differs between undisturbed runs: times, and the temporary folder's name. They also cover
# facts about the drive, which the tool leaves out, with a message, if calls for them are refused.
CHANGING = [re.compile(rb"\d+\.\d+ ?(s|ms|seconds)\b"), re.compile(rb"\d+(\.\d+)? (MB|GB|KB|kB)/s"),
            re.compile(rb"\((taken for|assumed, as) the content's[^)]*\)")]
# State of build, with stamps of files, and the progress of repacking in place.
STATE = ("/.seekless/", "/.seekless-originals/journal")


def build_shim(folder):
    library = folder / "refuse.so"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-w", SOURCE, "-o", library, "-ldl", "-pthread"], check=True)
    return library


class Run:
    def __init__(self, command, env):
        try:
            done = subprocess.run(command, env={**os.environ, **env}, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=TIMEOUT_S)
            self.code, self.out, self.err = done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            self.code, self.out, self.err = None, b"", "no end"

    @property
    def errors(self):
        return [line for line in self.err.splitlines() if line.startswith("seekless: error: ")]

    def told(self):
        """Returns the text without the parts that differ from run to run."""
        text = self.out
        for pattern in CHANGING:
            text = pattern.sub(b"", text)
        return b" ".join(text.split())  # lines may break elsewhere


NEW = ".seekless-new"


def files(folder):
    """Returns the files as readers see them: a new set counts once it is complete, even in its temporary folder. An
    empty temporary folder is ignored, because its removal may have been refused."""
    found = {name: data for name, data in tree(folder).items() if not any(part in f"/{name}" for part in STATE)}
    for name in [name for name in found if name.endswith(f"{NEW}/complete")]:
        del found[name]
        folder_of_new = name.removesuffix("complete")
        for part in [part for part in found if part.startswith(folder_of_new)]:
            found[part.replace(f"{NEW}/", "")] = found.pop(part)
    return {name: data for name, data in found.items() if not (data is None and name.endswith(NEW))}


class Undisturbed:
    """A scene's output when nothing is refused, and its number of calls of each kind."""

    def __init__(self, scene, tool, made, here, shim):
        scene.prepare(made, here)
        self.before = files(here)
        counts = here.parent / f"{here.name}.counts"
        run = Run(scene.command(tool, made, here), {"LD_PRELOAD": str(shim), "FAULT_COUNTS": str(counts)})
        assert run.code == 0, f"{scene.name}: {run.err}"
        self.told = run.told()
        self.inputs = set(files(made / "game").values())  # inputs that a warning says were left unchanged
        self.after = files(here)
        self.calls = {kind: int(count) for kind, count in (line.rsplit(None, 1) for line in counts.read_text().splitlines())}


class Fault:
    def __init__(self, scene, kind, at, error, span):
        self.scene, self.kind, self.at, self.error, self.span = scene, kind, at, error, span

    def env(self, shim):
        return {"LD_PRELOAD": str(shim), "FAULT_KIND": self.kind, "FAULT_AT": str(self.at),
                "FAULT_ERRNO": str(getattr(errno, self.error)), "FAULT_SPAN": str(self.span)}

    def __str__(self):
        ever = "" if self.span else " and all that follow"
        return f"{self.scene.name}: {self.kind} {self.at}{ever}: {self.error}"


def judge(fault, run, old, left):
    """Returns the faults in how a disturbed run ended; an empty list if there are none."""
    wrong = []
    if run.code not in (0, 1, 2, 3) or "terminate called" in run.err:
        return [f"exit code {run.code}: {run.err[-200:].strip()}"]
    is_steady = fault.scene.name not in ("warm", "doctor") and not fault.scene.is_timed
    if run.code == 0 and not run.err and run.told() != old.told and is_steady:
        wrong.append("exit code 0 and not a word, with another answer")
    if run.code != 0 and not run.errors:
        wrong.append(f"exit code {run.code} without a message: {run.err[-200:].strip()}")
    if run.errors and fault.kind not in ("memory", "large memory", "thread") and "/" not in run.err + run.out.decode("utf-8", "replace"):
        wrong.append(f"no file named: {run.errors[0]}")
    lost = [name for name in old.before if name in old.after and name not in left]
    if lost and not any("seekless-originals" in name for name in left):
        wrong.append(f"lost: {lost[:3]}")
    for name, data in left.items():
        is_whole = data in (old.before.get(name), old.after.get(name))
        if name in old.before or name in old.after:
            if not is_whole and data not in old.inputs and not fault.scene.tells_lack(name, data):
                wrong.append(f"neither old nor new: {name}")
        elif run.code == 0 and data is not None:
            wrong.append(f"left over: {name}")
    if fault.kind == "remove":  # then temporary folders may stay until the next run
        left = {name: data for name, data in left.items() if "/.seekless-" not in f"/{name}" or name in old.after}
    differ = [name for name in left.keys() | old.after.keys() if left.get(name, 0) != old.after.get(name, 0)]
    if run.code == 0 and not run.err and not all(fault.scene.tells_lack(name, left.get(name)) for name in differ):
        wrong.append("exit code 0 and not a word, with other files")
    return wrong


class Campaign:
    def __init__(self, tool, folder, scenes=None):
        folder.mkdir(parents=True, exist_ok=True)
        self.tool, self.folder = tool, folder
        self.shim = build_shim(folder)
        self.made = Made(tool, folder / "made").folder
        wanted = [scene for scene in SCENES if not scenes or scene.name in scenes]
        # Some commands write the path, so each scene always has the same path.
        self.here = {scene.name: folder / f"here{number}" / "place" for number, scene in enumerate(wanted)}
        self.old = {}
        for scene in wanted:
            self.here[scene.name].parent.mkdir()
            self.old[scene.name] = Undisturbed(scene, tool, self.made, self.here[scene.name], self.shim)
        self.scenes = wanted

    def faults(self, count, seed, kinds):
        """Returns `count` faults, spread evenly over scenes and kinds, and none of them twice."""
        chance = random.Random(seed)
        places = [(scene, kind) for scene in self.scenes for kind in kinds if self.old[scene.name].calls[kind] > 0]
        seen, picked = set(), []
        for tries in range(20 * count):
            scene, kind = places[tries % len(places)]
            calls = self.old[scene.name].calls[kind]
            # The first and last calls are the most varied ones.
            at = chance.randint(1, calls) if chance.random() < 0.7 else chance.choice([1, calls, min(2, calls)])
            fault = (scene, kind, at, chance.choice(KINDS[kind]), chance.choice([1, 1, 0]))
            if fault not in seen:
                seen.add(fault)
                picked.append(Fault(*fault))
            if len(picked) == count:
                break
        return picked

    def try_one(self, fault):
        scene, here, old = fault.scene, self.here[fault.scene.name], self.old[fault.scene.name]
        scene.prepare(self.made, here)
        run = Run(scene.command(self.tool, self.made, here), fault.env(self.shim))
        wrong = judge(fault, run, old, files(here))
        if scene.once and (run.code == 0 or files(here) == old.after):
            return run, wrong
        again = Run(scene.command(self.tool, self.made, here, again=True), {})
        left = files(here)
        if again.code != 0:
            wrong.append(f"the next run fails: {again.err[-300:].strip()}")
        elif left != old.after:
            differ = {name for name in left.keys() | old.after.keys() if left.get(name, 0) != old.after.get(name, 0)}
            wrong.append(f"after the next run, these differ: {sorted(differ)[:4]}")
        return run, wrong

    def run(self, count, seed, say=print, kinds=tuple(KINDS)):
        """Runs two scenes at a time; returns (fault, what was wrong) for each wrong result."""
        faults = self.faults(count, seed, kinds)
        by_scene = [[fault for fault in faults if fault.scene is scene] for scene in self.scenes]
        found, codes = [], {}

        def try_scene(some):
            for fault in some:
                run, wrong = self.try_one(fault)
                codes[run.code] = codes.get(run.code, 0) + 1
                if wrong:
                    found.append((fault, wrong))
                    say(f"{fault}\n    " + "\n    ".join(wrong))

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(try_scene, by_scene))
        say(f"{len(faults)} faults, seed {seed}: {len(found)} wrong; exit codes "
            + ", ".join(f"{code}: {codes[code]}" for code in sorted(codes, key=str)))
        return found
