"""Pure: where requests go, a prompt as messages of OpenAI's chat completions, and the chunks of an
answer."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from assistant.config_answers import RemoteConfig
from assistant.errors import ConfigError
from assistant.types import ImageFrame, Message, Prompt

Encode = Callable[[ImageFrame], bytes]
"""A picture as a JPEG."""


def endpoint(config: RemoteConfig) -> str:
    """Where requests go. Raises ConfigError."""
    url = config.endpoint.replace("{region}", config.region)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(
            "remote.endpoint must be an http or https URL, such as http://127.0.0.1:8000/v1"
        )
    if "@" in parts.netloc:
        raise ConfigError("remote.endpoint holds a password: put the key in remote.api_key_file")
    if not config.model:
        raise ConfigError("remote.model is empty: name a model of that endpoint")
    return url


def messages(prompt: Prompt, encode: Encode | None) -> list[dict[str, Any]]:
    """`encode`: None where pictures stay here."""
    return [
        {"role": message.role.value, "content": _content(message, encode)} for message in prompt
    ]


def _content(message: Message, encode: Encode | None) -> Any:
    if message.image is None or encode is None:
        return message.text
    picture = base64.b64encode(encode(message.image)).decode()
    url = f"data:image/jpeg;base64,{picture}"
    return [
        {"type": "image_url", "image_url": {"url": url}},
        {"type": "text", "text": message.text},
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """One event of a streamed answer."""

    text: str = ""
    is_last: bool = False
    """Whether the model has ended its answer. Without such a chunk the line has broken."""

    usage: Mapping[str, Any] | None = None


DONE = "[DONE]"


def read_chunk(data: str) -> Chunk:
    """What an event holds. Raises ValueError where it is no chunk of an answer."""
    try:
        chunk = json.loads(data)
        choices, usage = chunk["choices"], chunk.get("usage")
        if usage is not None and not isinstance(usage, dict):
            raise ValueError("usage is no object")
        if not choices:
            return Chunk(usage=usage)  # behind the last one
        text = choices[0]["delta"].get("content") or ""
        ended = choices[0].get("finish_reason") is not None
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError("not a chunk of an answer") from error
    if not isinstance(text, str):
        raise ValueError("the content is no text")
    return Chunk(text=text, is_last=ended, usage=usage)
