"""The benchmarks of `script/bench runtime`: the reader compared with its peers, on the emulated disk, and by itself.
Prints tables, and writes all figures as JSON."""
import json
import pathlib

import disk_loads
import library_size
import random_open

TOP = pathlib.Path(__file__).resolve().parents[2]


def bench(work, rounds, json_file=TOP / "build/bench/runtime.json"):
    found = {}
    for name, part in (("random_open", lambda place: random_open.bench(place, rounds)),
                       ("sweep", disk_loads.bench_sweep), ("urgent", disk_loads.bench_urgent), ("demand", disk_loads.bench_demand),
                       ("damage", disk_loads.bench_damage), ("library", library_size.bench)):
        found[name] = part(work / name)
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(json.dumps(found, indent=1))
