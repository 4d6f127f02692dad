"""Access: words about who can reach the server now, the address as a code, and what a headset's browser will say."""

import io

from kinematch.access.certificate import ANY, Certificate, list_addresses
from kinematch.access.guard import is_loopback
from kinematch.access.keys import AccessKey


def describe_access(
    host: str,
    port: int,
    certificate: Certificate | None,
    *,
    key: AccessKey | None = None,
    vr: bool = False,
    shares_project: bool = False,
) -> list[str]:
    """What the one who starts the server must know, a sentence or two each."""
    lines = []
    if is_loopback(host):
        if vr or certificate is not None:
            lines.append(
                "Only this machine can connect. A headset of its own cannot: give --host with this machine's "
                "address in your network, and --https."
            )
    else:
        places = list_places(host, port, certificate is not None)
        told = ", ".join(key.add_to(one) if key else one for one in places)
        lines.append(f"From other machines: {told or 'the same, with a name or address of this machine'}")
        lines.append(
            "Whoever has the key in this address can watch, take the stick when it is free, and enter the room with a "
            + ("body, and read and change the project's files." if shares_project else "body, but not the project.")
        )
        if certificate is None:
            lines.append("Without --https, others in the network can read the key and all else that is sent.")
        if vr and certificate is None:
            lines.append("Browsers allow headsets on other machines over https alone: add --https.")
    if certificate is not None:
        lines.append(
            "The browser will warn that the connection is not private or the certificate is not trusted, since this "
            "machine made it: choose Advanced, compare the fingerprint if you like, and go on."
        )
        lines.append(f"Fingerprint (SHA-256): {certificate.fingerprint}")
    return lines


def list_places(host: str, port: int, secure: bool) -> list[str]:
    """The addresses under which other machines find the server."""
    found = list_addresses() if host in ANY else [host]
    if host != "::":  # which alone listens on both kinds
        found = [one for one in found if ":" not in one or one == host]
    return [f"{'https' if secure else 'http'}://{f'[{one}]' if ':' in one else one}:{port}/" for one in found]


def draw_code(address: str) -> list[str]:
    """A QR code of the address, two rows of it in each line of text, for a dark terminal or a light one."""
    import segno

    drawn = io.StringIO()
    segno.make(address, error="l", micro=False).terminal(drawn, border=2, compact=True)
    return drawn.getvalue().splitlines()
