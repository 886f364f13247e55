"""Laws of selectors: what they print they read again, and a condition and its opposite never agree."""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.selectors import (
    FieldSelector,
    LabelSelector,
    Requirement,
    parse_field_selector,
    parse_label_selector,
)

quick = settings(max_examples=50, deadline=None)

names = st.from_regex(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,8}[A-Za-z0-9])?", fullmatch=True).filter(
    lambda name: name not in ("in", "notin")
)
values = st.one_of(st.just(""), names)
labels = st.dictionaries(names, values, max_size=4)
requirements = st.one_of(
    st.builds(Requirement, names, st.sampled_from(["=", "!="]), st.tuples(values)),
    st.builds(
        Requirement,
        names,
        st.sampled_from(["in", "notin"]),
        st.sets(values, min_size=1, max_size=3).map(lambda found: tuple(sorted(found))),
    ),
    st.builds(Requirement, names, st.sampled_from(["exists", "!"])),
    st.builds(Requirement, names, st.sampled_from([">", "<"]), st.tuples(st.integers(0, 99).map(str))),
)
OPPOSITE = {"=": "!=", "!=": "=", "in": "notin", "notin": "in", "exists": "!", "!": "exists"}


@quick
@given(st.lists(requirements, max_size=4))
def test_a_label_selector_reads_what_it_prints(found: list[Requirement]) -> None:
    selector = LabelSelector(tuple(sorted(found, key=lambda r: r.key)))
    assert parse_label_selector(str(selector)) == selector


@quick
@given(requirements.filter(lambda r: r.operator in OPPOSITE), labels)
def test_a_requirement_and_its_opposite_never_agree(found: Requirement, on: dict[str, str]) -> None:
    opposite = Requirement(found.key, OPPOSITE[found.operator], found.values)
    assert found.matches(on) is not opposite.matches(on)


@quick
@given(st.lists(st.tuples(st.sampled_from(["metadata.name", "metadata.namespace"]), st.text(), st.booleans())))
def test_a_field_selector_reads_what_it_prints(terms: list[tuple[str, str, bool]]) -> None:
    selector = FieldSelector(tuple(terms))
    assert sorted(parse_field_selector(str(selector)).terms) == sorted(terms)


@quick
@given(st.text(alphabet=" \tabin=!(),<>/._-\\é", max_size=12))
def test_any_text_is_read_or_refused_as_a_bad_request(text: str) -> None:
    for read in (parse_label_selector, parse_field_selector):
        assert code_of(read, text) in (200, 400)


def code_of(read: Callable[[str], object], text: str) -> int:
    try:
        read(text)
    except ApiFailure as failure:
        return failure.code
    return 200
