"""A game built by `seekless build` release after release, and the cost of each release for players who have the
previous one."""
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import xxhash


def digest_of(path):
    hasher = xxhash.xxh3_128()
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            hasher.update(part)
    return hasher.digest()


@dataclasses.dataclass
class Release:
    """The cost of one release in bytes, measured on the files."""
    edited: int
    written: int  # bytes written by a client that rebuilds each changed file
    on_grid: int  # bytes downloaded in new chunks of a 1 MiB grid
    in_chunks: int  # bytes downloaded in new content-defined chunks
    on_disk: int  # size of all files of the set
    held: int  # bytes of assets in packs; copies count, holes and tables don't
    content: int  # the same with each asset once
    forecast: dict  # the build's own forecast
    files: int
    seconds: float  # time that the build took
    peak_mib: float


class Chain:
    """Writes a separate build file in `folder`; content and recordings are shared with other chains."""

    def __init__(self, binary, folder, content, traces, **settings):
        self.binary, self.folder = str(binary), pathlib.Path(folder)
        self.content, self.traces, self.settings = pathlib.Path(content), pathlib.Path(traces), settings
        self.packs = self.folder / "packs"
        self.digests = {}
        self.folder.mkdir(parents=True)
        self.configure()

    def configure(self):
        told = {"content": [str(self.content)], "traces": [f"{self.traces}/*.strace"], "threads": 2,
                "outputs": {"packs": {"folder": "packs"}}, "lock": "layout.lock", **self.settings}
        (self.folder / "seekless.json").write_text(json.dumps({k: v for k, v in told.items() if v is not None}))

    def json(self, *arguments):
        """Returns the command's answer; `seconds` and `peak_mib` tell its cost."""
        started = time.monotonic()
        with tempfile.TemporaryFile("w+") as errors:
            child = subprocess.Popen([self.binary, *map(str, arguments), "--json", "-"], stdout=subprocess.PIPE,
                                     stderr=errors)
            answer = child.stdout.read()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode != 0:
                errors.seek(0)
                raise SystemExit(f"{' '.join(map(str, arguments))}: exit code {child.returncode}\n{errors.read()[-2000:]}")
        self.seconds, self.peak_mib = time.monotonic() - started, usage.ru_maxrss / 1024
        return json.loads(answer)

    def set_files(self, answer):
        """Returns the files of the set that the build made, without others in its folder."""
        names = [pack["file"] for pack in answer["packs"]] + ["catalog.skl"]
        return [self.packs / name for name in names]

    def build(self, *options):
        answer = self.json("build", self.folder, *options)
        self.took = {"seconds": self.seconds, "peak_mib": self.peak_mib}
        self.digests = {file.name: digest_of(file) for file in self.set_files(answer)}
        return answer

    def release(self, edits, *options, measures_download=True):
        """Builds once more, and measures the changes."""
        before, kept = self.digests, self.folder / "before"
        if measures_download:
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(self.packs, kept)
        answer = self.build(*options)
        sizes = {file.name: file.stat().st_size for file in self.set_files(answer)}
        patch = self.json("diff", kept, self.packs)["patch"] if measures_download else {}
        written = sum(sizes[name] for name, digest in self.digests.items() if before.get(name) != digest)
        return Release(edited=edits.edited, written=written, on_grid=patch.get("grid_bytes", 0),
                       in_chunks=patch.get("chunk_bytes", 0), on_disk=sum(sizes.values()),
                       held=sum(pack["content_bytes"] - pack["duplicate_bytes"] for pack in answer["packs"]),
                       content=edits.total, forecast=answer["patch"] or {}, files=len(sizes),
                       **self.took)

    def branch(self, folder):
        """Returns a copy that continues separately."""
        shutil.copytree(self.folder, folder, ignore=shutil.ignore_patterns("before"))
        other = object.__new__(Chain)
        other.__dict__.update(self.__dict__, folder=pathlib.Path(folder), packs=pathlib.Path(folder) / "packs")
        return other

    def sweep_seconds(self):
        """Simulates all recordings: maps each scenario to (seconds, seeks)."""
        traces = sorted(self.traces.glob("*.strace"))
        drive = self.json("simulate", self.packs, *traces, "--content", self.content)["drives"][0]
        return {of["name"]: (of["packs"]["seconds"], of["packs"]["seeks"]) for of in drive["scenarios"] if of["packs"]}
