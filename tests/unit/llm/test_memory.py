"""What is kept and taken back on real caches of each kind, of generated models."""

from contextlib import closing
from pathlib import Path

import pytest

from assistant.config import BrainConfig
from assistant.llm.engine import Engine
from assistant.llm.model import Model
from assistant.llm.prefix import Memory
from assistant.types import Message, Prompt, Role
from assistant.worker_host import Leaving
from tests.logits import watch_logits
from tests.tiny_vision_model import WINDOW, make_tiny_brain

CONFIG = BrainConfig(
    temperature=0,
    repeat_penalty=1.5,
    context_tokens=1_024,
    max_conversations=2,
    system_prompt="Say.",
    threads=1,
)
SYSTEM = Message(role=Role.SYSTEM, text=CONFIG.system_prompt)
BEGINNING = "This is long enough for the window to have gone past its beginning. "


def asked(text: str) -> Prompt:
    return (SYSTEM, Message(role=Role.USER, text=text))


@pytest.mark.parametrize(
    ("kind", "memory"),
    [("llama", Memory.FULL), ("cohere2", Memory.SLIDING), ("mamba", Memory.RECURRENT)],
)
def test_words_that_change_leave_no_trace(kind: str, memory: Memory, tmp_path: Path) -> None:
    make_tiny_brain(tmp_path / "model.gguf", kind=kind)
    with closing(Model(tmp_path / "model.gguf")) as model:
        assert model.memory is memory
        assert model.sliding_window == (WINDOW if kind == "cohere2" else 0)
    said = (BEGINNING + "So much for", BEGINNING + "So what is it?", "So?", BEGINNING + "So long.")
    with closing(Engine(CONFIG, tmp_path, None, tmp_path)) as engine:
        for n, text in enumerate(said):
            engine.prefill(asked(text[:-4]), Leaving())
            leaving = Leaving()
            for _ in engine.reply(asked(text), 9, leaving):
                if n % 2:
                    leaving.set()
            again = watch_logits(engine, asked(text), max_tokens=3)
            with closing(Engine(CONFIG, tmp_path, None, tmp_path / "anew")) as fresh:
                anew = watch_logits(fresh, asked(text), max_tokens=3)
            for one, other in zip(again, anew, strict=True):
                assert abs(one - other).max() < 0.001
