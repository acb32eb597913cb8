"""Any sample rate to the outgoing track's 48 kHz, chunk by chunk."""

from __future__ import annotations

import numpy as np
import soxr
from numpy.typing import NDArray

OUTPUT_RATE_HZ = 48_000


class Resampler:
    """One continuous sound. Its filter keeps back the last 20 ms until `last`."""

    def __init__(self, sample_rate_hz: int) -> None:
        self._stream = soxr.ResampleStream(
            sample_rate_hz, OUTPUT_RATE_HZ, num_channels=1, dtype="float32", quality="HQ"
        )

    def resample(self, samples: NDArray[np.float32], *, last: bool) -> NDArray[np.float32]:
        """Shape (n_samples,) in and out. After the `last` chunk there may be no other."""
        resampled: NDArray[np.float32] = self._stream.resample_chunk(
            np.ascontiguousarray(samples, np.float32), last=last
        )
        return resampled
