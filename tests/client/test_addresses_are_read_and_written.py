"""Addresses of servers and parts of them: what is plain is read and written as the library would."""

from urllib.parse import quote, urlencode, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corral.adapters.kubernetes.addresses import address_of, query_of, quoted

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
URLS = st.from_regex(r"https?://[A-Za-z0-9.:@\[\]-]{1,20}(:[0-9]{0,6})?(/[A-Za-z0-9._~%?#-]{0,8}){0,3}", fullmatch=True)

ADDRESSES = {
    "https://10.0.0.1:6443": ("10.0.0.1", 6443, "10.0.0.1:6443", ""),
    "http://127.0.0.1": ("127.0.0.1", 80, "127.0.0.1", ""),
    "https://Api.Example.com/": ("api.example.com", 443, "api.example.com", "/"),
    "https://rancher.example.com/k8s/clusters/c-1": (
        "rancher.example.com",
        443,
        "rancher.example.com",
        "/k8s/clusters/c-1",
    ),
    "https://[::1]:6443": ("::1", 6443, "[::1]:6443", ""),
    "https://me:secret@example.com:1": ("example.com", 1, "example.com:1", ""),
}


@pytest.mark.parametrize("url", ADDRESSES)
def test_an_address_is_taken_apart(url: str) -> None:
    found = address_of(url)
    assert (found.host, found.port, found.authority, found.path) == ADDRESSES[url]
    assert found.scheme == url.partition(":")[0]


@settings(deadline=None)
@given(URLS)
def test_the_library_takes_it_apart_in_the_same_way(url: str) -> None:
    try:
        parts = urlsplit(url)
        theirs = (parts.scheme, parts.hostname or "", parts.port, parts.path)
    except ValueError:
        with pytest.raises(ValueError, match=r"\w"):
            address_of(url)
    else:
        assert tuple(address_of(url)) == theirs


@settings(deadline=None)
@given(TEXTS)
def test_texts_are_quoted_as_the_library_does(text: str) -> None:
    assert quoted(text) == quote(text, safe="")
    assert quoted(text, b":@!$&'()*+,;=") == quote(text, safe=":@!$&'()*+,;=")


@settings(deadline=None)
@given(st.dictionaries(TEXTS, st.one_of(TEXTS, st.integers()), max_size=4))
def test_queries_are_what_the_library_writes(given: dict[str, str | int]) -> None:
    assert query_of(given) == urlencode(given)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        query_of({"command": "\udcff"})
