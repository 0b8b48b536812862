"""The result of a part of a campaign."""
from dataclasses import dataclass, field


@dataclass
class Outcome:
    """`tried` calls, kills or reads, and in words what was wrong."""
    tried: int = 0
    wrong: list = field(default_factory=list)
