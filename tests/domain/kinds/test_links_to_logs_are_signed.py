"""A link to logs works for one job, until it expires, and only when a holder of the token made it."""

import pytest

from corral.kinds.log_links import LogLink, link_in

LINK = LogLink("team", "digits", 1_800_000_000)
TOKEN = "0123456789abcdef"


def test_a_signed_link_is_read_again() -> None:
    path, _, query = LINK.signed(TOKEN).partition("?")
    parts = dict(part.split("=") for part in query.split("&"))
    assert path == "/corral/logs/team/digits"
    assert link_in(path, parts) == LINK
    assert LINK.is_signed(TOKEN, parts["signature"])
    assert TOKEN not in LINK.signed(TOKEN)


@pytest.mark.parametrize(
    "other",
    [
        LINK._replace(job="digits2"),
        LINK._replace(namespace="other"),
        LINK._replace(expires=LINK.expires + 1),
        LogLink("teamd", "igits", LINK.expires),
        LogLink("team6:digits", "", LINK.expires),
    ],
)
def test_a_signature_is_good_for_nothing_else(other: LogLink) -> None:
    assert not other.is_signed(TOKEN, LINK.signature(TOKEN))


@pytest.mark.parametrize(
    "signature", ["", "0" * 64, LINK.signature("another token"), LINK.signature(TOKEN).upper(), "ü"]
)
def test_what_is_no_signature_is_refused(signature: str) -> None:
    assert not LINK.is_signed(TOKEN, signature)


@pytest.mark.parametrize(
    ("path", "expires"),
    [
        ("/corral/logs/team", "1"),
        ("/corral/logs/team/", "1"),
        ("/corral/logs//digits", "1"),
        ("/corral/logs/team/digits/more", "1"),
        ("/other/team/digits", "1"),
        ("/corral/logs/team/digits", ""),
        ("/corral/logs/team/digits", "-1"),
        ("/corral/logs/team/digits", "²"),
        ("/corral/logs/team/digits", "9" * 13),
    ],
)
def test_what_is_no_link_is_none(path: str, expires: str) -> None:
    assert link_in(path, {"expires": expires}) is None
