"""What `script/bench runtime` runs: the reader beside its peers. Prints tables, and writes them as JSON."""
import json
import pathlib

import random_open

TOP = pathlib.Path(__file__).resolve().parents[2]


def bench(work, rounds, json_file=TOP / "build/bench/runtime.json"):
    found = {"random_open": random_open.bench(work / "random_open", rounds)}
    json_file.parent.mkdir(parents=True, exist_ok=True)
    json_file.write_text(json.dumps(found, indent=1))
