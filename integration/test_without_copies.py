"""The worked example of docs/studies/duplication.md, on a small game: the cost of leaving copies out."""
import json
import subprocess
import sys

from tool import TOP

SCRIPT = TOP / "integration" / "measure_without_copies.py"


def test_without_copies_a_load_reads_the_same_bytes_with_more_seeks(tool, tmp_path):
    out = tmp_path / "out.json"
    done = subprocess.run([sys.executable, SCRIPT, "--missions", "4", "--parts", "60", "--work", tmp_path / "work",
                           "--binary", tool.binary, "--json", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    copies, once = json.loads(out.read_text())
    assert once["held_gb"] < copies["held_gb"] and once["files"] < copies["files"]
    assert once["read_gb"] == copies["read_gb"]
    assert copies["best_s"] <= copies["reading_s"] <= once["reading_s"]
    assert 44 < copies["besides_s"] < 46
    assert done.stdout.count("a wd-black-1tb") == 2
