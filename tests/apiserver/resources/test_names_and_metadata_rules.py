"""Rules of metadata that the recorded cases of the kinds do not reach."""

from typing import Any

import pytest

from corral.engine.apiserver.grammar.names import (
    config_key_faults,
    generate_name_faults,
    is_label_value,
    is_qualified_name,
    label1035_faults,
    label_faults,
    path_faults,
    percent_faults,
    port_name_faults,
    prefixed_path_faults,
    subdomain_faults,
)
from corral.engine.apiserver.resources.metadata_validation import (
    ANNOTATIONS_LIMIT,
    builtin_finalizer_errors,
    selector_errors,
    validate_metadata,
    validate_metadata_update,
)


def meta(**fields: Any) -> dict[str, Any]:
    return {"metadata": {"name": "x", "namespace": "d", "resourceVersion": "1", **fields}}


def told(obj: dict[str, Any], *, namespaced: bool = True, name_rule: str = "subdomain") -> list[str]:
    return [str(error) for error in validate_metadata(obj, namespaced=namespaced, name_rule=name_rule)]


@pytest.mark.parametrize("name", ["a", "a.b", "0", "a-b.c", "a" * 253])
def test_good_subdomains_have_no_faults(name: str) -> None:
    assert subdomain_faults(name) == ()


@pytest.mark.parametrize("name", ["", "A", "a_b", "-a", "a-", "a..b", ".a", "a\n", "ä", "a" * 254])
def test_bad_subdomains_have_one_fault(name: str) -> None:
    assert len(subdomain_faults(name)) == 1


def test_the_grammar_of_a_subdomain_is_told_in_full() -> None:
    assert subdomain_faults("A") == (
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
        "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    )


def test_examples_are_joined_as_on_the_wire() -> None:
    assert "(e.g. 'my-name',  or '123-abc', regex used" in label_faults("A")[0]
    assert label_faults("a.b") == ("must not contain dots",)


def test_services_may_not_begin_with_a_digit() -> None:
    assert label1035_faults("a1") == ()
    assert label1035_faults("1a")[0].startswith("a DNS-1035 label must consist of")


def test_path_segments_refuse_only_what_breaks_paths() -> None:
    assert path_faults("system:node/x%") == ("may not contain '/'", "may not contain '%'")
    assert path_faults("..") == ("may not be '..'",)
    assert path_faults("System:Any Thing") == ()


def test_the_start_of_a_generated_name_may_end_with_a_dash() -> None:
    assert generate_name_faults("subdomain", "job-") == ()
    assert generate_name_faults("path", "..") == ()
    assert generate_name_faults("subdomain", "Job-") != ()


def test_lengths_are_counted_in_bytes() -> None:
    assert not is_label_value("ä" * 32)
    assert is_label_value("a" * 63)
    assert not is_label_value("a" * 64)


def test_qualified_names_have_a_domain_or_none() -> None:
    assert is_qualified_name("a")
    assert is_qualified_name("example.com/A_b.c")
    assert not is_qualified_name("Example.com/a")
    assert not is_qualified_name("a/b/c")


def test_port_names_config_keys_percents_and_paths() -> None:
    assert port_name_faults("a-b") == ()
    assert port_name_faults("0") == ("must contain at least one letter (a-z)",)
    assert config_key_faults("..a") == ("must not start with '..'",)
    assert percent_faults("25%") == ()
    assert percent_faults("25")[0].endswith("(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')")
    assert prefixed_path_faults("acme.io/foo") == ()
    assert prefixed_path_faults("acme") == (("acme", 'must be a domain-prefixed path (such as "acme.io/foo")'),)


def test_a_namespace_is_required_or_forbidden_by_scope() -> None:
    assert told({"metadata": {"name": "x"}}) == ["metadata.namespace: Required value"]
    assert told(meta(), namespaced=False) == ["metadata.namespace: Forbidden: not allowed on this type"]
    assert told({"metadata": {"namespace": "d"}}) == ["metadata.name: Required value: name or generateName is required"]


def test_annotations_have_a_limit_for_all_together() -> None:
    assert told(meta(annotations={"a": "b" * (ANNOTATIONS_LIMIT - 1)})) == []
    assert told(meta(annotations={"a": "b" * ANNOTATIONS_LIMIT})) == [
        "metadata.annotations: Too long: may not be more than 262144 bytes"
    ]


def test_what_identifies_an_object_never_changes() -> None:
    old = meta(uid="u", creationTimestamp="t", generation=2)
    new = meta(name="y", uid="w", creationTimestamp="s", generation=1, deletionTimestamp="d")
    assert [str(error) for error in validate_metadata_update(new, old)] == [
        "metadata.generation: Invalid value: 1: must not be decremented",
        'metadata.name: Invalid value: "y": field is immutable',
        'metadata.uid: Invalid value: "w": field is immutable',
        'metadata.creationTimestamp: Invalid value: "s": field is immutable',
        'metadata.deletionTimestamp: Invalid value: "d": field is immutable',
    ]


def test_no_finalizer_joins_an_object_that_is_being_deleted() -> None:
    old = meta(deletionTimestamp="t", finalizers=["a/a"])
    new = meta(deletionTimestamp="t", finalizers=["a/a", "a/c", "a/b"])
    assert [str(error) for error in validate_metadata_update(new, old)] == [
        "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, "
        'found new finalizers []string{"a/b", "a/c"}'
    ]
    assert validate_metadata_update(meta(deletionTimestamp="t"), old) == []


def test_built_in_kinds_want_a_domain_in_finalizers() -> None:
    assert builtin_finalizer_errors(meta(finalizers=["orphan", "a/b"])) == []
    assert [str(error) for error in builtin_finalizer_errors(meta(finalizers=["mine"]))] == [
        'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified'
    ]


def test_selectors_are_checked_in_both_forms() -> None:
    selector = {"matchLabels": {"a": "b c"}, "matchExpressions": [{"key": "a", "operator": "In"}]}
    assert [error.path for error in selector_errors(selector, "s")] == ["s.matchLabels", "s.matchExpressions[0].values"]
    assert selector_errors(None, "s") == []
