"""Field errors have the form in which Kubernetes writes them."""

from corral.kinds.training.validation.field_error import (
    duplicate,
    forbidden,
    invalid,
    required,
    summary,
    too_many,
    unsupported,
)


def test_each_kind_of_fault_has_its_form() -> None:
    assert str(forbidden("a.b[0]", "must be 1")) == "a.b[0]: Forbidden: must be 1"
    assert str(required("x", "must be required")) == "x: Required value: must be required"
    assert str(required("x")) == "x: Required value"
    assert str(invalid("x", "v", "wrong")) == 'x: Invalid value: "v": wrong'
    assert str(invalid("x", -1, "wrong")) == "x: Invalid value: -1: wrong"
    assert str(invalid("x", None, "wrong")) == "x: Invalid value: null: wrong"
    assert str(duplicate("x", "a")) == 'x: Duplicate value: "a"'
    assert str(unsupported("x", "foo", ["A", "B"])) == 'x: Unsupported value: "foo": supported values: "A", "B"'
    assert str(too_many("x", 3, 2)) == "x: Too many: 3: must have at most 2 items"


def test_what_users_wrote_cannot_break_the_line() -> None:
    assert str(invalid("x", 'a"\n\\', "wrong")) == 'x: Invalid value: "a\\"\\n\\\\": wrong'


def test_one_error_stands_alone_and_several_in_brackets() -> None:
    assert summary([required("a")]) == "a: Required value"
    assert summary([required("a"), required("b")]) == "[a: Required value, b: Required value]"
