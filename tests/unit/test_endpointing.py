"""Scripts of one microphone: `voice 400` and `quiet 160` are milliseconds of sound, `text ...` the
final transcript and `complete 0.9` the turn-end judgement coming in, `close` and `hold` the button.
"""

from __future__ import annotations

import pytest

from assistant.config import EndpointingConfig
from assistant.endpointing import WINDOW_MS, Change, Endpointer

LEVELS = {"voice": 0.9, "murmur": 0.4, "quiet": 0.1}


def play(script: str, config: EndpointingConfig | None = None) -> list[tuple[int, Change]]:
    """The changes, and at how many milliseconds of sound each came."""
    endpointer = Endpointer(config or EndpointingConfig())
    changes: list[tuple[int, Change]] = []
    now_ms = 0
    for line in filter(None, map(str.strip, script.split(";"))):
        command, _, argument = line.partition(" ")
        happened: list[Change | None] = []
        match command:
            case "text":
                happened = [endpointer.transcribed(argument)]
            case "complete":
                happened = [endpointer.judged(float(argument))]
            case "close":
                happened = [endpointer.close()]
            case "hold":
                endpointer.is_held = argument == "on"
            case sound:
                for _ in range(0, int(argument), WINDOW_MS):
                    now_ms += WINDOW_MS
                    if change := endpointer.hear(LEVELS[sound]):
                        changes.append((now_ms, change))
        changes += [(now_ms, change) for change in happened if change]
    return changes


S, P, R, E = Change.STARTED, Change.PAUSED, Change.RESUMED, Change.ENDED

# Speech begins at 64 ms, so 320 ms of voice are noticed at 64 and end at 320.
SAID = "voice 320; quiet 128; "


@pytest.mark.parametrize(
    ("script", "changes"),
    [
        pytest.param("quiet 30000", [], id="thirty seconds of silence"),
        pytest.param("voice 32; quiet 320; voice 32; quiet 1600", [], id="clicks"),
        pytest.param("murmur 2000", [], id="murmur does not start"),
        pytest.param("voice 64; murmur 2000", [(64, S)], id="but it goes on"),
        pytest.param(
            "voice 64; quiet 32; murmur 96", [(64, S), (192, P)], id="murmur after silence is not"
        ),
        pytest.param(
            "voice 320; quiet 96; voice 320; quiet 96; voice 32", [(64, S)], id="gaps in words"
        ),
        pytest.param(
            SAID + "complete 0.9; text Go.; quiet 320",
            [(64, S), (448, P), (576, E)],
            id="complete: min silence",
        ),
        pytest.param(
            SAID + "text Go.; quiet 320; complete 0.9",
            [(64, S), (448, P), (768, E)],
            id="judgement is late",
        ),
        pytest.param(
            SAID + "complete 0.9; quiet 480; text Go.",
            [(64, S), (448, P), (928, E)],
            id="final is late",
        ),
        pytest.param(
            SAID + "complete 0.9; quiet 3200", [(64, S), (448, P)], id="never without a final"
        ),
        pytest.param(
            SAID + "complete 0.2; text Go.; quiet 1600",
            [(64, S), (448, P), (1120, E)],
            id="incomplete: max silence",
        ),
        pytest.param(
            SAID + "text Go.; quiet 1600", [(64, S), (448, P), (1120, E)], id="no judgement"
        ),
        pytest.param(
            SAID + "text I want to; complete 0.9; quiet 1600",
            [(64, S), (448, P), (1536, E)],
            id="words lead on",
        ),
        pytest.param(
            "voice 192; quiet 128; complete 0.1; text No.; quiet 320",
            [(64, S), (320, P), (448, E)],
            id="a 200 ms no is answered fast",
        ),
        pytest.param(
            SAID + "complete 0.1; text ; quiet 320",
            [(64, S), (448, P), (576, E)],
            id="noise is over soon",
        ),
        pytest.param(
            SAID
            + "complete 0.9; text Go; voice 64; quiet 128; complete 0.9; text Go on; quiet 160",
            [(64, S), (448, P), (512, R), (640, P), (768, E)],
            id="speech that goes on reopens the turn",
        ),
        pytest.param(
            SAID + "complete 0.9; text Go; voice 64; quiet 480",
            [(64, S), (448, P), (512, R), (640, P)],
            id="results of the pause before do not count",
        ),
        pytest.param(
            SAID + "complete 0.9; text Go; quiet 96; voice 32; quiet 32",
            [(64, S), (448, P), (608, E)],
            id="a click does not reopen, but nothing ends during it",
        ),
        pytest.param(
            "voice 320; close; text Go", [(64, S), (320, P), (320, E)], id="closed while speaking"
        ),
        pytest.param(
            SAID + "text Go; close", [(64, S), (448, P), (448, E)], id="closed in a pause"
        ),
        pytest.param("close; quiet 320", [], id="closed while quiet"),
        pytest.param(
            "voice 320; close; voice 64; quiet 128; text Go; quiet 320",
            [(64, S), (320, P), (384, R), (512, P)],
            id="closing is forgotten when they go on",
        ),
        pytest.param(
            "hold on; " + SAID + "complete 0.9; text Go.; quiet 9600; hold off; close",
            [(64, S), (448, P), (10048, E)],
            id="the button is held",
        ),
    ],
)
def test_turn(script: str, changes: list[tuple[int, Change]]) -> None:
    assert play(script) == changes


def test_i_want_to_um_reset_the_panel_is_one_turn() -> None:
    changes = play(
        "voice 512; quiet 128; complete 0.68; text I want to.; quiet 772;"
        "voice 256; quiet 128; complete 0.03; text I want to um.; quiet 572;"
        "voice 896; quiet 128; complete 0.98; text I want to um reset the panel.; quiet 640"
    )
    assert [change for _, change in changes] == [S, P, R, P, R, P, E]


def test_a_telephone_number_read_slowly_is_one_turn() -> None:
    digits = ["2", "9", "3", "4", "0", "5", "5"]
    script = ";".join(
        f"voice 256; quiet 128; complete 0.95; text {' '.join(digits[: n + 1])}; quiet 700"
        for n in range(len(digits))
    )
    assert [change for _, change in play(script)] == [S, P] + [R, P] * (len(digits) - 1)


def test_slow_speakers_get_more_time() -> None:
    config = EndpointingConfig(max_silence_ms=1_600)
    assert play(SAID + "complete 0.2; text Go.; quiet 1472; quiet 640", config)[-1] == (1920, E)


def test_speech_and_silence_are_counted_in_sound() -> None:
    endpointer = Endpointer(EndpointingConfig())
    for level in [0.9] * 10 + [0.1] * 3:
        endpointer.hear(level)
    assert (endpointer.speech_ms, endpointer.silence_ms) == (320, 96)
    for level in [0.1, 0.1, 0.9, 0.9, 0.9]:
        endpointer.hear(level)
    assert (endpointer.speech_ms, endpointer.silence_ms) == (416, 0)
