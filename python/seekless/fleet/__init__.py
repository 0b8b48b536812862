"""Collects many players' recordings, adds them up, plans with them, and watches for drift (docs/fleet.md)."""

from seekless.fleet.aggregate import Settings, aggregate, merge
from seekless.fleet.catalog import Catalog
from seekless.fleet.collect import Collected, collect
from seekless.fleet.drift import Drift, drift
from seekless.fleet.profiles import write_profile
from seekless.fleet.proofs import Proofs, add_up_proofs
from seekless.fleet.uploads import Drive, Run, write_upload

__all__ = ["Catalog", "Collected", "Drift", "Drive", "Proofs", "Run", "Settings", "add_up_proofs", "aggregate",
           "collect", "drift", "merge", "write_profile", "write_upload"]
