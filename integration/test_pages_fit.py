"""Every page that the tool writes fits any window in any font: nothing is wider than the window, no word leaves its
picture or its box, and no words overlap. It is tested in a real browser, with fonts set by a fontconfig file.

SEEKLESS_SCREENSHOTS  a folder for pictures of the pages [none are kept]
"""
import os
from pathlib import Path

import pytest

import test_report
from browser import CHROMIUM, Browser
from project import Project, edit, settle

pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here"), *test_report.warzone]

WIDTHS = [320, 360, 400, 480, 600, 720, 721, 800, 900, 1024, 1280, 1600]
# For each name: the family, whether all text is bold, which is the widest case, and the width of PROBE.
FONTS = {"dejavu": ("DejaVu Sans", False, 969), "liberation": ("Liberation Sans", False, 867),
         "noto": ("Noto Sans", False, 864), "monospace": ("DejaVu Sans Mono", False, 960), "wide": ("DejaVu Sans", True, 1070)}
FONT_SETTINGS = """<?xml version="1.0"?>
<fontconfig>
<dir>/usr/share/fonts</dir>
<cachedir>{cache}</cachedir>
<match target="pattern"><edit name="family" mode="assign" binding="strong"><string>{family}</string></edit>{weight}</match>
</fontconfig>
"""
BOLD = '<edit name="weight" mode="assign" binding="strong"><const>bold</const></edit>'
PROBE = """(() => { const pen = document.createElement('canvas').getContext('2d');
    pen.font = '100px system-ui, sans-serif'; return pen.measureText('Seeks 0123456789').width; })()"""

# Describes everything that doesn't fit.
MISFITS = """(() => {
  const wrong = [];
  const say = (what, element) => wrong.push(what + ': ' + element.textContent.trim().slice(0, 80));
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) wrong.push(`the page is ${page.scrollWidth} wide`);
  for (const element of document.querySelectorAll('main *')) {
    if (element.closest('svg, .read') || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const mayScroll = style.overflowX !== 'visible' || style.display === 'inline';
    if (!mayScroll && element.scrollWidth > element.clientWidth + 1) say('leaves its ' + element.tagName, element);
  }
  // Two words may come as near as the room that fonts leave above and below their letters.
  const near = 0.25;
  const lies = (one, other) => one.left < other.right - 1 && other.left < one.right - 1 &&
    one.top + near * one.height < other.bottom - near * other.height &&
    other.top + near * other.height < one.bottom - near * one.height;
  const check = (elements, box) => {
    const boxes = elements.map((element) => element.getBoundingClientRect());
    boxes.forEach((one, i) => {
      if (box && (one.left < box.left - 1 || one.right > box.right + 1 ||
          one.top + near * one.height < box.top - 1 || one.bottom - near * one.height > box.bottom + 1))
        say('leaves its picture', elements[i]);
      for (let k = i + 1; k < boxes.length; ++k)
        if (lies(one, boxes[k])) say(`lies on "${elements[i].textContent}"`, elements[k]);
    });
  };
  for (const svg of document.querySelectorAll('svg'))
    if (svg.checkVisibility()) check([...svg.querySelectorAll('text')].filter((text) => text.getBoundingClientRect().width > 0),
                                     svg.getBoundingClientRect());
  for (const group of document.querySelectorAll('.names, .packs')) check([...group.querySelectorAll('span')], null);
  return wrong; })()"""


def built_and_released(tool, folder):
    """Makes the pages of a build, and of the release before it."""
    project = Project(tool, folder / "game")
    project.configure(generations={"max_dead": 0.2}, report={"html": "build.html"})
    settle()
    project.build()
    edit(project.asset(10), bytes(30_000))
    settle()
    project.build("--explain")
    tool.ok("report", "--updates", project.folder, "--html", folder / "updates.html")
    return {"build": project.folder / "build.html", "updates": folder / "updates.html"}


@pytest.fixture(scope="module")
def pages(tool, made, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    small, analysis, where = (folder / f"{name}.html" for name in ("small", "analysis", "where"))
    tool.ok("report", made.packs, *made.traces, "--content", made.game.folder, "--layout", made.layout, "--html", small)
    tool.ok("analyze", *made.traces[:2], "--content", made.game.folder, "--html", analysis)
    tool.ok("where", made.game.folder, "--html", where)
    return {"report": test_report.Packed(tool, folder).page, "small": small, "analysis": analysis, "where": where,
            **built_and_released(tool, folder)}


@pytest.fixture(scope="module", params=FONTS)
def browser(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    family, is_bold, _ = FONTS[request.param]
    settings = folder / "fonts.conf"
    settings.write_text(FONT_SETTINGS.format(cache=folder / "cache", family=family, weight=BOLD if is_bold else ""))
    browser = Browser(folder / "profile", environment={"FONTCONFIG_FILE": str(settings)})
    browser.font = request.param
    yield browser
    browser.close()


def test_the_font_is_the_one_that_is_told(browser):
    """Checks that the browser really uses the configured font."""
    assert browser.run(PROBE) == pytest.approx(FONTS[browser.font][2], rel=0.03)


@pytest.mark.parametrize("name", ["report", "small", "analysis", "where", "build", "updates"])
def test_a_page_fits(browser, pages, name):
    browser.open(pages[name])
    browser.settle()
    misfits = {}
    for width in WIDTHS:
        browser.resize(width)
        if found := browser.run(MISFITS):
            misfits[width] = found
        if folder := os.environ.get("SEEKLESS_SCREENSHOTS"):
            browser.screenshot(Path(folder) / f"{name}-{browser.font}-{width}.png")
    assert misfits == {}
