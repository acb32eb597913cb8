"""The sentence encoder on its real weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assistant.bench.answers_router import held_out, score
from assistant.bench.document_questions import measure_retrieval
from assistant.bench.question_pairs import judge, read_pairs
from assistant.config_answers import CacheConfig
from assistant.errors import ModelFileError
from assistant.marked_questions import MarkedQuestions, marked_questions
from assistant.model_store import ModelStore
from assistant.recall.encoder import SentenceEncoder
from assistant.router import route

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return SentenceEncoder(ModelStore(Path("models")).folder("all-minilm-l6-v2"))


def test_vectors_have_length_one_and_do_not_depend_on_company(encoder: SentenceEncoder) -> None:
    texts = ["Where is the station?", "A much longer sentence about cooking rice in a pot."]
    together = encoder.encode(texts)
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    assert np.allclose(together, alone, atol=1e-5)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert encoder.encode([]).shape[0] == 0


def test_what_means_the_same_lies_closer(encoder: SentenceEncoder) -> None:
    question, same, other = encoder.encode(
        ["How tall is Mount Everest?", "What is the height of Mount Everest?", "Who wrote Hamlet?"]
    )
    assert question @ same > 0.9 > 0.3 > question @ other


@pytest.mark.parametrize("is_held_out", [False, True])
def test_of_near_misses_hardly_one_in_a_hundred_passes(
    is_held_out: bool, encoder: SentenceEncoder
) -> None:
    pairs = [pair for pair in read_pairs() if pair.is_held_out is is_held_out]
    assert len(pairs) >= 200
    judged = judge(pairs, encoder, similarity=CacheConfig().similarity)
    assert judged.wrong_hit_rate <= 0.01
    assert judged.hit_rate >= 0.4


def test_held_out_questions_go_where_they_belong(encoder: SentenceEncoder) -> None:
    learned = MarkedQuestions(marked_questions(), encoder.encode)
    asked = held_out()
    assert len(asked) >= 120
    assert not {each.question for each in asked} & {each.question for each in marked_questions()}
    sent = [route(each.question, is_hard=learned.is_hard).tier for each in asked]
    assert score(asked, sent)["accuracy"] > 0.85


def test_a_folder_without_an_encoder_is_explained(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="holds no sentence encoder"):
        SentenceEncoder(tmp_path)


def test_questions_about_our_own_documents_find_their_passages(encoder: SentenceEncoder) -> None:
    retrieval = measure_retrieval(encoder)
    assert retrieval.n >= 60
    assert retrieval.hit_at_5 >= 0.7
