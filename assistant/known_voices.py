"""The voices of this machine: Piper's by their manifests, espeak-ng's by what it says itself."""

from __future__ import annotations

import logging

from assistant.errors import ModelFileError, VoiceError
from assistant.model_manifest import ModelRole
from assistant.model_store import ModelStore
from assistant.tts.espeak_library import EspeakLibrary
from assistant.voices import KnownVoice, Voices, espeak_voice

logger = logging.getLogger(__name__)


def known_voices(store: ModelStore) -> Voices:
    """Raises ModelFileError."""
    return Voices(
        piper=tuple(
            KnownVoice(
                id=manifest.id,
                summary=manifest.summary,
                languages=manifest.languages,
                is_here=store.is_present(manifest.id),
            )
            for manifest in store.manifests()
            if manifest.role is ModelRole.VOICE
        ),
        espeak=_espeak_voices(),
    )


def standard_voice(voices: Voices, store: ModelStore, model: str) -> KnownVoice:
    """Who speaks where `voice.model` is `model`: that voice, or one that stands in for it.

    Raises ModelFileError.
    """
    voice = voices.standing_in_for(model)
    if voice is None:
        store.folder(model)  # raises, unless it is a model of another kind
        raise ModelFileError(f"voice.model is {model!r}, which is no voice; see `assistant voices`")
    if voice.id != model:
        logger.warning("%s; meanwhile %s speaks", _what_is_wrong(model, store), voice.id)
    return voice


def _what_is_wrong(model: str, store: ModelStore) -> str:
    try:
        store.folder(model)
    except ModelFileError as error:
        return str(error)
    return f"{model} cannot speak"


def _espeak_voices() -> tuple[KnownVoice, ...]:
    try:
        languages = EspeakLibrary().languages()
    except VoiceError as error:
        logger.warning("%s", error)
        return ()
    return tuple(espeak_voice(language, voice.name) for language, voice in languages.items())
