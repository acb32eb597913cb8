"""What comes with the program and is no code: the page, the profiles, the models' manifests."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

_PACKAGE = Path(__file__).parent


def shipped(folder: Literal["client_web", "configs", "models"]) -> Path:
    """Inside the package where it was installed from a wheel, beside it in a checkout."""
    installed = _PACKAGE / "shipped" / folder
    return installed if installed.is_dir() else _PACKAGE.parent / folder
