"""OSC: what is encoded is what python-osc reads, bundles stay small, and no datagram does harm."""

import struct
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pythonosc.osc_packet import OscPacket

from kinematch.errors import KinematchError
from kinematch.stream import osc

VALUES = st.one_of(
    st.integers(-(2**31), 2**31 - 1),
    st.floats(width=32, allow_nan=False),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30),
)


@settings(deadline=None)
@given(st.lists(VALUES, max_size=10))
def test_messages_are_read_back_by_us_and_by_python_osc(values):
    message = osc.encode_message("/a/b", *values)
    assert osc.parse_packet(message) == [("/a/b", values)]
    theirs = OscPacket(message).messages[0].message
    assert (theirs.address, theirs.params) == ("/a/b", values)


@settings(deadline=None)
@given(st.lists(st.integers(0, 300), max_size=60))
def test_bundles_hold_every_message_in_order_and_stay_small(lengths):
    messages = [osc.encode_message("/m", n, "x" * length) for n, length in enumerate(lengths)]
    bundles = osc.make_bundles(messages)
    assert all(len(bundle) <= 1200 for bundle in bundles)
    read = [message.values[0] for bundle in bundles for message in osc.parse_packet(bundle)]
    assert read == list(range(len(lengths)))
    assert all(len(OscPacket(bundle).messages) for bundle in bundles)


def test_a_message_that_fits_no_bundle_travels_alone():
    messages = [osc.encode_message("/m", "x" * n) for n in (10, 3000, 10)]
    assert [len(osc.parse_packet(bundle)) for bundle in osc.make_bundles(messages)] == [1, 1, 1]


BUNDLE = osc.make_bundles([osc.encode_message("/a", 1.0), osc.encode_message("/b", "c")])[0]


def nest(depth):
    inner = BUNDLE
    for _ in range(depth):
        inner = b"#bundle\0" + osc.IMMEDIATELY + struct.pack(">i", len(inner)) + inner
    return inner


@pytest.mark.parametrize(
    "datagram",
    [
        b"",
        b"/",
        b"/a",
        b"hello",
        b"#bundle",
        b"#bundle\0",
        b"/a\0\0,f\0\0",
        b"/a\0\0,f\0\0\0",
        b"/a\0\0,i\0\0\x01\x02",
        b"/a\0\0,s\0\0abc",
        b"/a\0\0,b\0\0\xff\xff\xff\xff",
        b"/a\0\0,[[[",
        b"/a\0\0,zzz\0\0\0\0",
        b"/\xff\xfe\0,f\0\0\0\0\0\0",
        b"#bundle\0" + osc.IMMEDIATELY + struct.pack(">i", -4),
        b"#bundle\0" + osc.IMMEDIATELY + struct.pack(">i", 0) * 5,
        b"#bundle\0" + osc.IMMEDIATELY + struct.pack(">i", 2**31 - 1) + b"/a\0\0",
        BUNDLE[:-2],
        nest(4),
        nest(500),
        osc.make_bundles([osc.encode_message("/a")] * 5000, largest=65_000)[0],
    ],
)
def test_malformed_datagrams_are_refused(datagram, caplog):
    with pytest.raises(osc.MalformedPacket):
        osc.parse_packet(datagram)
    assert not caplog.records


def test_bundles_in_bundles_are_read():
    assert len(osc.parse_packet(nest(2))) == 2


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_datagrams_are_read_or_refused(data):
    content = bytearray(nest(data.draw(st.integers(0, 3))))
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        messages = osc.parse_packet(bytes(content))
    except osc.MalformedPacket:
        return
    assert all(isinstance(message.address, str) for message in messages)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_random_datagrams_are_read_or_refused(content):
    for start in (b"", b"/", b"#bundle\0" + osc.IMMEDIATELY):
        try:
            osc.parse_packet(start + content)
        except osc.MalformedPacket:
            continue


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("localhost:1234", ("localhost", 1234)),
        ("10.0.0.2", ("10.0.0.2", 39539)),
        (":7", ("127.0.0.1", 7)),
        ("7", ("127.0.0.1", 7)),
        ("host:", ("host", 39539)),
        ("[::1]:99", ("::1", 99)),
        ("::1", ("::1", 39539)),
    ],
)
def test_addresses_are_taken_apart(text, expected):
    assert osc.parse_address(text, 39539) == expected


@pytest.mark.parametrize("text", ["a:b", "a:0", "a:70000", "a b:1", "host:-1", "host:٣"])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(KinematchError, match="expected HOST:PORT"):
        osc.parse_address(text, 39539)


def test_loopback_is_told_from_the_rest():
    assert all(map(osc.is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "localhost")))
    assert not any(map(osc.is_loopback, ("0.0.0.0", "10.0.0.1", "example.org", "::")))


def test_datagrams_cross_a_socket_and_broken_ones_are_counted():
    receiver = osc.OscReceiver(0)
    sender = osc.OscSender("127.0.0.1", receiver.port)
    sender.send([BUNDLE, b"rubbish", BUNDLE, b"", osc.encode_message("/end")])
    messages = collect(receiver, 5)
    assert [message.address for message in messages] == ["/a", "/b", "/a", "/b", "/end"]
    assert receiver.malformed == 2
    sender.close()
    receiver.close()


def collect(receiver, count):
    """Messages until so many have come; only a failure waits for a minute."""
    messages, until = [], time.monotonic() + 60
    while len(messages) < count and time.monotonic() < until:
        messages += receiver.receive()
    return messages


def test_a_flood_is_taken_in_parts():
    receiver = osc.OscReceiver(0)
    sender = osc.OscSender("127.0.0.1", receiver.port)
    sender.send([BUNDLE] * 50)
    taken = []
    until = time.monotonic() + 60
    while receiver.received < 10 and time.monotonic() < until:
        taken += receiver.receive(most=10 - receiver.received, seconds=10)
    assert len(taken) == 20
    assert receiver.received == 10
    list(receiver.receive(seconds=0))
    assert receiver.received == 11
    sender.close()
    receiver.close()


def test_nobody_who_listens_is_no_error():
    receiver = osc.OscReceiver(0)
    port = receiver.port
    receiver.close()
    sender = osc.OscSender("127.0.0.1", port)
    for _ in range(5):
        sender.send([BUNDLE])
    assert sender.sent + sender.lost == 5
    sender.close()


def test_a_port_in_use_or_out_of_range_is_named():
    receiver = osc.OscReceiver(0)
    with pytest.raises(KinematchError, match=f"cannot listen on 127.0.0.1:{receiver.port}: "):
        osc.OscReceiver(receiver.port)
    receiver.close()
    with pytest.raises(KinematchError, match="port 99999, expected 0 to 65535"):
        osc.OscReceiver(99999)
    with pytest.raises(KinematchError, match=r"no machine 'no.such.machine.invalid' is known"):
        osc.OscSender("no.such.machine.invalid", 1)
    with pytest.raises(KinematchError, match="a gap of 5 s"):
        osc.OscSender("127.0.0.1", 1, gap=5)
