"""A table that is too wide for a terminal cuts texts and gives up its least useful columns; into a pipe goes everything."""

from typing import NamedTuple

import pytest

from corral.surfaces.cli.render.columns import Column, laid_out
from corral.surfaces.cli.render.terminal import Surroundings


class Pod(NamedTuple):
    """A row."""

    name: str
    node: str
    why: str
    rank: str


PODS = [
    Pod("digits-worker-0", "node-with-a-long-name.example.com", "the image repo/digits:1 cannot be pulled", "0"),
    Pod("digits-worker-1", "node-2", "-", "1"),
]
NAME, RANK = Column[Pod]("NAME", lambda pod: pod.name), Column[Pod]("RANK", lambda pod: pod.rank, is_ours=True)
NODE = Column[Pod]("NODE", lambda pod: pod.node, gives_way=1)
WHY = Column[Pod]("WHY", lambda pod: pod.why, is_prose=True)


def shown(columns: list[Column[Pod]], width: int | None, *, wide: bool = False) -> list[str]:
    """Returns the lines of a table."""
    return laid_out(columns, PODS, Surroundings(width), wide=wide).splitlines()


FULL = [
    "NAME             NODE                               WHY",
    "digits-worker-0  node-with-a-long-name.example.com  the image repo/digits:1 cannot be pulled",
    "digits-worker-1  node-2                             -",
]


@pytest.mark.parametrize("width", [None, 92, 200])
def test_a_table_that_fits_is_left_alone(width: int | None) -> None:
    assert shown([NAME, NODE, WHY], width) == FULL


def test_who_asks_for_everything_gets_it() -> None:
    assert shown([NAME, NODE, WHY], 40, wide=True) == FULL


def test_the_least_useful_column_gives_way_and_prose_goes_on_below() -> None:
    assert shown([NAME, NODE, WHY], 50) == [
        "NAME             WHY",
        "digits-worker-0  the image repo/digits:1 cannot be",
        "                 pulled",
        "digits-worker-1  -",
    ]


def test_an_elastic_text_is_cut_before_a_column_goes() -> None:
    node = NODE._replace(is_elastic=True)
    assert shown([NAME, node, WHY], 80) == [
        "NAME             NODE                   WHY",
        "digits-worker-0  node-with-a-long-n...  the image repo/digits:1 cannot be pulled",
        "digits-worker-1  node-2                 -",
    ]
    assert shown([NAME, node._replace(keeps_end=True)], 40)[1] == "digits-worker-0  ...ong-name.example.com"


def test_columns_of_ours_come_where_there_is_room_and_never_in_place_of_others() -> None:
    assert shown([NAME, RANK], 80)[0].split() == ["NAME", "RANK"]
    assert shown([NAME, RANK], None)[0].split() == ["NAME"]
    assert shown([NAME, NODE, RANK], 30)[0].split() == ["NAME"]


def test_what_people_copy_is_never_cut() -> None:
    assert shown([NAME, NODE, WHY], 5)[1].startswith("digits-worker-0")


@pytest.mark.parametrize("width", range(40, 100))
def test_no_line_is_longer_than_the_terminal(width: int) -> None:
    node = NODE._replace(is_elastic=True)
    text = laid_out([NAME, node, RANK, WHY], PODS, Surroundings(width), indent="  ", underlined=True)
    assert max(map(len, text.splitlines())) <= width


def test_columns_without_titles_make_a_table_without_a_first_line() -> None:
    columns = [NAME._replace(title=""), WHY._replace(title="")]
    assert shown(columns, None)[0].startswith("digits-worker-0")
