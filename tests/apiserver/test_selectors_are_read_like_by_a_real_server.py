"""selector_answers.json holds what a real kube-apiserver says to selectors of pods; an empty text means accepted."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.selectors import parse_field_selector, parse_label_selector

ANSWERS: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("selector_answers.json").read_text())
POD_FIELDS = ("spec.nodeName", "spec.restartPolicy", "status.phase")


@pytest.mark.parametrize("text", ANSWERS["labels"])
def test_a_label_selector_is_accepted_or_refused_in_the_same_words(text: str) -> None:
    assert refusal(lambda: parse_label_selector(text)) == ANSWERS["labels"][text]


@pytest.mark.parametrize("text", ANSWERS["fields"])
def test_a_field_selector_is_accepted_or_refused_in_the_same_words(text: str) -> None:
    assert refusal(lambda: parse_field_selector(text, POD_FIELDS)) == ANSWERS["fields"][text]


def test_a_kind_without_fields_of_its_own_names_the_two_that_all_have() -> None:
    want = '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"'
    assert refusal(lambda: parse_field_selector("data.x=1")) == want
    assert refusal(lambda: parse_field_selector("data.x=1", ("metadata.name", "metadata.namespace"))) == want


def test_a_custom_resource_refuses_unknown_fields_in_short_words() -> None:
    assert refusal(lambda: parse_field_selector("spec.x=1", custom=True)) == "field label not supported: spec.x"


def refusal(read: Callable[[], object]) -> str:
    try:
        read()
    except ApiFailure as failure:
        return failure.message if (failure.code, failure.reason) == (400, "BadRequest") else repr(failure)
    return ""
