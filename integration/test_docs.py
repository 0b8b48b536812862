"""The pages of docs/ and schemas/: the site is built and checked, and every command on a page has the options that the
page uses. The site's tests are skipped where MkDocs is missing."""
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import figures
from browser import CHROMIUM, Browser
from tool import TOP, check_schema


def missing_programs():
    missing = [name for name in ("mkdocs", "doxygen") if shutil.which(name) is None]
    if "mkdocs" not in missing:
        from mkdocs.utils import get_theme_names
        missing += [theme for theme in ("material",) if theme not in get_theme_names()]
    return missing


MISSING = missing_programs()
needs_mkdocs = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING}; script/bootstrap docs installs it")
WARZONE = Path("/usr/share/games/warzone2100/base.wz")
PAGES = sorted([TOP / "README.md", *TOP.glob("docs/*.md"), *TOP.glob("docs/studies/*.md"), *TOP.glob("schemas/*.md"),
                *TOP.glob("integration/traces/*/README.md")])


def copy_of_the_docs(folder):
    """Copies the site's sources, so that a test can spoil them."""
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP, capture_output=True,
                             text=True, check=True).stdout.split()
    for name in tracked:
        if (TOP / name).is_file() and not name.endswith((".lz4", ".cpp.in")) and not name.startswith("tests/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, folder / name)
    return folder


def build_site(folder):
    return subprocess.run([folder / "script/docs"], cwd=folder, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    return copy_of_the_docs(tmp_path_factory.mktemp("clone"))


@pytest.fixture(scope="module")
def site(clone):
    done = build_site(clone)
    assert done.returncode == 0, done.stderr
    return clone / "build/docs/html"


# --- the site ------------------------------------------------------------------------------------------------

@needs_mkdocs
def test_the_site_has_every_page_and_the_c_reference(site):
    for page in TOP.glob("docs/*.md"):
        assert (site / f"{page.stem}.html").is_file(), page
    assert "skl_sweep_open" in (site / "reference/html/seekless_8h.html").read_text()
    assert 'href="reference/html/index.html"' in (site / "index.html").read_text()


SPOILED = {  # page, text added to it, all messages of script/docs
    "a link to a page that isn't there": ("docs/plan.md", "\n[more](nowhere.md)\n", ["docs/plan.md: links to nowhere.md"]),
    "a link whose text is code": ("docs/plan.md", "\n[`more`](nowhere.md)\n", ["docs/plan.md: links to nowhere.md"]),
    "a picture that isn't there": ("docs/plan.md", "\n![x](none.png)\n", ["docs/plan.md: links to none.png"]),
    "a page that no page links to": ("docs/new.md", "# New\n", ["docs/new.md: no page links to it"]),
    "a page that links to itself alone": ("docs/new.md", "# New\n[me](new.md)\n", ["docs/new.md: no page links to it"]),
    "a missing heading, and other hosts": (
        "docs/plan.md", '\n[more](build.md#nothing)\n\n![x](https://example.com/x.png)\n'
                        '\n<script src="https://example.com/x.js"></script>\n',
        ["plan.html: links to build.html#nothing", "plan.html: fetches https://example.com/x.js from another host",
         "plan.html: fetches https://example.com/x.png from another host"]),
}


@needs_mkdocs
@pytest.mark.parametrize("kind", SPOILED)
def test_the_site_is_refused(clone, site, kind):
    name, added, says = SPOILED[kind]
    page = clone / name
    before = page.read_text() if page.exists() else None
    page.write_text((before or "") + added)
    try:
        done = build_site(clone)
    finally:
        page.unlink() if before is None else page.write_text(before)
    assert done.returncode == 1
    assert [what for what in says if what not in done.stderr] == [], done.stderr


@needs_mkdocs
def test_a_page_outside_of_the_menu_is_refused(clone, site):
    settings = clone / "mkdocs.yml"
    before = settings.read_text()
    settings.write_text(before.replace("      - Small patches: patches.md\n", ""))
    try:
        done = build_site(clone)
    finally:
        settings.write_text(before)
    assert done.returncode == 1 and "docs/patches.md: the menu (nav in mkdocs.yml) lacks it" in done.stderr, done.stderr


@needs_mkdocs
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium isn't installed")
@pytest.mark.parametrize("width", [1280, 400])
def test_a_browser_asks_no_other_host_and_finds_nothing_wrong(site, tmp_path, width):
    browser = Browser(tmp_path, width, 900)
    try:
        for page in ("index.html", "studio.html", "benchmarks.html", "schemas/pack.html", "reference/html/index.html"):
            browser.open(site / page)
            browser.settle()
            assert [url[:80] for url in browser.requests() if not url.startswith(("file:", "data:"))] == []
            assert browser.complaints() == []
            if not page.startswith("reference/"):
                assert browser.run("document.documentElement.scrollWidth") <= width, f"{page} is wider than {width}"
    finally:
        browser.close()


# --- the images ----------------------------------------------------------------------------------------------

@pytest.mark.skipif(not WARZONE.exists(), reason="needs the package warzone2100-data")
def test_the_drawings_are_what_the_tool_says_today(tool, tmp_path):
    subprocess.run([TOP / "docs/reference/screenshots", "--drawings", tmp_path], check=True, capture_output=True)
    made = sorted(tmp_path.iterdir())
    assert [path.name for path in made] == ["before-after.svg", "terminal.svg"]
    for path in made:
        assert path.read_text() == (TOP / "docs" / path.name).read_text(), \
            f"docs/{path.name} is stale; script/docs --screenshots makes it again"


@pytest.mark.parametrize("page", ["play.md", "windows-players.md"])
def test_from_a_slow_game_to_a_measured_gain_takes_at_most_300_words(page):
    section = re.search(r"^## From a slow game to a measured gain\n(.*?)^## ", (TOP / "docs" / page).read_text(), re.M | re.S)[1]
    assert len(section.split()) <= 300


def test_images_are_small_and_shown():
    text = "".join(page.read_text() for page in PAGES)
    images = [*TOP.glob("docs/*.svg"), *TOP.glob("docs/*.png")]
    assert len(images) >= 4
    for image in images:
        assert image.stat().st_size <= 200_000, image
        assert f"{image.name})" in text, f"no page shows {image}"


# --- the figures ---------------------------------------------------------------------------------------------

def test_the_page_of_figures_is_rendered_from_the_data_and_has_few_words_by_hand(tmp_path):
    page = (TOP / "docs/benchmarks.md").read_text()
    assert page == figures.fill(page), "script/docs --figures renders it anew"
    by_hand = figures.MARKED.sub("", page)
    assert len(by_hand.split()) <= 2500
    assert page.count("\n| ") - by_hand.count("\n| ") >= 200


def test_a_page_that_differs_from_the_data_is_refused(tmp_path):
    clone = copy_of_the_docs(tmp_path)
    page = clone / "docs/benchmarks.md"

    def says(*arguments):
        done = subprocess.run([clone / "script/docs", *arguments], capture_output=True, text=True)
        return done.returncode, done.stderr

    assert says("--check") == (0, "")
    page.write_text(page.read_text().replace("| 2.88", "| 1.88"))
    assert says("--check") == (1, "script/docs: docs/benchmarks.md isn't what docs/figures render to; call script/docs --figures\n")
    assert says("--figures") == (0, "") and says("--check") == (0, "")
    (clone / "docs/figures/more.json").write_text("{}")
    assert "must show each file of docs/figures once: ['more']" in says("--check")[1]


def test_measured_rows_replace_those_of_a_table(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "FOLDER", tmp_path)
    shutil.copy(TOP / "docs/figures/emit-server.json", tmp_path)
    figures.write_rows("emit-server", [["a program", [1.23456, 1000, 2], None, [2, 3, 4]]])
    assert figures.fault_of(figures.read("emit-server")) is None
    assert "\n| a program | 1.23 (1,000, 2.0) |  | 2.00 (3, 4.0) |\n" in figures.render(figures.read("emit-server"))


# --- the commands --------------------------------------------------------------------------------------------

def commands_of(text):
    """Yields every command line of `seekless` on a page: in blocks of code, and in lines of text."""
    blocks = re.findall(r"^ *```(?:sh|console)?\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    blocks += re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)
    rest = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    lines += [" ".join(code.split()) for code in re.findall(r"(?<!`)`((?:sudo )?seekless\s[^`]+)`", rest)]
    return [match[1] for line in lines if (match := re.match(r"\s*(?:\$ |sudo |LD_\S+ )?(seekless [a-z].*)", line))]


@pytest.fixture(scope="module")
def options(tool):
    """Maps each command to its options, from its own help."""
    names = re.findall(r"^  ([a-z]+)  ", tool.ok("--help").text, re.MULTILINE)
    names += [f"drive {name}" for name in
              re.findall(r"^  ([a-z]+)  ", tool.ok("drive", "--help").text.split("Subcommands:")[1], re.MULTILINE)]
    assert len(names) >= 25
    known = {name: set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", tool.ok(*name.split(), "--help").text)) for name in names}
    return {**known, **options_of_fleet()}


def options_of_fleet():
    """Returns the options of commands that only the Python package has, from their parser."""
    text = (TOP / "python/seekless/fleet/cli.py").read_text()
    engine = text[text.index("def _add_engine"):text.index("def _parser")]
    parts = re.split(r'add_parser\("([a-z]+)"', text)[1:]
    known = {f"fleet {name}": part + (engine if "_add_engine(command)" in part else "")
             for name, part in zip(parts[::2], parts[1::2])}
    return {"fleet": set(), **{name: set(re.findall(r'"(--?[a-z][a-z-]*)"', part)) for name, part in known.items()}}


def options_used(words):
    """Returns the options of a command line; words after `--` belong to another program."""
    own = words[:words.index("--")] if "--" in words else words
    return [word.split("=")[0] for word in own if re.match(r"--?[a-z]", word)]


def faults_of(line, options):
    words = shlex.split(line, comments=True)[1:]
    name = " ".join(words[:2]) if words[0] in ("drive", "fleet") and len(words) > 1 else words[0]
    if name not in options:
        return [f"no command {name}"]
    return [f"{name} has no {option}" for option in options_used(words) if option not in options[name]]


def test_every_command_on_every_page_has_the_options_that_it_names(options):
    wrong, seen = [], 0
    for page in PAGES:
        for line in commands_of(page.read_text()):
            seen += 1
            wrong += [f"{page.relative_to(TOP)}: `{line}`: {fault}" for fault in faults_of(line, options)]
    assert wrong == []
    assert seen >= 80


def test_a_command_that_is_gone_would_be_found(options):
    page = "Text `seekless\nplan x --bugdet 1.2`.\n\n```sh\nseekless packk a \\\n  -o b\nseekless record -o a -- game --fast\n```\n"
    assert [faults_of(line, options) for line in commands_of(page)] == [
        ["no command packk"], [], ["plan has no --bugdet"]]


def test_every_option_in_the_text_is_one_of_some_command(options):
    """Checks words such as `--budget` without a command before them. `others` are options of scripts, of strace, and of
    the tool for Windows."""
    known = set().union(*options.values())
    others = {"--at", "--release", "--short", "--scale", "--drawings", "--screenshots", "--long", "--opens", "--seccomp-bpf",
              "--pid", "--variant", "--jobs", "--command", "--as", "--figures", "--check", "--write-figures"}
    for page in (page for page in PAGES if "traces" not in page.parts):
        text = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for code in re.findall(r"(?<!`)`(--[a-z-]+)[^`]*`", text):
            assert code in known | others, f"{page.relative_to(TOP)}: no command has {code}"


def test_every_build_file_on_a_page_is_one():
    seen = 0
    for page in PAGES:
        for block in re.findall(r"^```json\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            check_schema(json.loads(re.sub(r"^ *//.*$", "", block, flags=re.MULTILINE)), "build")
            seen += 1
    assert seen >= 2


def test_the_schema_of_build_files_has_the_planners_settings_as_the_tool_tells_them(tool):
    """script/docs --settings writes them."""
    schema = json.loads((TOP / "schemas/build.schema.json").read_text())["properties"]
    settings = json.loads(tool.ok("settings").out)
    assert len(settings) > 5
    for key, setting in settings.items():
        assert schema[key] == setting, key
