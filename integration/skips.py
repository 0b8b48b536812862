"""Which skips are right on CI's machine. A test that is skipped there for any other reason runs nowhere, and nobody knows:
with SEEKLESS_STRICT set, as .ci/run does, it fails, whether it is one of pytest's, whose plugin this is, or of CTest's.

Usage: skips.py RESULTS.xml   judges what CTest wrote there (--output-junit); exits with 1 if a skip is wrong
"""
import os
import re
import sys
import xml.etree.ElementTree

import pytest

# What the reason says, each with why CI can't do without the skip.
ALLOWED = [
    r"SEEKLESS_LONG=1",  # takes minutes
    r"SEEKLESS_SAMPLES|no samples beside the project",  # other people's logs, which aren't part of the project
    r"SEEKLESS_(BAZEL_SOURCE|REMOTE_CACHE|FSX)",  # for who has such a thing
    r"script/(test|bootstrap) windows",  # which has a command of its own
    r"Debian 13",  # is too old in Debian 12, or isn't there at all
    r"OpenArena|openarena|pyspark",  # packages of 400 MB and more
    r"the device mapper",  # isn't in the kernel
    r"once is enough|an entry without a name|the byproducts of a rule",  # combinations that mean nothing
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
def pytest_make_collect_report():  # of a whole file that is skipped
    fail_wrong_skip((yield).get_result())


def wrong_skips(results):
    """(name, reason) of CTest's tests that didn't run."""
    for case in xml.etree.ElementTree.parse(results).iter("testcase"):
        if case.get("status") not in ("run", "fail"):
            reason = case.findtext("system-out", "").strip() or case.get("status")
            if not is_allowed(reason):
                yield case.get("name"), reason


if __name__ == "__main__":
    wrong = list(wrong_skips(sys.argv[1]))
    for name, reason in wrong:
        print(f"{name}: {advice(reason)}", file=sys.stderr)
    sys.exit(1 if wrong else 0)
