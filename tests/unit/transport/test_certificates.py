"""A household's certificate authority."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from assistant.errors import ServerError
from assistant.transport.certificates import Certificate, certificate_for

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def read(file: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(file.read_bytes())


def kept(made: Certificate) -> tuple[bytes, bytes]:
    return made.file.read_bytes(), made.authority_file.read_bytes()


def test_it_is_made_once_and_names_what_it_is_for(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    made = certificate_for(folder, ["parley.local", "192.168.1.5", "fd00::2"], now=NOW)
    read(made.file).verify_directly_issued_by(read(made.authority_file))
    names = read(made.file).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(name.value) for name in names] == ["192.168.1.5", "fd00::2", "parley.local"]
    before = kept(made)
    again = certificate_for(folder, ["fd00::2", "192.168.1.5", "parley.local"], now=NOW)
    assert kept(again) == before


@pytest.mark.parametrize(
    ("names", "days"), [(["a.local", "10.0.0.2"], 0), (["a.local"], 380), (["a.local"], 400)]
)
def test_a_new_address_or_the_coming_end_makes_a_new_one_of_the_same_authority(
    tmp_path: Path, names: list[str], days: int
) -> None:
    certificate, authority = kept(certificate_for(tmp_path, ["a.local"], now=NOW))
    later = certificate_for(tmp_path, names, now=NOW + timedelta(days=days))
    assert kept(later)[0] != certificate
    assert kept(later)[1] == authority


def test_an_authority_near_its_end_is_made_anew_with_its_certificate(tmp_path: Path) -> None:
    before = kept(certificate_for(tmp_path, ["a.local"], now=NOW))
    made = certificate_for(tmp_path, ["a.local"], now=NOW + timedelta(days=3_500))
    assert kept(made)[1] != before[1]
    read(made.file).verify_directly_issued_by(read(made.authority_file))


def test_keys_are_for_their_owner_s_eyes_only(tmp_path: Path) -> None:
    made = certificate_for(tmp_path / "state", ["a.local"], now=NOW)
    for key in (made.key_file, tmp_path / "state" / "authority-key.pem"):
        assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_a_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServerError, match="file/state"):
        certificate_for(tmp_path / "file" / "state", ["a.local"])


def test_a_damaged_authority_is_named(tmp_path: Path) -> None:
    made = certificate_for(tmp_path, ["a.local"])
    made.authority_file.write_text("nonsense")
    with pytest.raises(ServerError, match=str(tmp_path)):
        certificate_for(tmp_path, ["a.local"])
