"""What pip installs works without the repository."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel's content."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--wheel-dir", str(folder), str(REPOSITORY)], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "assistant", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_brings_the_page_the_profiles_and_the_manifests_and_no_weights(installed: Path) -> None:
    shipped = installed / "assistant/shipped"
    assert (shipped / "client_web/index.html").is_file()
    assert (shipped / "client_web/dashboard/index.html").is_file()
    assert {path.name for path in (REPOSITORY / "models").glob("*.toml")} == {
        path.name for path in (shipped / "models").glob("*.toml")
    }
    assert (shipped / "configs/edge.toml").is_file()
    assert not list(installed.rglob("node_modules"))
    assert sum(path.stat().st_size for path in installed.rglob("*") if path.is_file()) < 5_000_000


def test_it_knows_its_models_and_profiles_from_any_folder(installed: Path, tmp_path: Path) -> None:
    listed = run(installed, tmp_path, "models", "list", "--config", "edge.toml")
    assert listed.returncode == 0, listed.stderr
    assert "whisper-tiny.en" in listed.stdout
    unknown = run(installed, tmp_path, "models", "list", "--config", "nowhere.toml")
    assert unknown.returncode == 2
    assert "nowhere.toml" in unknown.stderr


def test_it_says_what_to_pull(installed: Path, tmp_path: Path) -> None:
    asked = run(installed, tmp_path, "ask", "--text", "Hello")
    assert asked.returncode == 1
    assert "assistant models pull" in asked.stderr
    assert "Traceback" not in asked.stderr
