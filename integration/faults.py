"""Faults that happen at a call of a given number: faults.c, preloaded into the program that is tested."""
from programs import build_preload


class Faults:
    def __init__(self, folder):
        self.library = build_preload("faults", folder)
        self.counts = folder / "counts"

    def env(self, **faults):
        """Takes faults by their names in faults.c without FAULT_, such as readdir=3."""
        return {"LD_PRELOAD": str(self.library), "FAULT_COUNTS": str(self.counts),
                **{f"FAULT_{name.upper()}": str(value) for name, value in faults.items()}}

    def counted(self):
        """Returns how many calls the last program made: (readdirs, threads, opens)."""
        return tuple(map(int, self.counts.read_text().split()))
