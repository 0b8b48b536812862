"""Runs the examples of docs/python.md and the notebook as they are, in a project's folder."""
import json
import re

import pytest
from conftest import TOP


def blocks_of(page):
    return re.findall(r"^```python\n(.*?)^```", (TOP / "docs" / page).read_text(), re.MULTILINE | re.DOTALL)


def cells_of_notebook():
    cells = json.loads((TOP / "docs/python.ipynb").read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("pieces", [blocks_of("python.md"), blocks_of("fleet.md"), cells_of_notebook()],
                         ids=["python.md", "fleet.md", "notebook"])
def test_examples_run(project, tmp_path, monkeypatch, pieces):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    for name in ("game", "traces", "packs", "layout.json", "profile.json"):
        (tmp_path / name).symlink_to(project.folder / name)
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "example"}
    assert pieces
    for number, piece in enumerate(pieces):
        exec(compile(piece, f"<example {number}>", "exec"), names)


def test_the_notebook_keeps_no_output():
    cells = json.loads((TOP / "docs/python.ipynb").read_text())["cells"]
    assert all(not cell.get("outputs") for cell in cells)


def test_every_public_name_is_documented():
    import seekless
    for name in seekless.__all__:
        assert name == "__version__" or getattr(seekless, name).__doc__, name
