"""Questions and answers in a plain file, for a front desk.

    # A line that begins with # is a remark.
    Q: What are your opening hours?
    Q: When are you open?
    A: We are open from nine to five, Monday to Friday.

An empty line stands between one answer and the next questions; an answer may go over several lines.
"""

from __future__ import annotations

from pathlib import Path

from assistant.errors import RecallError
from assistant.recall.answer_store import KnownAnswer


def read_templates(file: Path) -> tuple[KnownAnswer, ...]:
    """One for each question. Raises RecallError that names file and line."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecallError(f"{file} cannot be read as UTF-8 text: {error}") from error
    known = list[KnownAnswer]()
    questions, answer = list[str](), list[str]()
    for n, line in enumerate([*text.splitlines(), ""], start=1):
        stripped = line.strip()
        mark, said = stripped[:2], stripped[2:].strip()
        if stripped.startswith("#"):
            continue
        if mark == "Q:" and said and not answer:
            questions.append(said)
        elif mark == "A:" and said and questions and not answer:
            answer.append(said)
        elif stripped and answer and mark not in ("Q:", "A:"):
            answer.append(stripped)
        elif not stripped and answer:
            known += [KnownAnswer(question, " ".join(answer)) for question in questions]
            questions, answer = [], []
        elif stripped or questions:
            raise RecallError(
                f"{file}, line {n}: expected questions (Q: ...), then their answer (A: ...), then "
                "an empty line"
            )
    return tuple(known)
