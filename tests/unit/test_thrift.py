from __future__ import annotations

from assistant.fallback import Plan
from assistant.thrift import Thrift, ThriftyBrain
from assistant.types import Message, Role
from tests.fakes import ScriptedBrain

PROMPT = (Message(role=Role.USER, text="Hello"),)


async def test_whoever_is_as_thrifty_as_it_has_to_be_now_is_asked() -> None:
    usual, thrifty = ScriptedBrain(["Good day."]), ScriptedBrain(["Hi."])
    plans = [Plan()]
    brain = ThriftyBrain(
        lambda thrift: usual if thrift == Thrift() else thrifty, lambda: plans[-1].thrift
    )
    said = []
    for use_strong in (True, False, True):
        plans.append(Plan(use_strong=use_strong))
        await brain.prefill(PROMPT)
        async with brain.reply(PROMPT, max_tokens=9) as pieces:
            said.append("".join([piece.text async for piece in pieces]))
    assert said == ["Good day.", "Hi.", "Good day."]
    assert (len(usual.prefilled), len(thrifty.prefilled)) == (2, 1)
