"""Pure: does speech over our own voice mean that we should stop?"""

from __future__ import annotations

import re

from assistant.config import BargeInConfig
from assistant.types import Heard, Phase

_WORD = re.compile(r"[\w']+")


def is_interruption(heard: Heard, config: BargeInConfig, *, session_age_ms: float) -> bool | None:
    """True: the voice stops. False: it was nothing. None: not known yet.

    Two triggers: recognised words (`config.words` of them, or one stop word), and the length of
    the speech. Echo cancellers need `config.warm_up_ms` before length alone can be trusted.
    """
    text = heard.transcript.text.lower()
    words = _WORD.findall(text)
    if len(words) >= config.words or any(stop in words for stop in config.stop_words):
        return True
    if any(stop in text for stop in config.stop_words if not stop.isascii()):
        return True  # written without spaces: a stop word may be part of a longer run
    if heard.speech_ms >= config.speech_ms and session_age_ms >= config.warm_up_ms:
        return True
    return False if heard.phase is Phase.ENDED else None
