"""Amounts are stored as a real kube-apiserver stores them; the table was recorded from one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.kinds.quantities import (
    QuantityError,
    parse_quantity,
    quantity_text,
    resource_quantity,
)

STORED = {
    "1000m": "1",
    "1.5": "1500m",
    "0.1": "100m",
    "1n": "1m",
    "0.0001": "1m",
    "1.5Gi": "1536Mi",
    "0.1Gi": "107374182400m",
    "12.34Mi": "12939427840m",
    "1024Ki": "1Mi",
    "1023Ki": "1023Ki",
    "0.5Ki": "512",
    "2048": "2048",
    "2000": "2k",
    "1000k": "1M",
    "1.5G": "1500M",
    "0m": "0",
    "0Gi": "0",
    "1e3": "1e3",
    "12000e3": "12e6",
    "1.5e3": "1500",
    "1e2": "100",
    "10Ei": "9223372036854775807",
    "123456789012345678901234567890": "123456789012345678901234567890",
    # Texts that the real server believes to be in their stored form already.
    "1.500": "1.500",
    "01": "01",
    "+1": "+1",
    "1E3": "1E3",
    # Texts that are amounts only because the real server's scanner says so.
    ".": "0",
    "m": "0",
}
FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
SUFFIX = "unable to parse quantity's suffix"
REFUSED = {
    "": FORMAT,
    "abc": FORMAT,
    "1x": FORMAT,
    "1,5": FORMAT,
    "1.2.3": FORMAT,
    "1KI": FORMAT,
    "1e": SUFFIX,
    "1ki": SUFFIX,
}


@pytest.mark.parametrize(("text", "stored"), STORED.items())
def test_an_amount_is_stored_as_by_a_real_server(text: str, stored: str) -> None:
    assert resource_quantity(text).text == stored


@pytest.mark.parametrize(("text", "sentence"), REFUSED.items())
def test_what_is_no_amount_is_told_in_the_words_of_a_real_server(text: str, sentence: str) -> None:
    with pytest.raises(QuantityError) as fault:
        parse_quantity(text)
    assert str(fault.value) == sentence


def test_numbers_in_json_are_amounts_too() -> None:
    assert [resource_quantity(quantity_text(value)).text for value in (1, 0.5, 1000.0, None, " 2 ")] == [
        "1",
        "500m",
        "1k",
        "0",
        "2",
    ]


def test_an_absurd_exponent_is_refused_at_once() -> None:
    with pytest.raises(QuantityError):
        parse_quantity("1e999999999")


SUFFIXES = st.sampled_from(["", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "E2", "e-3"])
AMOUNTS = st.builds(lambda number, suffix: f"{number}{suffix}", st.decimals(0, 10**9, places=2), SUFFIXES)


@given(AMOUNTS)
def test_the_stored_form_means_the_same_and_stays(text: str) -> None:
    amount = parse_quantity(text)
    again = parse_quantity(amount.text)
    assert (again.nanos, again.text) == (amount.nanos, amount.text)


@given(AMOUNTS)
def test_resources_are_rounded_up_to_thousandths_never_down(text: str) -> None:
    exact, rounded = parse_quantity(text), resource_quantity(text)
    assert rounded.nanos % 10**6 == 0
    assert 0 <= rounded.nanos - exact.nanos < 10**6
