"""The client's own HTTP: answers however they come in pieces, however they say where they end, and what is none."""

import http.client
import socket
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corral.adapters.kubernetes.http_messages import BadHttpError, Inlet, request, response

OK = b"HTTP/1.1 200 OK\r\n"


class Pieces:
    """What arrives on a connection, piece by piece, and then its end."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = [piece for piece in pieces if piece]

    def recv(self, limit: int) -> bytes:
        if not self._pieces:
            return b""
        taken, rest = self._pieces[0][:limit], self._pieces[0][limit:]
        self._pieces[:1] = [rest] if rest else []
        return taken

    def recv_into(self, buffer: memoryview) -> int:
        data = self.recv(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def inlet(*pieces: bytes) -> Inlet:
    return Inlet(Pieces(pieces))


def cut(whole: bytes, places: Sequence[int]) -> list[bytes]:
    marks = [0, *sorted(place % (len(whole) + 1) for place in places), len(whole)]
    return [whole[begin:end] for begin, end in pairwise(marks)]


@st.composite
def framed(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """An answer as it travels, and its body."""
    body = draw(st.binary(max_size=3000))
    head = OK + b"Content-Type: application/json\r\n"
    if draw(st.booleans()):
        return head + b"Content-Length: %d\r\n\r\n" % len(body) + body, body
    chunks = [piece for piece in cut(body, draw(st.lists(st.integers(0, 3000), max_size=5))) if piece]
    extra = draw(st.sampled_from([b"", b";name=value"]))
    sent = b"".join(b"%x%s\r\n%s\r\n" % (len(chunk), extra, chunk) for chunk in chunks)
    trailer = draw(st.sampled_from([b"", b"X-Sum: 1\r\n"]))
    return head + b"Transfer-Encoding: chunked\r\n\r\n" + sent + b"0\r\n" + trailer + b"\r\n", body


@settings(deadline=None)
@given(st.lists(framed(), min_size=1, max_size=3), st.lists(st.integers(0, 20_000), max_size=8))
def test_answers_are_read_whole_however_they_are_cut(answers: list[tuple[bytes, bytes]], places: list[int]) -> None:
    taken = inlet(*cut(b"".join(sent for sent, _ in answers), places))
    assert [response(taken, "GET").body() for _ in answers] == [body for _, body in answers]
    assert taken.is_empty


@settings(deadline=None)
@given(framed(), st.integers(1, 64), st.lists(st.integers(0, 5000), max_size=5))
def test_a_stream_yields_the_same_in_small_pieces(answer: tuple[bytes, bytes], limit: int, places: list[int]) -> None:
    sent, body = answer
    pieces = list(response(inlet(*cut(sent, places)), "GET").pieces(limit))
    assert b"".join(pieces) == body
    assert all(0 < len(piece) <= limit for piece in pieces)


@settings(deadline=None)
@given(framed())
def test_the_library_reads_the_same(answer: tuple[bytes, bytes]) -> None:
    sent, body = answer
    near, far = socket.socketpair()
    with near, far:
        far.sendall(sent)
        theirs = http.client.HTTPResponse(near)
        theirs.begin()
        assert (theirs.status, theirs.read()) == (200, body)
    ours = response(inlet(sent), "GET")
    assert ours.head.all("content-type") == ["application/json"] == theirs.headers.get_all("content-type")
    assert ours.ends_connection is theirs.will_close is False


@settings(deadline=None)
@given(framed(), st.integers(min_value=0))
def test_an_answer_that_breaks_off_is_never_taken_for_a_whole_one(answer: tuple[bytes, bytes], place: int) -> None:
    sent, _ = answer
    with pytest.raises(BadHttpError, match="ended before"):
        response(inlet(sent[: place % len(sent)]), "GET").body()


@settings(deadline=None)
@given(st.binary(max_size=200), st.sampled_from([b"", OK, OK + b"Transfer-Encoding: chunked\r\n\r\n"]))
def test_noise_is_an_error_or_an_answer(noise: bytes, before: bytes) -> None:
    try:
        response(inlet(before + noise), "GET").body()
    except BadHttpError:
        pass


NO_HTTP = {
    "another protocol": (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "does not speak HTTP"),
    "a status without a number": (b"HTTP/1.1 OK\r\n\r\n", "does not speak HTTP"),
    "a header without a name": (OK + b": x\r\n\r\n", "not of HTTP"),
    "a line that goes on": (OK + b"A: 1\r\n B: 2\r\n\r\n", "not of HTTP"),
    "two lengths": (OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", "how long"),
    "a length below nothing": (OK + b"Content-Length: -1\r\n\r\n", "how long"),
    "a chunk without a length": (OK + b"Transfer-Encoding: chunked\r\n\r\n\r\n", "without a length"),
    "a chunk below nothing": (OK + b"Transfer-Encoding: chunked\r\n\r\n-2\r\nab\r\n", "without a length"),
    "a chunk that is longer": (OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", "longer than it said"),
    "a head without an end": (OK + b"A: " + b"x" * (300 << 10), "without an end"),
}


@pytest.mark.parametrize("case", NO_HTTP)
def test_what_is_no_answer_is_told(case: str) -> None:
    sent, complaint = NO_HTTP[case]
    with pytest.raises(BadHttpError, match=complaint):
        response(inlet(sent), "GET").body()


ENDS = {
    "a length": (OK + b"Content-Length: 0\r\n\r\n", "GET", False),
    "no length": (OK + b"\r\n", "GET", True),
    "it says so": (OK + b"Content-Length: 0\r\nConnection: Close\r\n\r\n", "GET", True),
    "an old server": (b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", "GET", True),
    "an old server that stays": (
        b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n",
        "GET",
        False,
    ),
    "nothing to say": (b"HTTP/1.1 204 No Content\r\n\r\n", "DELETE", False),
    "only asked for the head": (OK + b"Content-Length: 7\r\n\r\n", "HEAD", False),
}


@pytest.mark.parametrize("case", ENDS)
def test_it_is_known_whether_the_connection_goes_on(case: str) -> None:
    sent, method, want_end = ENDS[case]
    answer = response(inlet(sent), method)
    assert (answer.ends_connection, answer.body()) == (want_end, b"")


def test_a_body_may_end_with_the_connection() -> None:
    assert response(inlet(OK + b"\r\nab", b"c"), "GET").body() == b"abc"


def test_interim_answers_are_passed_over() -> None:
    sent = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + OK + b"Content-Length: 1\r\n\r\na"
    assert response(inlet(sent), "GET").body() == b"a"


def test_headers_may_come_more_than_once_and_in_any_case() -> None:
    head = response(inlet(OK + b"WARNING: one\r\nWarning:two\r\nContent-Length: 0\r\n\r\n"), "GET").head
    assert head.all("warning") == ["one", "two"]


def test_a_large_body_is_read_as_it_comes() -> None:
    def parts() -> Iterator[bytes]:
        yield OK + b"Content-Length: %d\r\n\r\n" % (9 << 20)
        yield from [b"x" * (1 << 20)] * 9

    assert len(response(inlet(*parts()), "GET").body()) == 9 << 20


def test_a_request_is_what_servers_expect() -> None:
    sent = request("POST", "/api?a=b", {"Host": "h:1", "Accept": "x"}, b"{}")
    assert sent == b"POST /api?a=b HTTP/1.1\r\nHost: h:1\r\nAccept: x\r\nContent-Length: 2\r\n\r\n{}"
    assert request("GET", "/", {}, None) == b"GET / HTTP/1.1\r\n\r\n"


@pytest.mark.parametrize("value", ["a\r\nX-Remote-User: root", "a\n", "\x00"])
def test_no_header_becomes_two(value: str) -> None:
    with pytest.raises(ValueError, match="signs that none may have"):
        request("GET", "/", {"Authorization": value}, None)
