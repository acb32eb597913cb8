from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from assistant.config import AlertConfig, Config
from assistant.config_file import load
from assistant.config_text import default_toml
from assistant.errors import ConfigError

CONFIGS = Path(__file__).parents[2] / "configs"


def write(folder: Path, text: str) -> Path:
    file = folder / "a.toml"
    file.write_text(text)
    return file


def test_unset_keys_keep_their_defaults(tmp_path: Path) -> None:
    config = load(write(tmp_path, "[endpointing]\nmax_silence_ms = 1200\n"))
    assert config.endpointing.max_silence_ms == 1200
    assert config.endpointing.pause_ms == 130


def test_overrides_win_over_the_file(tmp_path: Path) -> None:
    file = write(tmp_path, "[server]\nport = 9000\n")
    config = load(file, ["server.port=9001", "brain.model=tiny", "server.ice_servers=['stun:a']"])
    assert config.server.port == 9001
    assert config.brain.model == "tiny"
    assert config.server.ice_servers == ("stun:a",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[endpointing]\npause = 600\n", r"a\.toml: unknown key 'endpointing.pause'; known here: "),
        ("[endpoint]\n", "unknown key 'endpoint'"),
        ("[endpointing]\npause_ms = 'x'\n", "endpointing.pause_ms must be a whole number, not 'x'"),
        ("[endpointing]\npause_ms = true\n", "must be a whole number, not True"),
        ("[server]\nport = 70000\n", "server.port must be from 0 to 65535, not 70000"),
        ("[ears]\nallowed_languages = 'en'\n", "ears.allowed_languages must be a list"),
        ("server = 3\n", r"write \[server\]"),
        ("x = \n", r"a\.toml: "),
        (
            "[[monitoring.alerts]]\nlimit_ms = 0\n",
            r"monitoring\.alerts\[0\]\.limit_ms must be from 1",
        ),
        ("[monitoring]\nalerts = [3]\n", r"monitoring\.alerts\[0\] must be a table of keys"),
        ("[monitoring]\nwebhook = 'ftp://a'\n", "monitoring.webhook must be an http or https URL"),
        ("[budget]\ntts_ms = 900\n", "add up to 1800 ms"),
        ("[budget]\nasr_ms = 0\n", "budget.asr_ms is 0: its stage would be late in every turn"),
    ],
)
def test_mistake_is_named(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        load(write(tmp_path, text))


@pytest.mark.parametrize(
    ("overrides", "languages"),
    [
        ([], ("en",)),
        (["ears.model=whisper-base"], ("en", "zh", "fr")),
        (["ears.model=whisper-base", "ears.allowed_languages=['de']"], ("de",)),
        (["ears.model=whisper-base", "ears.language=zh"], ("zh",)),
    ],
)
def test_the_recognizer_decides_in_which_languages_people_may_speak(
    overrides: list[str], languages: tuple[str, ...]
) -> None:
    assert load(CONFIGS / "default.toml", overrides).ears.languages == languages


def test_missing_file_is_named() -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml: cannot be read"):
        load(Path("nowhere.toml"))


def test_default_toml_says_what_the_program_does() -> None:
    assert (CONFIGS / "default.toml").read_text() == default_toml()
    assert load(CONFIGS / "default.toml") == Config()


@pytest.mark.parametrize("name", ["edge", "desktop", "gpu", "zh", "coding", "frontdesk", "agent"])
def test_profiles_hold_only_what_differs(name: str) -> None:
    file = CONFIGS / f"{name}.toml"
    load(file)
    defaults = tomllib.loads(default_toml())
    for section, keys in tomllib.loads(file.read_text()).items():
        for key, value in keys.items():
            assert value != defaults[section][key], f"{section}.{key} is the default"


def test_alerts_of_the_file_take_the_place_of_the_default_ones(tmp_path: Path) -> None:
    text = "[[monitoring.alerts]]\nstage = 'tts'\nlimit_ms = 300\n\n[[monitoring.alerts]]\n"
    first, second = load(write(tmp_path, text)).monitoring.alerts
    assert (first.stage, first.limit_ms, first.percentile) == ("tts", 300, 95)
    assert second == AlertConfig()
    assert load(None, ["monitoring.alerts=[]"]).monitoring.alerts == ()
