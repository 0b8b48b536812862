"""Measures the size of the reader in a game: the stripped shared library, and its exported symbols."""
import pathlib
import shutil
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]


def measure(work, library=TOP / "build/release/lib/libseekless.so"):
    """Returns the size of the stripped library and of its parts in memory, and its exported symbols."""
    stripped = shutil.copy(library, work / "libseekless.so")
    subprocess.run(["strip", stripped], check=True)
    size = subprocess.run(["size", stripped], check=True, stdout=subprocess.PIPE, text=True).stdout
    text, data, bss = map(int, size.splitlines()[1].split()[:3])
    named = subprocess.run(["nm", "-D", "--defined-only", stripped], check=True, stdout=subprocess.PIPE, text=True)
    symbols = sorted(line.split()[-1].split("@")[0] for line in named.stdout.splitlines())
    return {"stripped_bytes": pathlib.Path(stripped).stat().st_size, "text_bytes": text, "data_bytes": data,
            "bss_bytes": bss, "symbols": symbols}


def bench(work):
    work.mkdir()
    found = measure(work)
    others = [name for name in found["symbols"] if not name.startswith("skl_")]
    print(f"""
### The library

{found['stripped_bytes'] / 1024:.0f} KiB, shared and stripped, without LZ4 and xxHash, which it links ({found['text_bytes'] / 1024:.0f} KiB of code and
constants); {len(found['symbols'])} symbols, {len(others)} of them without `skl_`.""", flush=True)
    return found
