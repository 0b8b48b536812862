"""Pack sets of made-up content, for measuring."""
import json
import pathlib
import random
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
BIN = TOP / "build/release/bin"
SEEKLESS = BIN / "seekless"
MIB = 1 << 20


def run(*command, **how):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE,
                          **how).stdout


def write_files(folder, sizes, seed=1):
    """Makes files of noise with these sizes; returns their names."""
    noise = random.Random(seed)
    pool = noise.randbytes(4 * MIB)
    names = []
    for number, size in enumerate(sizes):
        name = f"group-{number // 100:03}/asset-{number:05}.dat"
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        start = noise.randrange(len(pool))
        content = pool[start:start + size]
        if len(content) < size:
            content += pool * (size // len(pool) + 1)
        path.write_bytes((number.to_bytes(8, "little") + content)[:size])
        names.append(name)
    return names


def sizes_of_a_game(total_bytes):
    """Returns sizes with half of the bytes in a tenth of the files."""
    sizes, left = [], total_bytes
    while left > 0:
        number = len(sizes)
        sizes.append(2_200_000 if number % 10 == 0 else 120_000 + (number * 7919) % 240_000)
        left -= sizes[-1]
    return sizes


def write_trace(path, scenario, folder, names):
    lines = [{"seekless": "trace", "version": 1, "scenario": scenario}]
    for number, name in enumerate(names):
        size = (folder / name).stat().st_size
        lines += [{"path": str(folder / name)}, {"gap": 1, "file": number, "at": 0, "read": size}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def pack(folder, names, packs, work, codec="raw"):
    """The scenario `map` reads `names`; the other files are in the pack `cold`."""
    trace = write_trace(work / "map.jsonl", "map", folder, names)
    layout = work / "layout.json"
    run(SEEKLESS, "plan", trace, "--content", folder, "-o", layout, stderr=subprocess.DEVNULL)
    run(SEEKLESS, "pack", layout, "-o", packs, "--codec", codec, stderr=subprocess.DEVNULL)
    return packs
