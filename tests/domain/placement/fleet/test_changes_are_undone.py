"""G1, G5: Whatever is done in a draft, the arrays are afterwards byte for byte what they were, and tables that follow them are right."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from corral.placement.asks import PodAsk, Seat
from corral.placement.fleet import Fleet
from corral.placement.offers import NodeOffer
from corral.placement.potentials import policy
from corral.placement.potentials.evaluation import evaluate
from corral.placement.potentials.statistics import statistics_of
from corral.placement.potentials.table import look
from tests.domain.placement import random_fleets
from tests.domain.placement.fleets import fleet_of, node, pod

Change = tuple[str, str, str, PodAsk, NodeOffer]

uids = st.sampled_from(("p", "q", "r", "s"))
names = st.sampled_from(("n0", "n1", "n2", "n3"))
changes = st.lists(
    st.tuples(
        st.sampled_from(("hold", "hold", "release", "put", "remove", "draft")),
        uids,
        names,
        random_fleets.asks,
        random_fleets.offers(1).map(lambda found: found[0]),
    ),
    max_size=12,
)


def image_of(fleet: Fleet) -> dict[str, object]:
    """Everything a fleet knows, by name of the node: rows may move when a node leaves and returns."""
    columns = fleet.columns
    rows = {name: fleet.row(name) for name in fleet.offers}
    grids = (columns.gpu, columns.gpu_memory, columns.gpu_size, columns.gpu_memory_size)
    lines = (columns.cpu, columns.memory, columns.pods, columns.cpu_size, columns.is_open)
    models = list(fleet.models)
    return {
        "rows": rows,
        "models": {name: models[columns.model[row]] for name, row in rows.items()},
        "left": {
            name: [np.trim_zeros(grid[row], "b").tobytes() for grid in grids] + [line[row].tobytes() for line in lines]
            for name, row in rows.items()
        },
        "others": {
            name: {key: int(column[row]) for key, column in columns.others.items() if column[row]}
            for name, row in rows.items()
        },
        "holds": dict(fleet.holds),
        "offers": dict(fleet.offers),
    }


def carry_out(fleet: Fleet, done: list[Change]) -> None:
    for index, (what, uid, name, ask, offer) in enumerate(done):
        if what == "hold":
            fleet.hold(Seat(uid, name, tuple(range(ask.gpu.number))), ask)
        elif what == "release":
            fleet.release(uid)
        elif what == "put":
            fleet.put(offer._replace(name=name))
        elif what == "remove":
            fleet.remove(name)
        else:
            with fleet.draft() as draft:
                carry_out(fleet, done[index + 1 : index + 3])
                if len(uid + name) % 2:
                    draft.keep()


@settings(max_examples=100, deadline=None)
@given(random_fleets.offers(), changes, changes)
def test_a_draft_leaves_nothing_behind(offers: list[NodeOffer], before: list[Change], inside: list[Change]) -> None:
    fleet = fleet_of(*offers)
    carry_out(fleet, before)
    image = image_of(fleet)
    with fleet.draft():
        carry_out(fleet, inside)
    assert image_of(fleet) == image


@settings(max_examples=80, deadline=None)
@given(random_fleets.offers(), changes)
def test_what_is_left_does_not_depend_on_how_it_came_about(offers: list[NodeOffer], done: list[Change]) -> None:
    fleet = fleet_of(*offers)
    carry_out(fleet, done)
    again = fleet_of(*fleet.offers.values())
    for hold in fleet.holds.values():
        again.hold(hold.seat, hold.ask)
    first, second = image_of(fleet), image_of(again)
    assert first["left"] == second["left"]
    assert (first["others"], first["models"]) == (second["others"], second["models"])


@settings(max_examples=60, deadline=None)
@given(random_fleets.offers(), random_fleets.asks, changes, changes)
def test_tables_that_follow_changes_equal_tables_made_anew(
    offers: list[NodeOffer], ask: PodAsk, first: list[Change], second: list[Change]
) -> None:
    fleet = fleet_of(*offers)
    mix = statistics_of([ask, pod(), pod(milli=500), pod(2)])
    for name in ("default", "fgd", "bestfit"):
        chosen = policy(name, mix)
        for done in (first, second):
            look(fleet, chosen, ask._replace(memory=0))
            carry_out(fleet, done)
        rows = np.arange(fleet.columns.length)
        followed, anew = (
            look(fleet, chosen, ask._replace(memory=0)),
            evaluate(fleet, chosen, ask._replace(memory=0), rows),
        )
        assert followed.keys.tobytes() == anew.keys.tobytes()
        assert followed.devices.tobytes() == anew.devices.tobytes()


def test_a_log_that_grew_too_long_is_cut_and_tables_notice() -> None:
    fleet = fleet_of(node("a"), node("b"))
    chosen = policy("bestfit")
    look(fleet, chosen, pod())
    fleet.hold(Seat("p", "a", tuple(range(8))), pod(8))
    for _ in range(40_000):
        fleet.hold(Seat("q", "b", (0,)), pod())
        fleet.release("q")
    assert (look(fleet, chosen, pod()).keys == evaluate(fleet, chosen, pod(), np.arange(2)).keys).all()
