"""The planner's orders keep to their limits: near the best of all orders if that can be found, near
the order that noisy runs were made from, and in time. Runs bench_layout with few rounds."""
import re
import subprocess

import pytest


@pytest.fixture(scope="module")
def bench(build_folder):
    program = build_folder / "bin" / "bench_layout"
    if not program.exists():
        pytest.skip(f"{program}: not built; build the release preset, which has the benchmarks")

    def run(*arguments):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True,
                              timeout=850)  # the machine may be busy
        assert done.returncode in (0, 1), done.stderr
        print(done.stdout)
        return done

    return run


def figure(text, of):
    """Returns the drive that the verdict on `of` gives."""
    return float(re.search(rf"^{re.escape(of)}: (-?[\d.]+), limit", text, re.MULTILINE).group(1))


def test_small_problems_are_near_the_exhaustive_optimum(bench):
    done = bench("order-small", 100)
    assert figure(done.stdout, "mean excess over the optimum, per cent") <= 3
    assert figure(done.stdout, "largest excess, per cent") <= 15
    assert done.returncode == 0


@pytest.fixture(scope="module")
def noisy(bench):
    return bench("order-noisy", 1)


def test_orders_of_noisy_runs_are_near_the_true_one_and_beat_simple_ones(noisy):
    assert figure(noisy.stdout, "excess over the true order at 40 % rotated, per cent") <= 8
    assert figure(noisy.stdout, "mean excess over the true order, per cent") <= 8
    # Luck explains this much.
    assert figure(noisy.stdout, "planned by the best of first-seen, mean, median, single") <= 1.005
    assert noisy.returncode == 0


def test_the_same_orders_come_out_again(bench, noisy):
    def without_seconds(done):
        return [line.rsplit(",", 1)[0] for line in done.stdout.splitlines()]

    assert without_seconds(noisy) == without_seconds(bench("order-noisy", 1))


@pytest.mark.alone
def test_time_grows_no_faster_than_the_reads(bench):
    done = bench("order-scale", 8)
    assert figure(done.stdout, "seconds for a hundred scenarios on two free cores") <= 30
    assert figure(done.stdout, "ns a read, 8000 assets by 1000") <= 1.5
