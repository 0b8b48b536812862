"""The report's sections on the plan and on scenarios' reads, tested with a small game for values checked by hand and
bad input, with Warzone 2100, and with a browser for the page.

SEEKLESS_SCREENSHOTS  a folder for pictures of the page [none are kept]
"""
import json
import os
from pathlib import Path

import pytest

import skl_reader
from browser import CHROMIUM, Browser
from tool import DAMAGED, FAILED, check_schema
from warzone import recordings

GAME = Path("/usr/share/games/warzone2100")
ARCHIVES = [GAME / "base.wz", GAME / "mp.wz"]
TRACES = recordings()
CONTENT = ["--content", *ARCHIVES]
warzone = [
    pytest.mark.skipif(not all(path.exists() for path in ARCHIVES),
                       reason="the package warzone2100-data isn't installed"),
    pytest.mark.skipif(not TRACES, reason="integration/traces/warzone2100 holds no trace")]


def report(tool, packs, *arguments):
    answer = tool.ok("report", packs, *arguments, "--json", "-").json
    check_schema(answer, "results/report")
    return answer


class Packed:
    """Plans with copies even if they save little, and reports."""

    def __init__(self, tool, folder):
        self.layout = folder / "layout.json"
        tool.ok("plan", *TRACES, *CONTENT, "-o", self.layout, "--gain", "0.5")
        self.packs = folder / "packs"
        tool.ok("pack", self.layout, "-o", self.packs)
        self.page = folder / "report.html"
        self.how = [*TRACES, *CONTENT, "--layout", self.layout]
        self.text = tool.ok("report", self.packs, *self.how, "--verbose", "--html", self.page, "--json",
                            folder / "report.json").text
        self.report = json.loads((folder / "report.json").read_text())


@pytest.fixture(scope="module")
def packed(tool, tmp_path_factory):
    return Packed(tool, tmp_path_factory.mktemp("warzone"))


class TestWarzone:
    pytestmark = warzone

    def test_it_is_as_its_schema_says(self, packed):
        check_schema(packed.report, "results/report")

    def test_it_gives_the_planners_own_words_and_figures(self, packed):
        layout = json.loads(packed.layout.read_text())
        prediction, plan = layout["prediction"], packed.report["plan"]
        assert plan["drive"] == packed.report["drive"] == prediction["drive"]
        assert plan["reasons"] == prediction["reasons"]
        assert plan["chosen"]["copied_bytes"] == prediction["copied_bytes"] > 0
        assert plan["chosen"]["seconds"] == prediction["seconds"]
        assert [[p["size_ratio"], p["copied_bytes"], p["seconds"]] for p in plan["curve"]] == [
            [p["budget_ratio"], p["copied_bytes"], p["seconds"]] for p in prediction["curve"]]
        last = plan["curve"][-1]
        content_bytes = last["copied_bytes"] / (last["size_ratio"] - 1)
        assert plan["chosen"]["size_ratio"] == pytest.approx(
            1 + prediction["copied_bytes"] / content_bytes, rel=1e-5)
        predicted = {s["name"]: s["predicted"] for s in layout["scenarios"]}
        for scenario in packed.report["scenarios"]:
            of = predicted[scenario["name"]]
            assert scenario["predicted"] == {"sweep_seconds": of["sweep_s"], "held_out": of["held_out"],
                                             "demand_seconds": of["demand_s"]}

    def test_predicted_sweeps_are_near_simulated_ones(self, packed):
        for scenario in packed.report["scenarios"]:
            assert scenario["after"]["seconds"] == pytest.approx(
                scenario["predicted"]["sweep_seconds"], rel=0.25)

    def test_the_terminal_gets_the_reasons_and_a_line_on_copies(self, packed):
        assert "Planned for wd-black-1tb: 7 scenarios read " in packed.text
        assert "\n- Copies of " in packed.text
        assert max(map(len, packed.text.splitlines())) <= 80

    def test_without_a_layout_there_is_the_map_but_no_plan(self, tool, packed, tmp_path):
        answer = tool.ok("report", packed.packs, *TRACES, *CONTENT, "--html", tmp_path / "r.html")
        page = (tmp_path / "r.html").read_text()
        assert "Which scenario reads what, where" in page and "Why the packs" not in page
        assert "Planned for" not in answer.text

    def test_reads_are_those_of_an_independent_reader(self, tool, packed):
        check_reads(tool, packed.packs, packed.report["reads"])
        assert sum(pack["copied_bytes"] for reads in packed.report["reads"]
                   for pack in reads["packs"]) > packed.report["plan"]["chosen"]["copied_bytes"]

    def test_the_page_stays_small_and_whole(self, packed):
        page = packed.page.read_text()
        assert len(page) < 1_500_000
        assert page.count('<svg class="price"') == 1
        drawn = page[page.index('<div class="map">'):page.index("Why the packs are as they are")]
        assert drawn.count("<g><title>") == 8  # including the typical map
        assert drawn.count("<rect") + drawn.count('z"/>') + drawn.count("zM") <= 2000


def check_reads(tool, packs, reads):
    """For uncompressed packs, compares with an independent reader, and with the sums of `info`."""
    told = {s["name"]: s for s in tool.json("info", packs)["scenarios"]}
    expected = needed_and_copied(skl_reader.PackSet(packs))
    assert {of["scenario"] for of in reads} == set(told) == set(expected)
    for of in reads:
        assert sum(pack["read_bytes"] for pack in of["packs"]) == told[of["scenario"]]["read_bytes"]
        assert {pack["pack"]: (pack["needed_bytes"], pack["copied_bytes"])
                for pack in of["packs"]} == expected[of["scenario"]]


def needed_and_copied(packs):
    """Maps scenario and file to the needed bytes, and to those needed bytes that also lie in other files."""
    catalog, out = packs.catalog, {}
    copies = {(place.pack, place.asset) for asset in catalog.assets if asset.place_count > 1
              for place in catalog.places[asset.first_place:][:asset.place_count]}
    for scenario in catalog.scenarios:
        needed, copied = {}, {}  # indexed by place, because equal content shares one
        for pack, number in skl_reader.needs_of(catalog, scenario):
            asset = packs.packs[pack].assets[number]
            if asset.size_bytes == 0:
                continue
            place = (pack, asset.block, asset.offset_in_block)
            needed[place] = asset.size_bytes
            if (pack, number) in copies:
                copied[place] = asset.size_bytes
        out[scenario.name] = {
            catalog.packs[pack].name: tuple(sum(size for place, size in sizes.items() if place[0] == pack)
                                            for sizes in (needed, copied))
            for pack in sorted({place[0] for place in needed})}
    return out


class TestSmallGame:
    def how(self, made):
        return [*made.traces, "--content", made.game.folder]

    def test_reads_are_where_the_packs_have_them(self, tool, made):
        check_reads(tool, made.packs, report(tool, made.packs, *self.how(made))["reads"])
        reads = {r["scenario"]: r["packs"] for r in report(tool, made.packs, *self.how(made))["reads"]}
        sizes = {name: len(data) for name, data in made.game.one_name_space().items()}
        menu = sum(pack["needed_bytes"] for pack in reads["menu"])
        assert menu == sum(sizes[path] for path in made.game.MENU)
        assert all(pack["pack"] != "cold.skl" for packs in reads.values() for pack in packs)

    def test_compressed_packs_have_their_places_in_the_file(self, tool, made):
        answer = report(tool, made.lz4_packs, *self.how(made))
        sizes = {pack["name"]: pack["file_bytes"] for pack in answer["packs"]}
        for reads in answer["reads"]:
            for pack in reads["packs"]:
                assert 0 < pack["needed_bytes"] <= pack["read_bytes"] <= sizes[pack["pack"]]

    def test_a_layout_of_other_packs_is_refused(self, tool, made, tmp_path):
        tool.ok("plan", made.traces[-1], "--content", made.game.folder, "-o", tmp_path / "other.json")
        answer = tool.run("report", made.packs, *self.how(made), "--layout", tmp_path / "other.json")
        assert answer.says("other.json", "packs").code == DAMAGED

    def test_a_changed_layout_is_refused(self, tool, made, tmp_path):
        layout = json.loads(made.layout.read_text())
        layout["packs"][0]["assets"].pop()
        (tmp_path / "less.json").write_text(json.dumps(layout))
        answer = tool.run("report", made.packs, *self.how(made), "--layout", tmp_path / "less.json")
        assert answer.says("less.json", "pack 0", "pack this one").code == DAMAGED

    def test_a_layout_without_predictions_is_told_of(self, tool, made, tmp_path):
        layout = json.loads(made.layout.read_text())
        del layout["prediction"]
        for scenario in layout["scenarios"]:
            del scenario["predicted"]
        (tmp_path / "plain.json").write_text(json.dumps(layout))
        answer = report(tool, made.packs, *self.how(made), "--layout", tmp_path / "plain.json")
        assert "plan" not in answer and "no predictions" in answer["warnings"][0]

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"seekless": "layout", "version": 1}'])
    def test_what_is_no_layout_is_refused(self, tool, made, tmp_path, text):
        (tmp_path / "l.json").write_text(text)
        answer = tool.run("report", made.packs, *self.how(made), "--layout", tmp_path / "l.json")
        assert answer.says("l.json").code == DAMAGED

    def test_a_missing_layout_is_named(self, tool, made):
        answer = tool.run("report", made.packs, *self.how(made), "--layout", "/nowhere/l.json")
        assert answer.says("/nowhere/l.json").code == FAILED


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here")
class TestPage:
    pytestmark = warzone

    @pytest.fixture(scope="class")
    def browsers(self, tmp_path_factory):
        browsers = {width: Browser(tmp_path_factory.mktemp("browser"), width=width)
                    for width in (1200, 400)}
        yield browsers
        for browser in browsers.values():
            browser.close()

    @pytest.mark.parametrize("width", [1200, 400])
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_it_fits_and_asks_for_nothing_else(self, browsers, packed, width, scheme):
        browser = browsers[width]
        browser.prefer(scheme)
        browser.open(packed.page)
        browser.settle()
        assert browser.complaints() == []
        assert browser.requests() == [f"file://{packed.page}"]
        room = browser.run("document.documentElement.clientWidth")
        assert browser.run("document.documentElement.scrollWidth") <= room
        assert self.spilled(browser) == []
        folder = os.environ.get("SEEKLESS_SCREENSHOTS")
        if folder:
            browser.screenshot(Path(folder) / f"report-{width}-{scheme}.png")

    def spilled(self, browser):
        """Returns words that leave the pictures, or overlap other words."""
        return browser.run("""(() => {
            const wrong = [];
            for (const svg of document.querySelectorAll('svg.price')) {
              const box = svg.getBoundingClientRect();
              const texts = Array.from(svg.querySelectorAll('text'));
              const boxes = texts.map(text => text.getBoundingClientRect());
              boxes.forEach((one, i) => {
                if (one.left < box.left - 1 || one.right > box.right + 1 || one.bottom > box.bottom + 1)
                  wrong.push(texts[i].textContent);
                for (const other of boxes.slice(i + 1))
                  if (one.left < other.right && other.left < one.right && one.top + 3 < other.bottom &&
                      other.top + 3 < one.bottom) wrong.push('over ' + texts[i].textContent);
              });
            }
            const names = Array.from(document.querySelectorAll('.names span'),
                                     span => span.getBoundingClientRect());
            for (let i = 1; i < names.length; ++i)
              if (names[i].top + 4 < names[i - 1].bottom) wrong.push('name ' + i);
            return wrong; })()""")
