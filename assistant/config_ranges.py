"""What the type of a setting says of its value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True, slots=True)
class Between:
    """The allowed range of a number, both ends included."""

    low: float
    high: float


Milliseconds = Annotated[int, Between(0, 60_000)]
Share = Annotated[float, Between(0, 1)]
Threads = Annotated[int, Between(1, 64)]
