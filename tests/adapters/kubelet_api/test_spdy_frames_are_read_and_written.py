"""SPDY/3.1 as Kubernetes speaks it: frames in any pieces, headers in one compressed stream, and bounds on everything held."""

import struct
import zlib

import pytest

from corral.adapters.kubelet_api.spdy_frames import (
    MOST_CONTROL_BYTES,
    Event,
    GoneAway,
    Opened,
    Pinged,
    SpdyError,
    SpdyReader,
    SpdyWriter,
    Told,
    dictionary,
)


class _Client:
    """The other side, written by hand from the protocol."""

    def __init__(self) -> None:
        self._headers = zlib.compressobj(zdict=dictionary())

    def open(self, stream: int, flags: int = 0, **headers: str) -> bytes:
        texts = [text.encode() for pair in headers.items() for text in pair]
        raw = struct.pack(">I", len(headers)) + b"".join(struct.pack(">I", len(text)) + text for text in texts)
        block = self._headers.compress(raw) + self._headers.flush(zlib.Z_SYNC_FLUSH)
        return control(1, struct.pack(">IIBB", stream, 0, 0, 0) + block, flags)


def control(kind: int, payload: bytes, flags: int = 0, version: int = 3) -> bytes:
    return struct.pack(">HHI", 0x8000 | version, kind, flags << 24 | len(payload)) + payload


def data(stream: int, content: bytes, flags: int = 0) -> bytes:
    return struct.pack(">II", stream, flags << 24 | len(content)) + content


def _events(*pieces: bytes) -> list[Event]:
    reader = SpdyReader()
    return [event for piece in pieces for event in reader.feed(piece)]


def test_the_dictionary_is_the_one_of_the_protocol() -> None:
    assert (len(dictionary()), zlib.adler32(dictionary())) == (1423, 0xE3C6A7C2)


def test_streams_are_opened_with_headers_that_share_one_compression() -> None:
    client = _Client()
    said = client.open(1, streamType="error") + client.open(3, streamType="stdin") + data(3, b"typed")
    wanted = [Opened(1, {"streamtype": "error"}), Opened(3, {"streamtype": "stdin"}), Told(3, b"typed", is_last=False)]
    assert _events(said) == wanted


def test_frames_may_come_in_any_pieces() -> None:
    client = _Client()
    said = (
        client.open(1, streamType="stdin") + data(1, b"abc") + control(6, struct.pack(">I", 7)) + data(1, b"", flags=1)
    )
    found = _events(*(said[i : i + 1] for i in range(len(said))))
    assert found[0] == Opened(1, {"streamtype": "stdin"})
    assert b"".join(event.data for event in found if isinstance(event, Told)) == b"abc"
    assert found[-2:] == [Pinged(7), Told(1, b"", is_last=True)]


def test_a_long_frame_is_told_as_it_comes() -> None:
    said = data(5, b"x" * 100_000, flags=1)
    found = _events(said[:50_000], said[50_000:])
    assert [(len(event.data), event.is_last) for event in found if isinstance(event, Told)] == [
        (49_992, False),
        (50_008, True),
    ]


def test_a_reset_and_a_farewell_are_ends() -> None:
    assert _events(control(3, struct.pack(">II", 9, 5))) == [Told(9, b"", is_last=True)]
    assert _events(control(7, struct.pack(">II", 9, 0))) == [GoneAway()]
    assert _events(_Client().open(11, flags=1, a="b"))[-1] == Told(11, b"", is_last=True)


def test_what_is_of_no_use_is_passed_over() -> None:
    assert _events(control(4, b"settings") + control(9, b"12345678") + control(6, struct.pack(">I", 1))) == [Pinged(1)]


BAD = {
    "another version": control(6, b"1234", version=2),
    "not the protocol at all": b"\xffGET / HTTP/1.1\r\n\r\n",
    "a control frame that is too long": struct.pack(">HHI", 0x8003, 1, MOST_CONTROL_BYTES + 1),
    "a stream without a number": control(1, b"12"),
    "headers that are not compressed": control(1, b"\0\0\0\1" + b"\0" * 6 + b"plain"),
    "headers that are cut": control(1, _Client().open(1, a="b")[8:-8]),
    "a bomb": control(1, b"\0" * 10 + zlib.compress(b"\0" * (50 << 20), 9)),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_spdy_is_refused(case: str) -> None:
    with pytest.raises(SpdyError):
        _events(BAD[case])


def test_headers_that_lie_about_their_lengths_are_refused() -> None:
    packed = zlib.compressobj(zdict=dictionary())
    block = packed.compress(struct.pack(">II", 1, 1 << 30) + b"a") + packed.flush(zlib.Z_SYNC_FLUSH)
    with pytest.raises(SpdyError):
        _events(control(1, b"\0" * 10 + block))


def test_what_is_written_can_be_read() -> None:
    writer, headers = SpdyWriter(), zlib.decompressobj(zdict=dictionary())
    for stream in (1, 3):
        reply = writer.reply(stream)
        assert struct.unpack(">HHII", reply[:12]) == (0x8003, 2, len(reply) - 8, stream)
        assert headers.decompress(reply[12:]) == b"\0\0\0\0"
    assert _events(writer.data(3, b"out"), writer.data(3, b"", is_last=True), writer.ping(5), writer.go_away(3)) == [
        Told(3, b"out", is_last=False),
        Told(3, b"", is_last=True),
        Pinged(5),
        GoneAway(),
    ]
