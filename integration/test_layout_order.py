"""The planner's orders and copies keep to their limits: near the optimum if that can be computed, near the order behind
noisy runs, and within the time limit. Runs bench_layout and bench_plan with few rounds."""
import re
import subprocess

import pytest


@pytest.fixture(scope="module")
def bench(build_folder):
    def run(*arguments, program="bench_layout"):
        path = build_folder / "bin" / program
        if not path.exists():
            pytest.skip(f"{path}: not built; cmake --build --preset release --target benchmarks")
        done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True,
                              timeout=850)  # the machine may be busy
        assert done.returncode in (0, 1), done.stderr
        print(done.stdout)
        return done

    return run


def figure(text, of):
    """Returns the drive that the verdict on `of` gives."""
    return float(re.search(rf"^{re.escape(of)}: (-?[\d.]+), limit", text, re.MULTILINE).group(1))


def test_small_problems_are_near_the_exhaustive_optimum(bench):
    done = bench("order-small", 40)
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


def test_copies_and_order_of_small_instances_are_the_optimum(bench):
    done = bench("small", 200, program="bench_plan")
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines()[2:] if line.strip()}
    assert float(rows["1.00"][2]) <= 1.03 and float(rows["1.00"][3]) <= 1.15
    assert float(rows["1.15"][1]) >= 95
    assert done.returncode == 0


@pytest.mark.alone
def test_a_large_game_is_planned_in_time(bench):
    """Uses an eighth of a hundred scenarios of 200,000 assets; script/bench layout uses all."""
    done = bench("scale", 0.125, program="bench_plan")
    assets, _, _, cpu_s, _, peak_mib, _ = done.stdout.splitlines()[5].split()
    assert assets == "25000"
    # It takes 12 s on most machines, and 20.5 to 23.7 on a slow one, where the limit was once 20.
    assert float(cpu_s) <= 30
    assert int(peak_mib) <= 512
