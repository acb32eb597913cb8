"""A certificate authority for one household: made once, trusted once on each phone.

Browsers give a page the microphone over TLS only, and nobody else certifies a name on a LAN.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from assistant.errors import ServerError

AUTHORITY_DAYS = 3_650
CERTIFICATE_DAYS = 397
"""Apple's devices trust none that is good for longer than 825, and other browsers than 398."""

RENEWED_DAYS = 30
"""Before the end."""

_SLACK = timedelta(days=1)
"""Clocks differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    file: Path
    key_file: Path
    authority_file: Path
    """What phones have to trust."""


def certificate_for(
    folder: Path, names: Iterable[str], *, now: datetime | None = None
) -> Certificate:
    """One for these host names and addresses, as before where it still fits. Raises ServerError."""
    now = now or datetime.now(UTC)
    made = Certificate(
        file=folder / "certificate.pem",
        key_file=folder / "key.pem",
        authority_file=folder / "authority.crt",
    )
    wanted = sorted(set(names))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        authority, key = _authority(made.authority_file, folder / "authority-key.pem", now)
        if not _fits(made, authority, wanted, now):
            _make_certificate(made, authority, key, wanted, now)
    except (OSError, ValueError) as error:
        raise ServerError(f"No certificate can be kept in {folder}: {error}.") from error
    return made


def _authority(
    file: Path, key_file: Path, now: datetime
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    if file.exists() and key_file.exists():
        authority = x509.load_pem_x509_certificate(file.read_bytes())
        key = serialization.load_pem_private_key(key_file.read_bytes(), None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise ValueError(f"{key_file} holds no key of ours")
        if authority.not_valid_after_utc > now + timedelta(days=CERTIFICATE_DAYS):
            return authority, key
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Parley on this network")])
    usage = x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
    authority = (
        _builder(name, name, key.public_key(), now, AUTHORITY_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    _write_key(key_file, key)
    file.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    return authority, key


def _make_certificate(
    made: Certificate,
    authority: x509.Certificate,
    authority_key: ec.EllipticCurvePrivateKey,
    names: list[str],
    now: datetime,
) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Parley")])
    issuer_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key())
    certificate = (
        _builder(subject, authority.subject, key.public_key(), now, CERTIFICATE_DAYS)
        .add_extension(x509.SubjectAlternativeName(list(map(_name, names))), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(issuer_key, critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    _write_key(made.key_file, key)
    made.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


def _fits(made: Certificate, authority: x509.Certificate, names: list[str], now: datetime) -> bool:
    if not (made.file.exists() and made.key_file.exists()):
        return False
    certificate = x509.load_pem_x509_certificate(made.file.read_bytes())
    known = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    try:
        certificate.verify_directly_issued_by(authority)
    except Exception:  # cryptography raises whatever its parts do: another authority's
        return False
    return sorted(
        map(str, _values(known))
    ) == names and certificate.not_valid_after_utc > now + timedelta(days=RENEWED_DAYS)


def _values(known: x509.SubjectAlternativeName) -> list[object]:
    return [name.value for name in known]


def _name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    now: datetime,
    days: int,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SLACK)
        .not_valid_after(now - _SLACK + timedelta(days=days))
    )


def _write_key(file: Path, key: ec.EllipticCurvePrivateKey) -> None:
    """For its owner's eyes only, from its first byte on."""
    file.unlink(missing_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        out.write(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
