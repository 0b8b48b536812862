"""Records a game's reads until some seconds after its map is loaded."""
import contextlib
import os
import pathlib
import signal
import sys
import time

PLAYED_S = 5  # the reads of the first frames are part of a load


def children_of(process):
    return [int(child) for child in
            pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


def all_below(pid):
    """Returns the process's children, their children, and so on."""
    found = []
    with contextlib.suppress(OSError):
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                found += [child, *all_below(child)]
    return found


def name_of(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def end_recorded(recorder):
    for child in children_of(recorder):
        os.kill(child, signal.SIGKILL)
    recorder.wait(timeout=60)  # it writes the remaining data and ends by itself


def record_load(seekless, running, scenario, base, only, longest_s):
    """`running`: starts the game on its way to the scenario. Writes base.jsonl.lz4, base.log and base.xwd."""
    command = [seekless, "record", "-o", f"{base}.jsonl.lz4", "--scenario", scenario, "--only", only, "--"]
    end = time.monotonic() + longest_s
    with running(scenario, before=command) as game:
        while not game.loaded_map() and game.process.poll() is None and time.monotonic() < end:
            time.sleep(0.2)
        time.sleep(PLAYED_S)
        pathlib.Path(base + ".log").write_text(game.log())
        if not game.loaded_map() or game.process.poll() is not None:
            sys.exit(f"record: no map was loaded, see {base}.log")
        game.save_picture(base + ".xwd")
        end_recorded(game.process)
    print(f"{base}.jsonl.lz4", flush=True)
