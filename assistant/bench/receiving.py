"""How a microphone's sound comes through a bad line, to our receiver and to aiortc's own.

The delay is a tone's way from an encoder to whoever hears it, less the relay's mean delay.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any

import numpy as np
from aiortc import RTCBundlePolicy, RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import AudioFrame as DecodedFrame

from assistant.bench.clips import Clip, voiced_part
from assistant.bench.mouth import BEEP_EVERY_S, Beeper, Mouth
from assistant.bench.relay import Conditions, Relay
from assistant.bench.word_errors import WordErrors, word_errors
from assistant.config import Config
from assistant.hearing import Listener
from assistant.loop_lag import percentile
from assistant.speaker import Playout
from assistant.stages import Recognizer, SpeechDetector, Utterance
from assistant.transport import aiortc_private, sdp
from assistant.transport.peer import WebRtcPeer
from assistant.transport.pictures import CameraSink
from assistant.transport.resample import Resampler
from assistant.transport.tracks import AudioSource, OutgoingTrack
from assistant.transport.translator import Translator
from assistant.types import AudioFrame, Pcm
from assistant.vision.camera import NewestFrame
from assistant.words import spliced

CLEAN = Conditions()
BAD = Conditions(loss=0.05, jitter_ms=80, bits_per_s=64_000)
"""Of the way up: a weak mobile line."""

_AUDIBLE = 2_000
_SETTLING_S = 3.0
"""A stock receiver's buffer grows in the first seconds; both are measured after them."""

_LEAST_S = 2.0
"""Of tones, so that some are whole."""

_AFTER_S = 2.5
"""Silence after each recording: its last turn has ended by then."""


async def delay_ms(config: Config, up: Conditions, *, is_stock: bool, seconds: float) -> float:
    """Median of a tone's way from our encoder to whoever hears it, less the relay's mean delay."""
    heard_at_s = list[float]()
    beeper = Beeper()
    ears = _Onsets(heard_at_s)
    answering = _stock(ears) if is_stock else _ours(config, ears)
    async with calling(up, _sounding(beeper), answering):
        await asyncio.sleep(_SETTLING_S + max(seconds, _LEAST_S))
    sent = beeper.began_at_s[: -int(1 / BEEP_EVERY_S)]
    waits_ms = [
        1_000 * (heard_s - began_s)
        for began_s in sent[int(_SETTLING_S / BEEP_EVERY_S) :]
        if (heard_s := next((at_s for at_s in heard_at_s if at_s >= began_s), None))
        and heard_s - began_s < 2 * BEEP_EVERY_S
    ]
    median = percentile(waits_ms, 50)
    assert median is not None, "no tone came through"
    return median - up.delay_ms - up.jitter_ms / 2


async def word_error_rate(
    config: Config,
    up: Conditions,
    clips: list[Clip],
    recognizer: Recognizer,
    detector: SpeechDetector,
) -> float | None:
    """Of all clips with a transcript, one after another over one line. None without any."""
    mouth = Mouth()
    listener = Listener(
        detector=detector,
        recognizer=recognizer,
        ears=config.ears,
        endpointing=config.endpointing,
    )
    turns = list[str]()
    errors = WordErrors()

    async def hear(microphone: AsyncIterator[AudioFrame]) -> None:
        async with (
            asyncio.TaskGroup() as tasks,
            listener.listening(microphone) as utterances,
        ):
            async for utterance in utterances:
                tasks.create_task(_write_down(utterance, turns))

    async with calling(up, _sounding(mouth), own_end(config, _camera(config), hear)):
        for clip in clips:
            samples = clip.read()
            turns.clear()
            say(mouth, samples)
            await asyncio.sleep(len(samples) / 16_000 + _AFTER_S)
            errors += word_errors(clip.transcript, spliced(*turns), clip.language)
    return errors.rate


def say(mouth: Mouth, samples: Pcm) -> None:
    """Begin to say a recording of 16 kHz."""
    first, last = voiced_part(samples)
    mouth.say(Resampler(16_000, 48_000).convert(samples), voiced=(3 * first, 3 * last))


async def _write_down(utterance: Utterance, turns: list[str]) -> None:
    place = len(turns)
    turns.append("")
    async for _ in utterance.follow():
        if place < len(turns):
            turns[place] = utterance.heard.transcript.text


class _Onsets:
    """Notes when a tone begins."""

    def __init__(self, heard_at_s: list[float]) -> None:
        self._heard_at_s = heard_at_s
        self._loud_at_s = 0.0

    def take(self, samples: Pcm) -> None:
        now_s = time.monotonic()
        if np.abs(samples.astype(np.int32)).max(initial=0) > _AUDIBLE:
            if now_s - self._loud_at_s > BEEP_EVERY_S / 4:
                self._heard_at_s.append(now_s)
            self._loud_at_s = now_s


Answer = Callable[[str], Awaitable[str]]
"""An SDP offer to its answer."""

Hear = Callable[[AsyncIterator[AudioFrame]], Coroutine[Any, Any, None]]


@asynccontextmanager
async def calling(
    up: Conditions, track: MediaStreamTrack, answering: AbstractAsyncContextManager[Answer]
) -> AsyncGenerator[None]:
    """Somebody sends `track` over a relay to whoever answers."""
    caller = RTCPeerConnection(
        RTCConfiguration(iceServers=[], bundlePolicy=RTCBundlePolicy.MAX_BUNDLE)
    )
    if track.kind == "video":
        caller.addTransceiver("audio", direction="recvonly")  # no call is without
    caller.addTrack(track)
    caller.createDataChannel("oai-events")
    try:
        async with Relay(up=up) as relay, answering as answer:
            link = await relay.link()
            aiortc_private.gather_here(caller, range(0))
            await caller.setLocalDescription()
            told = await answer(link.hide(caller.localDescription.sdp))
            await caller.setRemoteDescription(RTCSessionDescription(link.through(told), "answer"))
            yield
    finally:
        await caller.close()


@asynccontextmanager
async def own_end(config: Config, camera: CameraSink, hear: Hear) -> AsyncGenerator[Answer]:
    """Our own end of a call; `hear` is given its microphone."""
    peer = WebRtcPeer(
        playout=Playout(buffer_ms=config.voice.buffer_ms),
        camera=camera,
        translator=Translator(model="", voice="", instructions="", max_reply_tokens=1),
        config=config.server,
    )
    async with asyncio.TaskGroup() as tasks:

        async def answer(offer: str) -> str:
            answered = await peer.accept(offer)
            tasks.create_task(peer.run())
            tasks.create_task(hear(peer.microphone()))
            return answered

        yield answer
        peer.hang_up()


def _ours(config: Config, ears: _Onsets) -> AbstractAsyncContextManager[Answer]:
    async def hear(microphone: AsyncIterator[AudioFrame]) -> None:
        async for frame in microphone:
            ears.take(frame.samples)

    return own_end(config, _camera(config), hear)


def _camera(config: Config) -> NewestFrame:
    return NewestFrame(newest_within_ms=config.eyes.newest_within_ms)


def _sounding(source: AudioSource) -> OutgoingTrack:
    return OutgoingTrack(source, leaves_out_silence=False)


@asynccontextmanager
async def _stock(ears: _Onsets) -> AsyncGenerator[Answer]:
    """What aiortc makes of the same packets."""
    connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    hearing = list[asyncio.Task[None]]()

    async def hear(track: MediaStreamTrack) -> None:
        with suppress(MediaStreamError):
            while True:
                frame = await track.recv()
                assert isinstance(frame, DecodedFrame)
                ears.take(np.asarray(frame.to_ndarray(), np.int16))

    connection.on("track", lambda track: hearing.append(asyncio.create_task(hear(track))))

    async def answer(offer: str) -> str:
        description = RTCSessionDescription(sdp.tidy(offer), "offer")
        await connection.setRemoteDescription(description)
        aiortc_private.gather_here(connection, range(0))
        await connection.setLocalDescription()
        return connection.localDescription.sdp

    yield answer
    await connection.close()
    await asyncio.gather(*hearing)
