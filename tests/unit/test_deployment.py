"""The files that put Parley on other machines name what is really there."""

from __future__ import annotations

import configparser
import re
import subprocess
from pathlib import Path

import pytest

from assistant.config_file import load
from assistant.shipped import shipped

CONFIGS = shipped("configs")
SCRIPTS = [CONFIGS / "systemd/install.sh", CONFIGS / "container/start.sh"]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_sound_and_name_real_settings(script: Path) -> None:
    subprocess.run(["sh", "-n", script], check=True)
    settings = re.findall(r"--set (\S+)", script.read_text())
    load(overrides=settings)


def test_the_service_runs_without_root_and_is_watched() -> None:
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(CONFIGS / "systemd/parley.service")
    service = unit["Service"]
    assert (service["Type"], service["User"], service["ProtectSystem"]) == (
        "notify",
        "parley",
        "strict",
    )
    assert int(service["WatchdogSec"]) > 0


def test_the_container_publishes_the_ports_that_it_uses() -> None:
    containerfile = (CONFIGS / "container/Containerfile").read_text()
    start = (CONFIGS / "container/start.sh").read_text()
    first, last = re.findall(r"udp_(?:first|last)_port=(\d+)", start)
    assert f"EXPOSE 8080 {first}-{last}/udp" in containerfile
