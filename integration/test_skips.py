"""A skip without an allowed reason fails in CI, and only there."""
import os
import subprocess
import sys

import pytest

import skips
from tool import TOP

TESTS = '''
import pytest

def test_passes(): pass

@pytest.mark.xfail(reason="isn't so yet")
def test_expected(): assert False

def test_long(): pytest.skip("minutes: SEEKLESS_LONG=1")

@pytest.mark.skipif(True, reason="the frobnicator isn't installed")
def test_wrong(): pass
'''
RESULTS = '''<testsuites><testsuite><testcase name="runs" classname="A" status="run" result="completed"/>
<testcase name="long" classname="A" status="run" result="skipped"><skipped message="a.cpp:1&#x0A;set SEEKLESS_LONG=1"/></testcase>
{}</testsuite></testsuites>'''


def run_tests(folder, strict, text=TESTS):
    (folder / "test_it.py").write_text(text)
    environment = {name: value for name, value in os.environ.items() if name != "SEEKLESS_STRICT"}
    return subprocess.run([sys.executable, "-m", "pytest", "-p", "skips", "-p", "no:cacheprovider", "-q", folder],
                          env={**environment, **strict, "PYTHONPATH": TOP / "integration"}, capture_output=True, text=True)


def test_a_developer_may_skip(tmp_path):
    done = run_tests(tmp_path, {})
    assert done.returncode == 0 and "1 passed, 2 skipped, 1 xfailed" in done.stdout, done.stdout


def test_in_ci_a_skip_without_an_allowed_reason_fails(tmp_path):
    done = run_tests(tmp_path, {"SEEKLESS_STRICT": "1"})
    assert done.returncode == 1 and "1 passed, 1 skipped, 1 xfailed, 1 error" in done.stdout, done.stdout
    assert "the frobnicator isn't installed" in done.stdout


def test_in_ci_a_skipped_file_fails(tmp_path):
    done = run_tests(tmp_path, {"SEEKLESS_STRICT": "1"}, 'import pytest\npytest.importorskip("frobnicator")\n')
    assert done.returncode not in (0, 5) and "could not import 'frobnicator'" in done.stdout, done.stdout


@pytest.mark.parametrize("case, wrong", [
    ("", []),
    ('<testcase name="b" classname="B" status="notrun" result="suppressed"/>', [("B.b", "disabled")]),
    ('<testcase name="c" classname="C" status="run" result="skipped"><skipped message="no disk"/></testcase>', [("C.c", "no disk")])])
def test_of_unit_tests_the_same_is_said(tmp_path, case, wrong):
    (tmp_path / "results.xml").write_text(RESULTS.format(case))
    assert skips.judge([tmp_path / "results.xml"]) == wrong


def test_ci_runs_so():
    assert "export SEEKLESS_STRICT=1" in (TOP / ".ci" / "run").read_text()


@pytest.mark.parametrize("strict, warnings_are_errors", [({}, ""), ({"SEEKLESS_STRICT": "1"}, "1")])
def test_only_ci_makes_errors_of_warnings(strict, warnings_are_errors):
    """A compiler that is newer than the project gives more warnings."""
    environment = {name: value for name, value in os.environ.items() if name != "SEEKLESS_STRICT"}
    told = subprocess.run(["cmake", "-N", "--preset", "release"], cwd=TOP, env={**environment, **strict},
                          capture_output=True, text=True, check=True).stdout
    assert f'SEEKLESS_WERROR="{warnings_are_errors}"' in told
