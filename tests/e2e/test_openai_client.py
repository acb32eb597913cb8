"""The `openai` package, which nobody told of us, talks over a WebSocket."""

from __future__ import annotations

import asyncio
import base64
import json

import numpy as np
import pytest

from assistant.asr.whisper import Ears
from assistant.transport.audio_formats import AudioFormat
from assistant.transport.resample import Resampler
from tests.e2e.clients import (
    INSTRUCTIONS,
    RATE_HZ,
    SET_LIGHT,
    openai_client,
    red_picture,
    speech,
)
from tests.e2e.conftest import Server

pytestmark = [pytest.mark.models]

LONG = "Count aloud from one to forty, in words, without leaving any out."


async def test_a_spoken_question_is_answered_aloud(server: Server, ears: Ears) -> None:
    async with openai_client(server.url) as client:
        await client.say(speech("q01"))
        answer = await client.answer()
        said = client.of("conversation.item.input_audio_transcription.completed")[0]
        sound = np.frombuffer(bytes(client.sound), np.int16)
    assert "capital of france" in said["transcript"].lower()
    assert "Paris" in answer
    heard = ears.transcribe(Resampler(RATE_HZ, 16_000).convert(sound), True)
    assert "capital" in heard.text.lower()


async def test_who_speaks_up_is_heard_and_the_answer_is_cut_to_what_was_heard(
    server: Server,
) -> None:
    async with openai_client(server.url) as client:
        await client.ask(LONG)
        delta = await client.wait_for("response.output_audio.delta", 50)
        await client.say(speech("q01"))
        cut = (await client.wait_for("response.done"))["response"]
        assert (cut["status"], cut["status_details"]["reason"]) == ("cancelled", "turn_detected")
        said = cut["output"][0]["content"][0]["transcript"]
        assert "Paris" in await client.answer(2)

        item_id = delta["item_id"]
        await client.connection.conversation.item.truncate(
            item_id=item_id, content_index=0, audio_end_ms=700
        )
        await client.connection.conversation.item.retrieve(item_id=item_id)
        truncated = await client.wait_for("conversation.item.truncated")
        retrieved = (await client.wait_for("conversation.item.retrieved"))["item"]
    assert truncated["audio_end_ms"] == 700
    left = retrieved["content"][0]["transcript"]
    assert said.startswith(left)
    assert len(left) < len(said)


async def test_a_picture_is_looked_at(server: Server) -> None:
    async with openai_client(server.url) as client:
        await client.add(
            {"type": "input_image", "image_url": red_picture()},
            {"type": "input_text", "text": "Which colour is this picture?"},
        )
        await client.connection.response.create()
        assert "red" in (await client.answer()).lower()


async def test_a_conversation_in_writing(server: Server) -> None:
    async with openai_client(server.url) as client:
        await client.update(output_modalities=["text"])
        await client.add({"type": "input_text", "text": "Her name is Anna."}, role="system")
        await client.ask("What is her name?")
        assert "Anna" in await client.answer()
        words = "".join(e["delta"] for e in client.of("response.output_text.delta"))
        assert words.strip() == await client.answer()
        assert not client.sound
        usage = client.of("response.done")[0]["response"]["usage"]
        assert usage["output_tokens"] > 0


async def test_a_function_is_called_and_its_result_is_spoken_of(server: Server) -> None:
    async with openai_client(server.url) as client:
        await client.update(instructions=INSTRUCTIONS, tools=[SET_LIGHT])
        await client.ask("Turn on the light in the kitchen, please.")
        call = await client.wait_for("response.function_call_arguments.done")
        assert call["name"] == "set_light"
        arguments = json.loads(call["arguments"])
        assert (arguments["room"].lower(), arguments["on"]) == ("kitchen", True)
        await client.wait_for("response.done")
        await client.connection.conversation.item.create(
            item={
                "type": "function_call_output",
                "call_id": call["call_id"],
                "output": "The light in the kitchen is on.",
            }
        )
        await client.connection.response.create()
        assert "kitchen" in (await client.answer(2)).lower()


async def test_without_turn_detection_the_client_says_when(server: Server) -> None:
    async with openai_client(server.url) as client:
        await client.update(audio={"input": {"turn_detection": None}})
        await client.append(speech("q01").tobytes())
        await client.connection.input_audio_buffer.commit()
        await client.wait_for("conversation.item.input_audio_transcription.completed")
        assert client.of("response.created") == []
        await client.connection.response.create()
        assert "Paris" in await client.answer()


@pytest.mark.parametrize("audio_format", [AudioFormat.MU_LAW, AudioFormat.A_LAW])
async def test_a_telephone_s_sound_is_understood(
    server: Server, ears: Ears, audio_format: AudioFormat
) -> None:
    formats = {"format": {"type": audio_format.value}}
    spoken = Resampler(RATE_HZ, 8_000).convert(speech("q01"))
    vad = {"type": "server_vad", "silence_duration_ms": 300}
    async with openai_client(server.url) as client:
        await client.update(audio={"input": formats | {"turn_detection": vad}, "output": formats})
        encoded = audio_format.encode(np.concatenate([spoken, np.zeros(8_000, np.int16)]))
        for at in range(0, len(encoded), 320):
            await client.append(encoded[at : at + 320])
            await asyncio.sleep(0.04)
        assert "Paris" in await client.answer()
        sound = audio_format.decode(bytes(client.sound))
    heard = ears.transcribe(Resampler(8_000, 16_000).convert(sound), True)
    assert "capital" in heard.text.lower()


async def test_a_recording_in_the_conversation_is_heard(server: Server) -> None:
    audio = base64.b64encode(speech("q01").tobytes()).decode()
    async with openai_client(server.url) as client:
        await client.add({"type": "input_audio", "audio": audio}, id="spoken")
        await client.connection.response.create()
        assert "Paris" in await client.answer()
        transcript = client.of("conversation.item.input_audio_transcription.completed")[0]
        assert transcript["item_id"] == "spoken"


async def test_what_was_deleted_is_forgotten(server: Server) -> None:
    async with openai_client(server.url) as client:
        await client.update(output_modalities=["text"])
        await client.add({"type": "input_text", "text": "My name is Bartholomew."}, id="name")
        await client.connection.conversation.item.delete(item_id="name")
        await client.wait_for("conversation.item.deleted")
        await client.ask("What is my name?")
        assert "Bartholomew" not in await client.answer()


async def test_one_answer_may_be_asked_for_otherwise(server: Server) -> None:
    async with openai_client(server.url) as client:
        await client.connection.response.create(
            response={"instructions": "Say only: Banana.", "output_modalities": ["text"]}
        )
        assert "banana" in (await client.answer()).lower()
        assert client.of("session.updated") == []


async def test_mistakes_are_answered_with_their_event(server: Server) -> None:
    async with openai_client(server.url) as client:
        await client.connection.conversation.item.delete(item_id="nothing", event_id="mine")
        error = (await client.wait_for("error"))["error"]
    assert error["code"] == "item_delete_invalid_item_id"
    assert error["event_id"] == "mine"
