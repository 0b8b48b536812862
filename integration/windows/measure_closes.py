#!/usr/bin/env python3
"""Counts how many handles of written files `seekless pack` closes on Windows, and on which threads, in the log of
Wine's server (WINEDEBUG=+server), for a set of 200,000 assets. On NTFS each such close takes 1 to 5 ms.

Usage: integration/windows/measure_closes.py [ASSETS]    (needs build/windows and Wine; default: 200000)"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tool import TOP, windows_environment  # noqa: E402

TOOL = TOP / "build/windows/bin/seekless.exe"
GENERIC_WRITE, FILE_WRITE_DATA, FILE_APPEND_DATA = 0x40000000, 0x2, 0x4
REQUEST = re.compile(r"^([0-9a-f]+): (\w+)\((.*)\)$")
REPLY = re.compile(r"^([0-9a-f]+): (\w+)\(\) = (\w+)(?: \{(.*)\})?$")


def seekless(*arguments, debug="-all", log=None):
    env = {**os.environ, **windows_environment(), "WINEDEBUG": debug}
    subprocess.run(["wine", TOOL, *map(str, arguments)], check=True, env=env, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=log or subprocess.DEVNULL)


def content(folder, count):
    """Makes a zip of small entries, because one plain file with all bytes wouldn't be an archive."""
    import zipfile
    archive = folder / "content.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for i in range(count):
            file.writestr(f"{i % 500}/{i}.bin", i.to_bytes(8, "little") * (1 + i % 60))
    lines = [{"seekless": "trace", "version": 1, "scenario": "load"}, {"path": str(archive)},
             {"gap": 1000, "process": 1, "thread": 1, "at": 0, "read": archive.stat().st_size // 2}]
    trace = folder / "load.1.jsonl"
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return archive, trace


def count_closes(log):
    """Returns closes by thread of handles that were opened for writing, and the names of the files."""
    asked, handles, closes, names = {}, {}, collections.Counter(), collections.Counter()
    for line in log:
        if request := REQUEST.match(line):
            thread, call, text = request.groups()
            asked[thread] = (call, text)
            if call == "close_handle":
                handle = re.search(r"handle=([0-9a-f]+)", text)[1]
                if handle in handles:
                    name = handles.pop(handle)
                    closes[thread] += 1
                    names[f"thread {thread}: {name[-60:]}"] += 1
        elif reply := REPLY.match(line):
            thread, call, result, text = reply.groups()
            if call != "create_file" or result != "0" or asked.get(thread, ("",))[0] != call:
                continue
            access = int(re.search(r"access=([0-9a-f]+)", asked[thread][1])[1], 16)
            name = re.search(r'filename="([^"]*)"', asked[thread][1])
            handle = re.search(r"handle=([0-9a-f]+)", text)[1]
            is_ours = name is not None and "/packs" in name[1]  # the log also covers Wine's own processes
            if is_ours and access & (GENERIC_WRITE | FILE_WRITE_DATA | FILE_APPEND_DATA):
                handles[handle] = name[1]
            else:
                handles.pop(handle, None)
    return closes, names


def main(count):
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        archive, trace = content(folder, count)
        seekless("plan", trace, "--content", archive, "-o", folder / "layout.json")
        # The server writes the log, so the program that is logged must start it.
        subprocess.run(["wineserver", "--wait"], env={**os.environ, **windows_environment()})
        with open(folder / "log", "wb") as log:
            seekless("pack", folder / "layout.json", "-o", folder / "packs", debug="+server", log=log)
        packs = sum(1 for _ in (folder / "packs").glob("*.skl"))
        with open(folder / "log", encoding="utf-8", errors="replace") as log:
            closes, names = count_closes(line.rstrip() for line in log)
    total = sum(closes.values())
    print(f"{count} assets, {packs} packs and catalogs: {total} closes of files that were written")
    for name, number in names.most_common(20):
        print(f"  {number} on {name}")
    return 0 if 0 < total <= packs + 10 else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000))
