#!/usr/bin/python3
"""Computes a limit for all layouts of the duplicated game (docs/studies/duplication.md): a lower bound on the time of
its loads, for each number of bytes of copies. Takes minutes; needs numpy and scipy.

Usage: duplication_bound.py [--missions N] [--parts N] [--seed N]     (as measure_duplication.py has them)

It holds for layouts in which the parts that several missions read lie in one order, and each copy serves one mission.
The planner's own model gives the times: the gap between two parts that a mission reads costs reading through it, or a
jump.

Take the parts of at least T bytes alone. A mission that reads L of them has L - 1 gaps between them. A gap is free only
if the two parts are adjacent; otherwise it holds at least one such part. A part is adjacent to two others at most, so
the number of gaps saved is at most the result of a linear program: each pair has a weight, whose sum for each part is
at most 2, times the missions that read both. A copy saves one gap more or, if all readers of a part but one have
copies, one for each reader; the cheapest copies are taken. Each remaining gap costs at least the reading of T bytes.
Several T are used, from small ones to the bytes that take as long as a jump; each adds its excess over the one before.
"""
import argparse
import pathlib
import sys

import numpy as np
import scipy.sparse as sparse
from scipy.optimize import linprog

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from made_up_game import Game  # noqa: E402
from measure_duplication import BUDGETS  # noqa: E402

JUMP_S, BYTES_PER_S = 0.0055, 126e6  # for a wd-black-1tb with 2 GB of content at its start
SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)  # shares of the bytes that take as long as a jump
TRIED_AT_ONCE = 8  # pairs of each part that the linear program gets in a round


def side_by_side(reads):
    """Returns an upper bound on the gaps that adjacent parts save; `reads` is indexed by mission and part. It uses the
    dual: each part has a price, and the prices of a pair add up to at least the pair's saving. Pairs whose prices are
    too low are added until there are none."""
    saved = (reads.T @ reads).astype(float)
    np.fill_diagonal(saved, 0)
    parts = len(saved)
    known, prices = set(), np.zeros(parts)
    while True:
        unpaid = saved - prices[:, None] - prices[None, :]
        np.fill_diagonal(unpaid, 0)
        if unpaid.max() <= 1e-6:
            return 2 * prices.sum()
        worst = np.argsort(-unpaid, axis=1)[:, :TRIED_AT_ONCE]
        known |= {(min(a, b), max(a, b)) for a in range(parts) for b in worst[a] if unpaid[a, b] > 1e-6}
        pairs = np.array(sorted(known))
        rows = np.concatenate([np.arange(len(pairs))] * 2)
        paid = sparse.csr_matrix((-np.ones(len(rows)), (rows, pairs.T.ravel())), shape=(len(pairs), parts))
        prices = linprog(np.full(parts, 2.0), A_ub=paid, b_ub=-saved[pairs[:, 0], pairs[:, 1]], method="highs").x


def saved_by_copies(readers, sizes, copied_bytes):
    """Returns an upper bound on the gaps that copies save: r gaps for r - 1 copies of a part with r readers, the
    cheapest parts first, the last part fractionally."""
    prices = (readers - 1) * sizes
    order = np.argsort(prices / readers)
    paid = np.cumsum(prices[order])
    whole = int(np.searchsorted(paid, copied_bytes))
    ways = readers[order][:whole].sum()
    if whole == len(order):
        return ways
    left = copied_bytes - (paid[whole - 1] if whole else 0)
    return ways + left / prices[order][whole] * readers[order][whole]


def bound(game, budgets):
    """Maps each budget to a lower bound: seconds of all loads beyond those for the bytes that they need."""
    sizes = np.array(game.sizes, float)
    reads = np.zeros((game.missions, len(sizes)), np.float32)
    for mission, parts in enumerate(game.uses):
        reads[mission, parts] = 1
    readers = reads.sum(axis=0)
    seconds = dict.fromkeys(budgets, 0.0)
    counted_s = 0.0
    for least_bytes in (share * JUMP_S * BYTES_PER_S for share in SHARES):
        chosen = np.flatnonzero((readers >= 2) & (sizes >= least_bytes))
        ways = np.maximum(reads[:, chosen].sum(axis=1) - 1, 0).sum()
        neighbours = side_by_side(reads[:, chosen])
        print(f"{len(chosen)} parts of {least_bytes / 1e3:.0f} kB or more: {ways:.0f} ways, {neighbours:.0f} saved by neighbours "
              "at the most", flush=True)
        for budget in budgets:
            copied = saved_by_copies(readers[chosen], sizes[chosen], (budget - 1) * game.different_bytes())
            seconds[budget] += max(0, ways - neighbours - copied) * (least_bytes / BYTES_PER_S - counted_s)
        counted_s = least_bytes / BYTES_PER_S
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--missions", type=int, default=100)
    parser.add_argument("--parts", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    game = Game(pathlib.Path("unwritten"), arguments.missions, arguments.parts, arguments.seed)
    found = bound(game, BUDGETS[:-1])
    print(f"\n{'packs by different bytes':>24} {'beyond the needed bytes, s':>27}")
    for budget, seconds in found.items():
        print(f"{budget:>24.3f} {seconds:>27.1f}")


if __name__ == "__main__":
    main()
