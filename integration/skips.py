"""Lists the skips that are allowed on CI's machine. A test that is skipped there for any other reason would run
nowhere, and nobody would notice. With SEEKLESS_STRICT set, as .ci/run does, such a skip fails. This plugin checks
pytest's skips; as a program it checks the unit tests' skips.

Usage: skips.py RESULTS.xml...   prints the number of tests in GoogleTest's results (--gtest_output), and judges the
                                 skipped ones; exits with 1 if a skip is wrong and SEEKLESS_STRICT is set
"""
import os
import re
import sys
import xml.etree.ElementTree

import pytest

# Patterns of reasons, each with why CI can't do without the skip.
ALLOWED = [
    r"SEEKLESS_LONG=1",  # takes minutes
    r"SEEKLESS_SAMPLES|no samples beside the project",  # other people's logs, which aren't part of the project
    r"SEEKLESS_DRIVES",  # requests that real drives served, which aren't part of the project
    r"SEEKLESS_(BAZEL_SOURCE|REMOTE_CACHE|FSX)",  # only for machines that have such a thing
    r"script/(test|bootstrap) windows",  # the part has its own command
    r"Debian 13",  # the package is too old in Debian 12, or missing
    r"OpenArena|openarena|pyspark",  # the packages take 400 MB or more
    r"packages of PyPI",  # aren't part of Debian 12
    r"the device mapper|tracefs",  # the kernel lacks it
    r"once is enough|an entry without a name|the byproducts of a rule",  # combinations without a meaning
]


def is_allowed(reason):
    return any(re.search(pattern, reason) for pattern in ALLOWED)


def advice(reason):
    return f"skipped with SEEKLESS_STRICT: {reason}\nLet script/bootstrap install what it needs, or see integration/skips.py"


def fail_wrong_skip(report):
    if not os.environ.get("SEEKLESS_STRICT") or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if not is_allowed(reason):
        report.outcome, report.longrepr = "failed", advice(reason)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    fail_wrong_skip((yield).get_result())


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report():  # handles files that are skipped as a whole
    fail_wrong_skip((yield).get_result())


def cases_of(results):
    """Yields (name, reason of its skip or None) of GoogleTest's tests."""
    for case in xml.etree.ElementTree.parse(results).iter("testcase"):
        skipped = case.find("skipped")
        reason = skipped.get("message", "").strip() if skipped is not None else None
        # A disabled test has no `skipped` element.
        if reason is None and case.get("status") != "run":
            reason = "disabled"
        yield f"{case.get('classname')}.{case.get('name')}", reason


def judge(results):
    cases = [case for file in results for case in cases_of(file)]
    skipped = [case for case in cases if case[1] is not None]
    print(f"{len(cases)} unit tests, {len(skipped)} of them skipped")
    return [(name, reason) for name, reason in skipped if not is_allowed(reason)]


if __name__ == "__main__":
    wrong = judge(sys.argv[1:])
    is_strict = bool(os.environ.get("SEEKLESS_STRICT"))
    for name, reason in wrong:
        print(f"{name}: {advice(reason) if is_strict else f'skipped: {reason}'}", file=sys.stderr)
    sys.exit(1 if wrong and is_strict else 0)
