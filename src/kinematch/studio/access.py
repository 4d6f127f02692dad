"""Access: words about who can reach the server now, and what a headset's browser will say."""

from kinematch.studio.certificate import ANY, Certificate, list_addresses
from kinematch.studio.guard import is_loopback


def describe_access(host: str, port: int, certificate: Certificate | None, *, vr: bool = False) -> list[str]:
    """What the one who starts the server must know, a sentence or two each."""
    scheme = "http" if certificate is None else "https"
    lines = []
    if is_loopback(host):
        if vr or certificate is not None:
            lines.append(
                "Only this machine can connect. A headset of its own cannot: give --host with this machine's "
                "address in your network, and --https."
            )
    else:
        found = list_addresses() if host in ANY else [host]
        places = ", ".join(f"{scheme}://{f'[{one}]' if ':' in one else one}:{port}" for one in found)
        lines.append(f"From other machines: {places or f'{scheme}://(this machine):{port}'}")
        lines.append(
            "Everybody who can reach this address can watch now, take the stick when it is free, and enter the room "
            "with a body; there is no password. Use a network that you trust."
        )
        if vr and certificate is None:
            lines.append("Browsers allow headsets on other machines over https alone: add --https.")
    if certificate is not None:
        lines.append(
            "The browser will warn that the connection is not private or the certificate is not trusted, since this "
            "machine made it: choose Advanced, compare the fingerprint if you like, and go on."
        )
        lines.append(f"Fingerprint (SHA-256): {certificate.fingerprint}")
    return lines
