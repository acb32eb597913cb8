from __future__ import annotations

from pathlib import Path

import pytest

from assistant.config import Config
from assistant.model_store import ModelStore, required_models

pytestmark = pytest.mark.models


@pytest.mark.parametrize("model_id", required_models(Config()))
def test_every_byte_of_the_default_models_is_right(model_id: str) -> None:
    ModelStore(Path(__file__).parents[2] / "models").verify(model_id)
