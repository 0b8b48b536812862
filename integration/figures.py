"""The tables of docs/benchmarks.md. Each is a data file in docs/figures; this module reads, writes and renders them.

A measuring script calls `write_rows`; `script/docs` renders the files into the page. A file has the table's title, the
command that measures it, how its values were obtained, the date, their assumptions, its columns and its rows. A cell is
text, null, a number, or a list of numbers. Its column's `format` has one format for each number; null leaves its part
out.
"""
import datetime
import json
import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parent.parent
FOLDER = TOP / "docs/figures"
KNOWN = ("simulated", "emulated disk", "real drive", "virtual machine", "counted")
KEYS = ["title", "command", "known", "measured", "assumes", "columns", "rows"]
MARKED = re.compile(r"(<!-- figure: ([\w-]+) -->\n).*?(<!-- end of figure -->\n)", re.DOTALL)


def read(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


def write_rows(name, rows):
    """Replaces the rows of a table by newly measured ones. Title, columns and assumptions stay."""
    rows = json.loads(json.dumps(rows), parse_float=lambda number: round(float(number), 4))
    figure = {**read(name), "measured": datetime.date.today().isoformat(), "rows": rows}
    (FOLDER / f"{name}.json").write_text(text_of(figure))


def text_of(figure):
    """Returns the file's text, with one line for each column and row."""
    def block(lines):
        return "[\n    " + ",\n    ".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n  ]"

    parts = [f'  "{key}": ' + (block(figure[key]) if key in ("columns", "rows") else json.dumps(figure[key], ensure_ascii=False))
             for key in KEYS]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def fault_of(figure):
    """Returns the fault in a figure's data, or None."""
    if list(figure) != KEYS:
        return f"expected the keys {', '.join(KEYS)}, found {', '.join(figure)}"
    if figure["known"] not in KNOWN:
        return f"known: expected one of {', '.join(KNOWN)}, found {figure['known']}"
    if any(len(row) != len(figure["columns"]) for row in figure["rows"]):
        return f"expected {len(figure['columns'])} cells in each row"
    return None


def render_cell(column, cell):
    if cell is None or isinstance(cell, str):
        return cell or ""
    values = cell if isinstance(cell, list) else [cell]
    formats = column["format"] if isinstance(column["format"], list) else [column["format"]]
    return "".join(part.format(value) for part, value in zip(formats, values) if value is not None)


def head_of(column):
    unit = column.get("unit")
    return column["name"] if unit is None else column["name"] + (": " if "," in unit else ", ") + unit


def render(figure):
    """Returns the table as Markdown, below a line that says how its values were obtained."""
    columns = figure["columns"]
    heads = [head_of(column) for column in columns]
    table = [heads, ["---"] + ["---:"] * (len(columns) - 1)]
    table += [[render_cell(column, cell) for column, cell in zip(columns, row)] for row in figure["rows"]]
    lines = ["| " + " | ".join(row) + " |" for row in table]
    lines[1] = lines[1].replace(" ", "")
    return (f"**{figure['title']}**: {figure['known']}, `{figure['command']}`, {figure['measured']}. "
            f"Assumes: {figure['assumes']}.\n\n" + "\n".join(lines) + "\n")


def fill(page):
    """Returns the page's text with the table of each figure between its two markers."""
    return MARKED.sub(lambda match: match[1] + "\n" + render(read(match[2])) + "\n" + match[3], page)


def names_on(page):
    return [match[2] for match in MARKED.finditer(page)]
