"""Reports which tests used most processor time, including the time of programs that they waited for. Other work on the
machine doubles a test's wall time, but changes this little. It obeys pytest's --durations N, where 0 means all of
them."""
import resource

import pytest

KEY = "processor_s"


def used_s():
    each = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in each)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if call.when == "teardown" and KEY in item.stash:
        report.user_properties.append((KEY, used_s() - item.stash[KEY]))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    item.stash[KEY] = used_s()


def pytest_terminal_summary(terminalreporter):
    costs_s = {report.nodeid: value for reports in terminalreporter.stats.values() for report in reports
               for name, value in getattr(report, "user_properties", ()) if name == KEY}
    count = terminalreporter.config.getoption("durations")
    if not costs_s or count is None:
        return
    terminalreporter.section(f"{sum(costs_s.values()):.0f} s of processors; most used")
    for test, cost_s in sorted(costs_s.items(), key=lambda item: -item[1])[:count or None]:
        terminalreporter.write_line(f"{cost_s:8.2f}s {test}")
