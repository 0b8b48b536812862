"""The reader in processes that change their state without its knowledge: filters that forbid io_uring, descriptors that
are closed or given to other files, and fork()."""
import errno
import re
import subprocess

import pytest

from programs import run
from tool import TOP

BACKENDS = {"detect": 0, "threads": 1, "uring": 2, "pump": 4}
NO_FILTERS = 77  # exit code of the program


@pytest.fixture(scope="module")
def process(build_folder, made, tmp_path_factory):
    folder = tmp_path_factory.mktemp("process")
    libraries = build_folder / "lib"
    run("cc", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-I", TOP / "runtime" / "include",
        TOP / "integration" / "hostile_process.c", f"-L{libraries}", "-lseekless", f"-Wl,-rpath,{libraries}",
        "-o", folder / "hostile_process")

    def ended(backend, *what):
        """Returns the lines that it prints."""
        done = subprocess.run([folder / "hostile_process", made.packs, "menu", str(BACKENDS[backend]), *map(str, what)],
                              capture_output=True, text=True, timeout=120, cwd=folder)
        if done.returncode == NO_FILTERS:
            pytest.skip("the system has no filters, or no unnamed files")
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.endswith("ended\n")
        return done.stdout.splitlines()

    return ended


def swept(lines, who):
    """Returns for each of `who`'s sweeps [right, wrong, failed, errno]."""
    found = [re.fullmatch(rf"{who}: right (\d+) wrong (\d+) failed (\d+) errno (\d+)", line) for line in lines]
    return [[int(number) for number in match.groups()] for match in found if match]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("refusal", ["EPERM", "ENOSYS", "EAGAIN"])
def test_a_ring_that_is_forbidden_later_costs_nothing(process, backend, refusal):
    lines = process(backend, "filter", getattr(errno, refusal))
    [before], [after] = swept(lines, "before"), swept(lines, "after")
    assert before[0] > 0 and before[1:] == [0, 0, 0]
    assert after == before


@pytest.mark.parametrize("backend", BACKENDS)
def test_descriptors_that_are_closed_are_errors_and_no_wait(process, backend):
    lines = process(backend, "close")
    [before], [after] = swept(lines, "before"), swept(lines, "after")
    assert before[0] > 0 and before[1:] == [0, 0, 0]
    assert after[0] == after[1] == 0 and after[2] > 0 and after[3] == errno.EBADF


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_file_that_gets_a_closed_number_is_left_alone(process, backend):
    lines = process(backend, "replace")
    [after] = swept(lines, "after")
    assert after[0] == after[1] == 0 and after[2] > 0
    assert "replaced: closed 0 bytes 0" in lines


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_forked_child_is_told_and_waits_for_nothing(process, backend):
    lines = process(backend, "fork")
    assert lines.count("child: 0") == 10
    [told] = [line for line in lines if line.startswith("child: open: ")]
    assert told.startswith("child: open: invalid: ") and "fork()" in told
    before, = swept(lines, "before")
    assert swept(lines, "parent") == [before] * 10 and swept(lines, "after") == [before]
