"""Made-up games, whose missions share parts; the number of bytes of each degree of sharing can be chosen."""
import json
import random

# Counted by parts; counted by bytes the game has less duplication, because large parts happen to be used seldom.
DUPLICATION, FALL = 6.7, 0.8


class Game:
    """The number of missions that use a part falls by a power law, so that with a copy for each mission the game holds
    `duplication` times its different parts. Sizes are log-normal. With `themes`, missions choose parts of their own
    theme ten times as often as other themes' parts, as far as shares allow. Files are sparse except for their first
    bytes.

    With `is_duplicated`, each mission has its own folder of parts."""

    def __init__(self, folder, missions, parts, seed, sizes=(40_000, 2.2, 1024, 200_000_000), duplication=DUPLICATION,
                 themes=1, is_duplicated=True):
        self.folder, self.missions, self.is_duplicated = folder, missions, is_duplicated
        self.random = random.Random(seed)
        median, spread, least, most = sizes
        self.sizes = [int(min(most, max(least, median * 2.718 ** self.random.gauss(0, spread)))) for _ in range(parts)]
        used = self.shares(parts, duplication / missions * parts)
        self.uses = [self.parts_of(mission % themes, used, themes) for mission in range(missions)]

    def parts_of(self, theme, used, themes):
        chosen = []
        for part, share in enumerate(used):
            own = min(1, share * themes * 10 / (themes + 9))
            other = (share * themes - own) / (themes - 1) if themes > 1 else own
            if self.random.random() < (own if part % themes == theme else other):
                chosen.append(part)
        return chosen

    @staticmethod
    def shares(parts, wanted):
        """Returns each part's share of the missions that use it: c * rank^-FALL, at most 1, with the sum `wanted`."""
        least, most = 0.0, float(parts)
        for _ in range(60):
            c = (least + most) / 2
            total = sum(min(1, c * (rank + 1) ** -FALL) for rank in range(parts))
            least, most = (c, most) if total < wanted else (least, c)
        return [min(1, c * (rank + 1) ** -FALL) for rank in range(parts)]

    def path(self, mission, part):
        return self.folder / (f"mission{mission:03}" if self.is_duplicated else "shared") / f"part{part:05}.dat"

    def write(self):
        for mission, parts in enumerate(self.uses):
            self.path(mission, 0).parent.mkdir(parents=True, exist_ok=True)
            for part in parts:
                with open(self.path(mission, part), "wb") as file:
                    file.write(part.to_bytes(8, "little"))
                    file.truncate(self.sizes[part])

    def record(self, folder, computing_s=0.0, runs=3):
        """Returns runs of each mission with a computing time between its reads: one in the order of its parts, one in
        which a quarter of the neighbours change places, and one that leaves out a fiftieth."""
        folder.mkdir()
        traces = []
        for mission, parts in enumerate(self.uses):
            order = self.random.sample(parts, len(parts))
            for run in range(runs):
                read = [part for part in order if self.random.random() >= 0.02]
                for i in range(len(read) - 1):
                    if self.random.random() < 0.25:
                        read[i], read[i + 1] = read[i + 1], read[i]
                traces.append(folder / f"mission{mission:03}.{run + 1}.trace")
                self.write_trace(traces[-1], mission, read, computing_s / max(1, len(read)))
        return traces

    def write_trace(self, trace, mission, parts, pause_s):
        """Writes the trace like the reader's recorder, which costs the game next to nothing."""
        lines = [{"seekless": "trace", "version": 1, "scenario": f"mission{mission:03}"}]
        for number, part in enumerate(parts):
            lines += [{"path": str(self.path(mission, part))}, {"gap": round(1e6 * pause_s) + 1, "open": True},
                      {"gap": 1, "file": number, "at": 0, "read": self.sizes[part]}]
        trace.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    def different_bytes(self):
        return sum(self.sizes[part] for part in {part for parts in self.uses for part in parts})

    def bytes(self):
        return sum(self.sizes[part] for parts in self.uses for part in parts)
