"""`-o jsonpath=TEMPLATE`: kubectl's own answers."""

import pytest

from corral.kinds.json_path import JsonPathError
from corral.surfaces.cli.words.json_template import parse_template
from tests.surfaces.template_answers import ANSWERS, OBJECT, REFUSED


@pytest.mark.parametrize(("template", "answer"), ANSWERS.items())
def test_a_template_writes_what_kubectl_writes(template: str, answer: str) -> None:
    assert parse_template(template).write(OBJECT) == answer


@pytest.mark.parametrize("template", REFUSED)
def test_what_kubectl_refuses_is_refused(template: str) -> None:
    with pytest.raises(JsonPathError):
        parse_template(template).write(OBJECT)


def test_a_key_with_dots_needs_no_backslashes_here() -> None:
    """kubectl reads it as a path and finds nothing; nobody can want that."""
    assert parse_template("{.metadata.labels['k.io/h']}").write(OBJECT) == "v"
