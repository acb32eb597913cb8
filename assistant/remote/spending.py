"""What remote brains cost, by day and tier, under a cap that outlives a restart."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path

from assistant.errors import ConfigError

logger = logging.getLogger(__name__)

_KEPT_DAYS = 366


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    n_requests: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cost: float = 0.0
    """In the currency of the prices."""

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.reply_tokens

    def plus(self, other: Spent) -> Spent:
        return Spent(
            n_requests=self.n_requests + other.n_requests,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            reply_tokens=self.reply_tokens + other.reply_tokens,
            cost=self.cost + other.cost,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tariff:
    """Prices for a million tokens, and what a day may bring; 0 for no cap."""

    prompt_price: float = 0.0
    reply_price: float = 0.0
    daily_cost: float = 0.0
    daily_tokens: int = 0

    def price(self, prompt_tokens: int, reply_tokens: int) -> Spent:
        cost = prompt_tokens * self.prompt_price + reply_tokens * self.reply_price
        return Spent(
            n_requests=1,
            prompt_tokens=prompt_tokens,
            reply_tokens=reply_tokens,
            cost=cost / 1_000_000,
        )

    def allows(self, spent: Spent) -> bool:
        return not (
            (self.daily_cost and spent.cost > self.daily_cost)
            or (self.daily_tokens and spent.tokens > self.daily_tokens)
        )


@dataclass(slots=True)
class Spending:
    """Asked before each request, told after it."""

    tariff: Tariff = field(default_factory=Tariff)
    file: Path = Path("")
    """Where the days are kept; empty for nowhere."""

    today: Callable[[], date] = date.today
    _days: dict[str, dict[str, Spent]] = field(default_factory=dict)
    """By date, then by tier."""

    _reserved: Spent = field(default_factory=Spent)

    def __post_init__(self) -> None:
        if self.file == Path("") or not self.file.exists():
            return
        try:
            read = json.loads(self.file.read_text(encoding="utf-8"))
            self._days = {
                day: {tier: Spent(**spent) for tier, spent in tiers.items()}
                for day, tiers in read.items()
            }
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise ConfigError(
                f"{self.file} cannot be read as what was spent, and without it the daily cap means"
                " nothing: mend it, or move it away"
            ) from error

    def of_today(self) -> Spent:
        """All tiers together."""
        whole = Spent()
        for spent in self._days.get(self.today().isoformat(), {}).values():
            whole = whole.plus(spent)
        return whole

    def by_tier(self) -> dict[str, Spent]:
        """Of today."""
        return dict(self._days.get(self.today().isoformat(), {}))

    def reserve(self, most: Spent) -> bool:
        """Whether a request that costs at most this still fits under the cap, beside those that are
        under way; then `settle` follows."""
        if not self.tariff.allows(self.of_today().plus(self._reserved).plus(most)):
            return False
        self._reserved = self._reserved.plus(most)
        return True

    def settle(self, tier: str, reserved: Spent, spent: Spent | None) -> None:
        """A request is over. `spent`: None where it never reached the model."""
        back = Spent(
            n_requests=-reserved.n_requests,
            prompt_tokens=-reserved.prompt_tokens,
            reply_tokens=-reserved.reply_tokens,
            cost=-reserved.cost,
        )
        self._reserved = self._reserved.plus(back)
        if spent is None:
            return
        day = self._days.setdefault(self.today().isoformat(), {})
        day[tier] = day.get(tier, Spent()).plus(spent)
        for old in sorted(self._days)[:-_KEPT_DAYS]:
            del self._days[old]
        self._write()

    def _write(self) -> None:
        """Some kilobytes, at once or not at all. Losing it costs the cap, never a turn."""
        if self.file == Path(""):
            return
        days = {
            day: {tier: asdict(spent) for tier, spent in tiers.items()}
            for day, tiers in self._days.items()
        }
        new = self.file.with_suffix(".new")
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            new.write_text(json.dumps(days, indent=1), encoding="utf-8")
            os.replace(new, self.file)
        except OSError as error:
            logger.warning("what was spent cannot be written to %s: %s", self.file, error.strerror)
