"""Certificate: one of our own, so that a headset's browser gets the https that WebXR asks for."""

import ipaddress
import os
import socket
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from kinematch.access.guard import is_loopback
from kinematch.errors import FileError
from kinematch.writing import replacing

if TYPE_CHECKING:
    from cryptography import x509

VALID = timedelta(days=365)
RENEWAL_TIME = timedelta(days=7)  # of validity left, below which a certificate is replaced
ANY = ("", "0.0.0.0", "::")  # hosts that stand for all addresses of this machine


@dataclass(frozen=True)
class Certificate:
    """Where the files of a certificate are, and how a user knows it again."""

    certificate: Path
    key: Path  # readable by its owner alone
    fingerprint: str  # SHA-256, as browsers show it
    names: tuple[str, ...]  # addresses and host names that it is for


def find_names(host: str) -> tuple[str, ...]:
    """The names and addresses under which a server that listens on a host can be reached."""
    names = {"localhost", "127.0.0.1", "::1"}
    if host not in ANY:
        names.add(host.lower())
    if not is_loopback(host):
        own = socket.gethostname().lower()
        names |= {own, f"{own}.local"}
    if host in ANY:
        names |= set(list_addresses())
    return tuple(sorted(names))


def list_addresses() -> list[str]:
    """Addresses of this machine on its networks: those that packets leave from, then those of its name."""
    found = []
    for family, place in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as route:
            route.connect((place, 9))  # finds a route; nothing is sent
            found.append(str(route.getsockname()[0]))
    with suppress(OSError):  # on many systems the name leads to loopback alone
        own = socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM)
        found += sorted({str(info[4][0]) for info in own})
    return [one for one in dict.fromkeys(found) if "%" not in one and not is_loopback(one)]


def open_certificate(host: str, folder: Path) -> Certificate:
    """The certificate for a host, kept in a folder; replaced where it is missing, old or for other names."""
    place, key, names = folder / "https.crt", folder / "https.key", find_names(host)
    found = _read(place, key)
    if found is None or not set(names) <= set(found.names):
        _write(place, key, names)
        found = _read(place, key)
        if found is None:
            raise FileError(place, "cannot be read again after it was written")
    return found


def _read(place: Path, key: Path) -> Certificate | None:
    """A certificate that still holds and belongs to its key, or None."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        made = x509.load_pem_x509_certificate(place.read_bytes())
        secret = load_pem_private_key(key.read_bytes(), password=None)
        others = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, TypeError, x509.ExtensionNotFound):
        return None
    if made.not_valid_after_utc - RENEWAL_TIME < datetime.now(UTC) or made.public_key() != secret.public_key():
        return None
    if os.name == "posix" and key.stat().st_mode & 0o077:  # others could have read it
        return None
    names = (*others.get_values_for_type(x509.DNSName), *map(str, others.get_values_for_type(x509.IPAddress)))
    return Certificate(place, key, made.fingerprint(hashes.SHA256()).hex(":").upper(), names)


def _write(place: Path, key: Path, names: tuple[str, ...]) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    secret = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Kinematch Studio on this machine")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(secret.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))  # clocks of headsets go wrong
        .not_valid_after(now + VALID)
        .add_extension(x509.SubjectAlternativeName([_name(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(secret, hashes.SHA256())
    )
    pem = secret.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    place.parent.mkdir(parents=True, exist_ok=True)
    for path, content in ((key, pem), (place, made.public_bytes(serialization.Encoding.PEM))):
        with replacing(path) as part:
            part.touch(0o600, exist_ok=False)  # never readable by others, not even for a moment
            part.write_bytes(content)


def _name(name: str) -> "x509.GeneralName":
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
