"""The result of a part of a campaign."""
from dataclasses import dataclass, field


@dataclass
class Outcome:
    """The number of calls, kills or reads tried, and a text for each fault."""
    tried: int = 0
    wrong: list = field(default_factory=list)
