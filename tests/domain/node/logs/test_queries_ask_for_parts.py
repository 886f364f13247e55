"""The query of a kubelet's door says which part of a log is meant."""

from datetime import UTC, datetime

import pytest

from corral.engine.node.logs.asked import Asked, asked_in

NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_nothing_asked_for_is_everything() -> None:
    assert asked_in({}, NOW) == Asked()


def test_all_options_are_read() -> None:
    query = {"follow": "true", "previous": "true", "timestamps": "true", "tailLines": "0", "limitBytes": "7"}
    wanted = Asked(follow=True, previous=True, timestamps=True, tail=0, most_bytes=7)
    assert asked_in(query, NOW) == wanted
    assert asked_in({"follow": "false"}, NOW) == Asked()


def test_since_is_a_moment_or_so_many_seconds_ago() -> None:
    assert asked_in({"sinceSeconds": "5"}, NOW).since == NOW.replace(second=0)
    assert asked_in({"sinceTime": "2030-01-02T03:04:05Z"}, NOW).since == NOW


@pytest.mark.parametrize(
    ("name", "value"),
    [("tailLines", "-1"), ("tailLines", "x"), ("limitBytes", "0"), ("sinceSeconds", "0"), ("sinceTime", "soon")],
)
def test_what_makes_no_sense_is_refused(name: str, value: str) -> None:
    with pytest.raises(ValueError):
        asked_in({name: value}, NOW)
