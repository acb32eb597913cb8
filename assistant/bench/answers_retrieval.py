"""The part of `assistant bench answers` that is about documents of one's own."""

from __future__ import annotations

from assistant.bench.document_questions import measure_retrieval
from assistant.bench.report import Report, console, print_table, spread
from assistant.config import Config
from assistant.model_store import ModelStore
from assistant.recall.encoder import SentenceEncoder


def measure_documents(config: Config) -> Report:
    """Questions about this repository's own documents."""
    store = ModelStore(config.models.folder)
    retrieval = measure_retrieval(SentenceEncoder(store.folder(config.cache.encoder_model)))
    for question in retrieval.missed:
        console.print(f"not among the first five: {question}", markup=False)
    search_ms = spread(list(retrieval.search_ms))
    print_table(
        f"{retrieval.n} questions",
        ("", "hit rate at 5", "search p50 ms", "p95 ms"),
        [("retrieval", retrieval.hit_at_5, search_ms["p50"], search_ms["p95"])],
    )
    return {"n": retrieval.n, "hit_at_5": retrieval.hit_at_5, "search_ms": search_ms}
