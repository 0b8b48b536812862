"""The queries on a scenario's reads and runs, in SQL that works the same in DuckDB and Spark.

Only whole numbers are added, so the sums don't depend on the order of rows, files or machines. `reads` and `runs` are
the tables of the data set for one scenario of one build.
"""

from __future__ import annotations

from seekless.fleet.dataset import BINS, PLACES

__all__ = ["EXEMPLARS", "EXEMPLAR_READS", "PAIRS", "PLACES_OF_ASSETS", "SCENARIO"]

# Counts how often each asset is read in each sixteenth of a load, with the first two moments of its place.
PLACES_OF_ASSETS = f"""
SELECT reads.asset AS asset,
       CAST(FLOOR(reads.place / {PLACES // BINS}) AS INTEGER) AS bin,
       CAST(SUM(runs.weight) AS BIGINT) AS weight,
       CAST(SUM(runs.weight * reads.place) AS BIGINT) AS place_sum,
       CAST(SUM(runs.weight * reads.place * reads.place) AS BIGINT) AS place_squares,
       CAST(SUM(runs.is_first) AS BIGINT) AS clients
FROM reads JOIN runs ON reads.run = runs.run
GROUP BY reads.asset, CAST(FLOOR(reads.place / {PLACES // BINS}) AS INTEGER)
"""

# Counts which asset is read right after which, for the sampled clients.
PAIRS = """
SELECT reads.previous AS previous, reads.asset AS asset,
       CAST(SUM(runs.weight) AS BIGINT) AS weight,
       CAST(SUM(runs.is_first) AS BIGINT) AS clients
FROM reads JOIN runs ON reads.run = runs.run
WHERE runs.is_sampled = 1 AND reads.previous >= 0
GROUP BY reads.previous, reads.asset
"""

SCENARIO = """
SELECT CAST(COUNT(*) AS BIGINT) AS runs,
       CAST(SUM(is_first) AS BIGINT) AS clients,
       CAST(SUM(weight) AS BIGINT) AS weight,
       CAST(SUM(opens) AS BIGINT) AS opens,
       MIN(day) AS first_day, MAX(day) AS last_day
FROM runs
"""

# Selects one run of each of the K clients with the lowest hashes, from any part of the fleet.
EXEMPLARS = """
SELECT client, run FROM runs WHERE is_first = 1 ORDER BY client, run LIMIT {exemplars}
"""

EXEMPLAR_READS = """
SELECT reads.run AS run, reads.rank AS rank, reads.asset AS asset FROM reads WHERE reads.run IN ({runs})
"""
