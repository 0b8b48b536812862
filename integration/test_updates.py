"""The cost of updates for players, end to end: the record of releases, its page, and the check for CI."""
import pytest

from project import Project, edit, settle
from tool import FAILED, USAGE, check_schema


@pytest.fixture(scope="module")
def project(tool, tmp_path_factory):
    """Makes three releases, the last with prices for a report."""
    made = Project(tool, tmp_path_factory.mktemp("updates") / "game")
    made.configure(generations={"max_dead": 0.2})
    settle()
    made.build()
    for number, options in ((10, []), (11, []), (70, ["--explain"])):
        edit(made.asset(number), bytes(number for _ in range(30_000)))
        settle()
        made.last = made.build(*options)
    return made


def test_the_page_tells_of_each_release(tool, project, tmp_path):
    page = tmp_path / "updates.html"
    answer = tool.ok("report", "--updates", project.folder, "--html", page, "--json", "-").json
    check_schema(answer, "results/updates")
    assert [release["edited_bytes"] for release in answer["releases"]] == [30_000] * 3
    name = project.asset(11).relative_to(project.content).as_posix()
    assert name in {asset["path"] for asset in answer["releases"][1]["assets"]}
    assert name in page.read_text() and "<svg" in page.read_text()
    text = tool.ok("report", "--updates", project.folder, "--verbose").text
    assert "In 3 releases" in " ".join(text.split()) and "rewrite_price" in text


def test_the_page_tells_how_well_edits_are_foreseen(tool, project):
    foreseen = [release["foreseen"] for release in tool.ok("report", "--updates", project.folder, "--json", "-").json["releases"]]
    assert foreseen[0] is None  # nothing was known before the first release
    assert 90 <= foreseen[1]["assets"] < foreseen[2]["assets"]
    # One asset of some hundred is edited each time; predicting exactly that rate each time gives this log loss.
    assert 0.04 < foreseen[2]["log_loss"] < 0.08 and 0.04 < foreseen[2]["constant_log_loss"] < 0.08
    text = " ".join(tool.ok("report", "--updates", project.folder, "--verbose").text.split())
    assert f"a log loss of {foreseen[2]['log_loss']:.3f} an asset" in text


def test_a_build_with_explain_tells_of_other_prices(project):
    prices = project.last["patch"]["prices"]
    assert [price["chosen"] for price in prices] == [True, False, False, False, False]
    assert prices[0]["written_bytes"] == project.last["patch"]["clients"]["grid"]["written_bytes"]


def test_without_a_change_there_is_no_release(tool, project):
    project.build("--paranoid")
    assert len(tool.ok("report", "--updates", project.folder, "--json", "-").json["releases"]) == 3


def test_a_record_that_is_none_is_refused(tool, project, tmp_path):
    copy = project.copy(tmp_path / "copy")
    tool.run("report", "--updates", copy.folder).says("releases.json", "a record of releases")
    (copy.folder / ".seekless").mkdir()
    for text in ("", "[]", "{\"releases\": [{}]}", "{\"releases\": []}", "x" * 100):
        (copy.folder / ".seekless/releases.json").write_text(text)
        tool.run("report", "--updates", copy.folder).says("releases.json", "remove it")
    copy.build()  # a file that isn't a record is replaced


def test_a_report_without_a_set_says_what_it_needs(tool):
    answer = tool.run("report")
    assert answer.code == USAGE
    answer.says("PACKSET", "--updates")


def test_ci_fails_when_the_update_is_too_large(tool, project):
    edit(project.asset(12), b"other" * 100_000)
    settle()
    before = {path.name: path.read_bytes() for path in project.packs.iterdir()}
    name = project.asset(12).relative_to(project.content).as_posix()
    answer = tool.run("build", project.folder, "--check-update", "0.0001")
    assert answer.code == FAILED
    answer.says("0.0001 GB at most", name)
    assert "of 1 GB that it may" in tool.ok("build", project.folder, "--check-update", "1").text
    assert {path.name: path.read_bytes() for path in project.packs.iterdir()} == before
    project.build()


def test_a_check_of_updates_needs_a_lock(tool, tmp_path):
    made = Project(tool, tmp_path / "game")
    made.configure(lock=None)
    answer = tool.run("build", made.folder, "--check-update", "1")
    assert answer.code == USAGE
    answer.says("a lock of the last release")
