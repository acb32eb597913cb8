from __future__ import annotations

import numpy as np
import pytest

from assistant.loudness import Loudness


@pytest.mark.parametrize(
    ("levels", "db"),
    [((), -120), ((0,), -120), ((32_767,), 0), ((3_277,), -20), ((3_277, 0), -23)],
)
def test_loudness_is_below_full_scale(levels: tuple[int, ...], db: float) -> None:
    loudness = Loudness()
    for level in levels:
        loudness.add(np.full(512, level, np.int16))
    assert loudness.db == pytest.approx(db, abs=0.05)
