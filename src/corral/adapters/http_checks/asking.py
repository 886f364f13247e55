"""One GET request with a time limit, judged as kubelet judges it: 200 to 399 is good, certificates are not checked."""

import ssl
from collections.abc import Sequence
from typing import NamedTuple

import aiohttp

_MOST_BYTES = 10_240
_SAID_BYTES = 200


class HttpQuestion(NamedTuple):
    """What to ask: an address, headers in order, and how long to wait."""

    url: str
    headers: Sequence[tuple[str, str]]
    seconds: float


async def ask_http(question: HttpQuestion) -> tuple[bool, str]:
    """Returns whether the answer is good, and what it was in one line; no answer is a bad one, never an exception."""
    limit = aiohttp.ClientTimeout(total=question.seconds)
    try:
        async with (
            aiohttp.ClientSession(timeout=limit, auto_decompress=False) as session,
            session.get(
                question.url, headers=list(question.headers), ssl=_unchecked(), allow_redirects=False
            ) as answer,
        ):
            body = await answer.content.read(_MOST_BYTES)
            is_good = 200 <= answer.status < 400
            said = "" if is_good else f": {body[:_SAID_BYTES].decode('utf-8', 'replace').strip()}"
            return is_good, f"HTTP probe answered {answer.status}{said}"
    except TimeoutError:
        return False, f"no answer from {question.url} within {question.seconds:g} s"
    except (aiohttp.ClientError, OSError, ValueError) as error:
        return False, f"{question.url}: {error}"


def _unchecked() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
