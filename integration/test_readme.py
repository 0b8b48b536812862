"""Every command that README.md shows is run, literally and in order, from the top of the clone."""
import pathlib
import re
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parent.parent
WARZONE = pathlib.Path("/usr/share/games/warzone2100/base.wz")
SELF = "script/test"  # runs this test


def shell_blocks():
    return re.findall(r"^```sh\n(.*?)^```$", (TOP / "README.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(not WARZONE.exists(), reason="needs the package warzone2100-data")
def test_every_command_of_the_readme_works():
    blocks = shell_blocks()
    assert any("script/demo" in block for block in blocks)
    assert sum(block.count("seekless ") for block in blocks) >= 9
    script = "\n".join(block for block in blocks if block.strip() != SELF)
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=TOP, text=True,
                          capture_output=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    for made in ("demo/report.html", "demo/report.json", "demo/mp.html", "demo/packs/catalog.skl",
                 "demo/prefix/include/seekless.h"):
        assert (TOP / made).stat().st_size > 0, made
    assert "all 4266 files are the same" in done.stdout


def test_the_readme_links_to_files_that_exist():
    text = (TOP / "README.md").read_text()
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    assert len(links) >= 8
    assert [link for link in links if not (TOP / link).exists()] == []


def test_the_contracts_name_every_dialect():
    known = re.findall(r'^\s+Dialect\{"([\w-]+)"', (TOP / "packer/trace/dialect.cpp").read_text(), re.MULTILINE)
    told = (TOP / "schemas/README.md").read_text().split("## What traces may be written as")[1]
    assert len(known) >= 14
    assert [name for name in known if f"`{name}`" not in told] == []
