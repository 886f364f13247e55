"""Whatever people write as the parents of queues, there is one tree, and nobody walks for ever."""

import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from corral.placement.admission.cycle import Terms
from corral.placement.admission.fair_share import entitlements
from corral.placement.admission.queues import ROOT, Queues, QueueTerms
from corral.placement.admission.quota import lack_of
from corral.placement.remedies.books import keepers_beside
from tests.domain.placement.admission.stage import Stage, gpus

NAMES = ("a", "b", "c", "d", "e", "f")
graphs = st.dictionaries(st.sampled_from(NAMES), st.sampled_from((*NAMES, ROOT, "nowhere")), min_size=1)


def queues_of(parents: dict[str, str]) -> Queues:
    queues = Queues()
    for name, parent in parents.items():
        queues.put(terms_of(name, parent))
    return queues


def terms_of(name: str, parent: str) -> QueueTerms:
    return QueueTerms(name, parent, gpus(1), gpus(9), lending=gpus(0), borrowing=gpus(2))


def ring_with(name: str, parents: dict[str, str]) -> bool:
    """Whether whoever follows the words of people from a queue comes back to it."""
    above, steps = parents[name], 0
    while above in parents and above != name and steps <= len(parents):
        above, steps = parents[above], steps + 1
    return above == name


@settings(deadline=None)
@given(graphs)
def test_rings_and_orphans_hang_at_the_top_and_all_others_where_they_say(parents: dict[str, str]) -> None:
    queues = queues_of(parents)
    for name, parent in parents.items():
        path = queues.path(name)
        assert (path[0], path[-1]) == (name, ROOT)
        assert len(set(path)) == len(path)
        assert queues.is_in_a_ring(name) == ring_with(name, parents)
        is_at_the_top = parent not in parents or ring_with(name, parents)
        assert path[1] == (ROOT if is_at_the_top else parent)
        assert name in queues.children(path[1])
    assert sorted(queues.below(ROOT)) == sorted({ROOT, *parents})


@settings(deadline=None)
@given(graphs, st.randoms(use_true_random=False))
def test_the_tree_does_not_depend_on_who_came_first(parents: dict[str, str], chance: object) -> None:
    order = list(parents)
    chance.shuffle(order)  # type: ignore[attr-defined]
    one, other = queues_of(parents), queues_of({name: parents[name] for name in order})
    for queues in (one, other):
        for name in parents:
            queues.take(name, {"gpu": 1000})
    assert {name: (one.path(name), one.guarantee(name), one.used(name)) for name in (ROOT, *parents)} == {
        name: (other.path(name), other.guarantee(name), other.used(name)) for name in (ROOT, *parents)
    }
    assert one.used(ROOT) == {"gpu": 1000 * len(parents)}


@settings(deadline=None)
@given(graphs, st.sampled_from(("share", "guarantee")))
def test_guarantees_are_taken_back_under_whatever_parents(parents: dict[str, str], reclaims: str) -> None:
    queues = tuple(QueueTerms(name, parent, gpus(1)) for name, parent in parents.items())
    stage = Stage(len(parents), queues=queues, terms=Terms(reclaims=reclaims))
    stage.ask("has-all", len(parents))
    assert stage.starts() == ["has-all"]
    for name in parents:
        stage.ask(f"of-{name}", queue=name)
    assert [one.gang for one in stage.cycle(after=60).evictions] == ["has-all"]
    stage.desk.leave("has-all")
    stage.cycle(after=60)
    assert stage.running == sorted(f"of-{name}" for name in parents)
    assert all(stage.desk.standing(name).running == 1 for name in parents)


@settings(deadline=None)
@given(graphs)
def test_every_quota_answers_under_whatever_parents(parents: dict[str, str]) -> None:
    queues = queues_of(parents)
    for name in parents:
        assert lack_of(queues, {"gpu": 99_000}, name, {"gpu": 1000}) is None
        assert lack_of(queues, {"gpu": 99_000}, name, {"gpu": 99_000}) is not None
        assert name not in keepers_beside(queues, name, "gpu")


def test_queues_may_be_nested_deeper_than_python_calls() -> None:
    deep = sys.getrecursionlimit() + 10
    queues = queues_of({f"q{number}": f"q{number - 1}" for number in range(deep)})
    queues.take(f"q{deep - 1}", {"gpu": 1000})
    assert (queues.used("q0"), queues.guarantee("q0")) == ({"gpu": 1000}, {"gpu": 1000})
    assert lack_of(queues, {"gpu": 99_000}, "q0", {"gpu": 1000}) is None
    assert entitlements(queues, queues.own, {"gpu": 8000}, "share")[f"q{deep - 1}"] == {"gpu": 1000}
