"""OSC messages over UDP: written, gathered in bundles that fit a packet, sent and received with bounds."""

import ipaddress
import socket
import struct
import time
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pythonosc import osc_message
from pythonosc.parsing import osc_types

from kinematch.errors import KinematchError

MAX_BUNDLE_BYTES = 1200  # bytes: what fits a packet on every network
MAX_DATAGRAM_BYTES = 65_536  # bytes, more than UDP carries
MAX_BUNDLE_DEPTH = 4  # bundles inside bundles
MAX_MESSAGES = 500  # in a datagram; a body with face and fingers is 200
BUNDLE = b"#bundle\0"
IMMEDIATELY = struct.pack(">q", 1)
# bytes of each type of value that we read, at least; python-osc logs a warning about types it does not know, and
# a truncated value is filled with zeros
SIZES = {"i": 4, "h": 8, "f": 4, "d": 8, "s": 4, "T": 0, "F": 0, "N": 0}


class OscMessage(NamedTuple):
    address: str
    values: list[Any]


class MalformedPacket(Exception):
    """A datagram that is not OSC."""


def encode_message(address: str, *values: str | int | float) -> bytes:
    """A message with strings, whole numbers (32 bits) and other numbers (floats of 32 bits)."""
    tags, content = ",", b""
    for value in values:
        if isinstance(value, str):
            tags, content = tags + "s", content + osc_types.write_string(value)
        elif isinstance(value, int):
            tags, content = tags + "i", content + struct.pack(">i", value)
        else:
            tags, content = tags + "f", content + struct.pack(">f", value)
    return osc_types.write_string(address) + osc_types.write_string(tags) + content


def make_bundles(messages: Iterable[bytes], largest: int = MAX_BUNDLE_BYTES) -> list[bytes]:
    """Bundles of messages in their order, each within a number of bytes; a longer message is sent alone."""
    bundles, parts, size = [], [BUNDLE, IMMEDIATELY], 16
    for message in messages:
        if size + 4 + len(message) > largest and len(parts) > 2:
            bundles.append(b"".join(parts))
            parts, size = [BUNDLE, IMMEDIATELY], 16
        parts += [struct.pack(">i", len(message)), message]
        size += 4 + len(message)
    return [*bundles, b"".join(parts)] if len(parts) > 2 else bundles


def parse_packet(datagram: bytes, depth: int = 0) -> list[OscMessage]:
    """The messages of a datagram, from bundles too; one broken message spoils the datagram."""
    if datagram.startswith(b"/"):
        return [_parse_message(datagram)]
    if not datagram.startswith(BUNDLE) or len(datagram) < 16 or depth >= MAX_BUNDLE_DEPTH:
        raise MalformedPacket
    messages, place = [], 16
    while place < len(datagram):  # python-osc would go round in circles on sizes below zero
        size = int.from_bytes(datagram[place : place + 4], signed=True)
        place += 4
        if size <= 0 or size % 4 or place + size > len(datagram):
            raise MalformedPacket
        messages += parse_packet(datagram[place : place + size], depth + 1)
        place += size
        if len(messages) > MAX_MESSAGES:
            raise MalformedPacket
    return messages


def _parse_message(datagram: bytes) -> OscMessage:
    start = (datagram.find(b"\0") // 4 + 1) * 4
    end = datagram.find(b"\0", start)
    tags = datagram[start:end].decode("ascii", "replace").removeprefix(",")
    if end < 0 or not SIZES.keys() >= set(tags) or sum(SIZES[tag] for tag in tags) > len(datagram) - end:
        raise MalformedPacket
    try:
        message = osc_message.OscMessage(datagram)
        return OscMessage(message.address, message.params)
    except (osc_message.ParseError, osc_types.ParseError, ValueError, IndexError, struct.error, OverflowError):
        raise MalformedPacket from None


def parse_address(text: str, port: int) -> tuple[str, int]:
    """Host and port from HOST, HOST:PORT, [IPV6]:PORT, :PORT or PORT; loopback and the given port if left out."""
    text = f":{text}" if text.isascii() and text.isdigit() else text
    host, colon, rest = text.rpartition(":")
    if not colon or (":" in host and not host.endswith("]")):  # no port, or a bare IPv6 address
        host, rest = text, ""
    host = host.strip("[]") or "127.0.0.1"
    if rest:
        port = int(rest) if rest.isascii() and rest.isdigit() else -1
    if not 0 < port < 65536 or any(character.isspace() for character in host):
        raise KinematchError(f"{text!r} is not an address, expected HOST:PORT such as 127.0.0.1:39539")
    return host, port


def is_loopback(host: str) -> bool:
    """Whether an address or name stays on this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _find_socket(host: str, port: int) -> tuple[int, int, tuple[Any, ...]]:
    """Family, kind and address of a socket."""
    if not 0 <= port < 65536:
        raise KinematchError(f"port {port}, expected 0 to 65535")
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    except (OSError, UnicodeError):
        raise KinematchError(f"no machine {host!r} is known") from None
    return family, kind, address


class OscSender:
    """Sends datagrams to one address. What the network refuses is counted, never raised."""

    def __init__(self, host: str, port: int, *, gap: float = 0.0):
        """`gap` [s]: pause between the datagrams of a frame; some old receivers lose bursts and need 0.003."""
        if not 0 <= gap <= 0.1:
            raise KinematchError(f"a gap of {gap} s between datagrams, expected 0 to 0.1")
        family, kind, address = _find_socket(host, port)
        self.address: tuple[Any, ...] = address
        self.gap, self.sent, self.lost = gap, 0, 0  # datagrams
        self._socket = socket.socket(family, kind)
        self._socket.setblocking(False)

    def send(self, datagrams: Iterable[bytes]) -> None:
        """Send datagrams in order."""
        for n, datagram in enumerate(datagrams):
            if n and self.gap:
                time.sleep(self.gap)
            try:
                self._socket.sendto(datagram, self.address)
                self.sent += 1
            except OSError:  # no listener, no network, or a full buffer
                self.lost += 1

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


class OscReceiver:
    """Receives messages on one port without waiting; by default from this machine alone."""

    def __init__(self, port: int, host: str = "127.0.0.1"):
        family, kind, address = _find_socket(host, port)
        self._socket = socket.socket(family, kind)
        try:
            self._socket.bind(address)
        except OSError as error:
            self._socket.close()
            raise KinematchError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
        self._socket.setblocking(False)
        self.malformed, self.received = 0, 0  # datagrams

    @property
    def port(self) -> int:
        """The port; the system chooses one where 0 was given."""
        return int(self._socket.getsockname()[1])

    def receive(self, *, most: int = 1000, seconds: float = 0.005) -> Iterator[OscMessage]:
        """Messages that have arrived, within limits of number and time, so that a flood cannot block the caller."""
        until = time.perf_counter() + seconds
        for _ in range(most):
            try:
                datagram = self._socket.recv(MAX_DATAGRAM_BYTES)
            except BlockingIOError:
                return
            except OSError:  # such as an earlier send that was refused, on some systems
                continue
            self.received += 1
            try:
                yield from parse_packet(datagram)
            except MalformedPacket:
                self.malformed += 1
            if time.perf_counter() > until:
                return

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
