"""`assistant voices`: every voice by name, with what it speaks and whether it is here."""

from __future__ import annotations

from rich.console import Console

from assistant.known_voices import known_voices, standard_voice
from assistant.model_store import ModelStore


def list_voices(store: ModelStore, model: str) -> int:
    """Print what `voice.model` may be; `model` is what it is. Returns the exit status.

    Raises ModelFileError.
    """
    voices = known_voices(store)
    speaking = standard_voice(voices, store, model)
    width = max(len(voice.id) for voice in (*voices.piper, *voices.espeak))
    _say("Piper:")
    for voice in voices.piper:
        manifest = store.manifest(voice.id)
        licence = ": ".join(filter(None, (manifest.licence, manifest.licence_note)))
        here = "here" if voice.is_here else ""
        languages = ", ".join(voice.languages)
        _say(f"  {voice.id:{width}}  {languages:3} {here:5} {voice.summary} ({licence})")
    if voices.espeak:
        _say("espeak-ng, like a machine, for where no better voice is here (GPL-3.0):")
    for voice in voices.espeak:
        _say(f"  {voice.id:{width}}  {voice.summary}")
    _say(f"With these settings {speaking.id} speaks.")
    return 0


def _say(line: str) -> None:
    Console().print(line, markup=False, highlight=False, soft_wrap=True)
