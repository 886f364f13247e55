"""Which labels and fields a selector chooses."""

from typing import Any

import pytest

from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.selectors import label_selector_of, parse_field_selector, parse_label_selector

LABELS = {"app": "web", "tier": "front", "size": "12"}

CHOICES = {
    "": True,
    "app": True,
    "none": False,
    "!none": True,
    "!app": False,
    "app=web": True,
    "app==web": True,
    "app=db": False,
    "app!=db": True,
    "app!=web": False,
    "none!=web": True,
    "app in (db,web)": True,
    "app in (db)": False,
    "none in (db)": False,
    "app notin (db)": True,
    "app notin (web,db)": False,
    "none notin (db)": True,
    "none=": False,
    "size>11": True,
    "size>12": False,
    "size<13": True,
    "app>1": False,
    "none<1": False,
    "app=web,tier=front": True,
    "app=web,tier=back": False,
}


@pytest.mark.parametrize("text", CHOICES)
def test_a_label_selector_chooses(text: str) -> None:
    assert parse_label_selector(text).matches(LABELS) is CHOICES[text]


def test_an_object_without_labels_has_none() -> None:
    assert parse_label_selector("!app").matches(None)
    assert not parse_label_selector("app").matches(None)


OBJECT_SELECTORS: dict[str, tuple[dict[str, Any] | None, bool, str]] = {
    "absent selects nothing": (None, False, ""),
    "empty selects everything": ({}, True, ""),
    "labels": ({"matchLabels": {"app": "web"}}, True, "app=web"),
    "other labels": ({"matchLabels": {"app": "web", "tier": "back"}}, False, "app=web,tier=back"),
    "in": ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "db"]}]}, True, "app in (db,web)"),
    "not in": (
        {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]},
        False,
        "app notin (web)",
    ),
    "exists": ({"matchExpressions": [{"key": "tier", "operator": "Exists"}]}, True, "tier"),
    "does not exist": ({"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]}, True, "!x"),
}


@pytest.mark.parametrize("name", OBJECT_SELECTORS)
def test_a_selector_in_an_object_chooses_and_prints_itself(name: str) -> None:
    selector, want, want_text = OBJECT_SELECTORS[name]
    assert label_selector_of(selector).matches(LABELS) is want
    assert str(label_selector_of(selector)) == want_text


BAD_OBJECT_SELECTORS: dict[str, tuple[dict[str, Any], str]] = {
    "operator": (
        {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]},
        '"Gt" is not a valid label selector operator',
    ),
    "no values": (
        {"matchExpressions": [{"key": "a", "operator": "In"}]},
        "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
    ),
    "values for exists": (
        {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]},
        'values: Invalid value: ["b"]: values set must be empty for exists and does not exist',
    ),
}


@pytest.mark.parametrize("name", BAD_OBJECT_SELECTORS)
def test_a_bad_selector_in_an_object_says_why(name: str) -> None:
    selector, want = BAD_OBJECT_SELECTORS[name]
    with pytest.raises(ApiFailure) as failure:
        label_selector_of(selector)
    assert failure.value.message == want


FIELDS = {"metadata.name": "a,b", "status.phase": "Running"}

FIELD_CHOICES = {
    "": True,
    "metadata.name=a\\,b": True,
    "metadata.name=a": False,
    "metadata.name!=a": True,
    "status.phase=Running,metadata.name==a\\,b": True,
    "status.phase!=Running": False,
    "spec.nodeName=": True,
    "spec.nodeName!=": False,
}


@pytest.mark.parametrize("text", FIELD_CHOICES)
def test_a_field_selector_chooses(text: str) -> None:
    selector = parse_field_selector(text, ("status.phase", "spec.nodeName"))
    assert selector.matches(FIELDS) is FIELD_CHOICES[text]


def test_a_field_selector_tells_the_value_that_it_fixes() -> None:
    selector = parse_field_selector("metadata.name=x,metadata.namespace!=y")
    assert selector.required("metadata.name") == "x"
    assert selector.required("metadata.namespace") is None
