"""Every command that README.md and the walks in docs/ show is run, literally and in order, from the top of the clone."""
import pathlib
import re
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parent.parent
WARZONE = pathlib.Path("/usr/share/games/warzone2100/base.wz")
SELF = "script/test"  # runs this test


# The walks through the product that users copy, in the order in which they are read.
WALKS = ("README.md", "docs/studio.md", "docs/warm.md", "docs/engine.md")


def shell_blocks(page):
    return re.findall(r"^```sh\n(.*?)^```$", (TOP / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.alone  # it reconfigures the release build, which other tests install
@pytest.mark.skipif(not WARZONE.exists(), reason="needs the package warzone2100-data")
def test_every_command_of_the_readme_and_the_walks_works():
    blocks = [block for page in WALKS for block in shell_blocks(page)]
    assert any("script/demo" in block for block in shell_blocks("README.md"))
    assert sum(block.count("seekless ") for block in blocks) >= 24
    assert [page for page in WALKS if not shell_blocks(page)] == []
    script = "\n".join(block for block in blocks if block.strip() != SELF)
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=TOP, text=True,
                          capture_output=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    for made in ("demo/report.html", "demo/report.json", "demo/first/seekless.json", "demo/repacked/mp.wz", "demo/mp.html",
                 "demo/game/packs/catalog.skl", "demo/packs/catalog.skl", "demo/patched/catalog.skl",
                 "demo/prefix/include/seekless.h"):
        assert (TOP / made).stat().st_size > 0, made
    assert re.search(r"^all \d{4} files are the same$", done.stdout, re.MULTILINE)


def sections(page):
    """The text below each heading of a page."""
    parts = re.split(r"^##? (.*)\n", (TOP / page).read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def test_the_readme_is_read_in_thirty_seconds():
    readme = sections("README.md")
    assert len((TOP / "README.md").read_text().splitlines()) <= 110
    journeys = [name for name in readme if name.startswith("You ")]
    assert journeys == ["You play a game", "You ship a game", "You write an engine"]
    for name in journeys:
        assert len([line for line in readme[name].splitlines() if line.strip()]) <= 10, name


def test_the_readme_says_what_is_gained_in_three_rows_of_known_figures():
    rows = [line.strip("|").split("|") for line in sections("README.md")["What it gains"].splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 3
    figures = (TOP / "docs/benchmarks.md").read_text()
    for who, before, after, known in rows[2:]:
        for figure in re.findall(r"[\d.]+", before + after):
            assert re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d.])", figures), f"no table has {figure}, of {who}"
        assert "](" in known, f"no link says how the figures of {who} are known"


def test_the_picture_of_the_readme_is_there_and_small():
    images = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (TOP / "README.md").read_text())
    assert len(images) == 1
    assert 5_000 < (TOP / images[0]).stat().st_size <= 200_000


def test_the_readme_links_to_files_that_exist():
    text = (TOP / "README.md").read_text()
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    assert len(links) >= 8
    assert [link for link in links if not (TOP / link).exists()] == []


def test_the_contracts_name_every_dialect():
    known = re.findall(r'const Dialect k\w+ = \{\s*"([\w-]+)"',
                       "".join(path.read_text() for path in (TOP / "packer/trace").rglob("*.cpp")))
    told = (TOP / "schemas/README.md").read_text().split("## What traces may be written as")[1]
    assert len(known) >= 14
    assert [name for name in known if f"`{name}`" not in told] == []
