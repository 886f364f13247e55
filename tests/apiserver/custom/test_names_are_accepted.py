"""A definition is established when nobody else in its group has its names."""

from typing import Any

from corral.engine.apiserver.custom.naming import CLEANUP_FINALIZER, establish, is_established, mark_terminating

NOW, LATER = "2026-01-01T00:00:00Z", "2026-01-01T00:00:09Z"


def definition(plural: str, kind: str, group: str = "example.com", **names: Any) -> dict[str, Any]:
    spec = {
        "group": group,
        "names": {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"},
    }
    spec["names"].update(names)  # type: ignore[attr-defined]
    status = {"conditions": None, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": ["v1"]}
    return {"metadata": {"name": f"{plural}.{group}"}, "spec": spec, "status": status}


def test_a_lone_definition_is_established_at_once() -> None:
    crd = definition("foos", "Foo", shortNames=["f"], categories=["all"])
    establish(crd, [], NOW)
    assert crd["status"]["acceptedNames"] == crd["spec"]["names"]
    assert crd["status"]["conditions"] == [
        {
            "type": "NamesAccepted",
            "status": "True",
            "lastTransitionTime": NOW,
            "reason": "NoConflicts",
            "message": "no conflicts found",
        },
        {
            "type": "Established",
            "status": "True",
            "lastTransitionTime": NOW,
            "reason": "InitialNamesAccepted",
            "message": "the initial names have been accepted",
        },
    ]
    establish(crd, [crd], LATER)
    assert {c["lastTransitionTime"] for c in crd["status"]["conditions"]} == {NOW}


def test_a_taken_kind_is_not_accepted() -> None:
    first, second = definition("foos", "Foo"), definition("fools", "Foo", singular="fool", listKind="FoolList")
    establish(first, [], NOW)
    establish(second, [first], NOW)
    assert not is_established(second)
    names, established = second["status"]["conditions"]
    assert (names["status"], names["reason"], names["message"]) == ("False", "KindConflict", '"Foo" is already in use')
    assert (established["status"], established["reason"]) == ("False", "NotAccepted")
    assert second["status"]["acceptedNames"] == {
        "plural": "fools",
        "kind": "",
        "singular": "fool",
        "listKind": "FoolList",
    }
    establish(second, [], LATER)
    assert is_established(second)


def test_groups_do_not_share_names() -> None:
    first, second = definition("foos", "Foo"), definition("foos", "Foo", group="other.example.com")
    establish(first, [], NOW)
    establish(second, [first], NOW)
    assert is_established(second)


def test_an_established_definition_stays_so_while_a_new_short_name_is_taken() -> None:
    first, second = definition("foos", "Foo", shortNames=["f", "o"]), definition("bars", "Bar")
    establish(first, [], NOW)
    establish(second, [first], NOW)
    second["spec"]["names"]["shortNames"] = ["f", "o"]
    establish(second, [first], LATER)
    assert is_established(second)
    condition = second["status"]["conditions"][0]
    assert condition["reason"] == "ShortNamesConflict"
    assert condition["message"] == '["f" is already in use, "o" is already in use]'


def test_a_deleted_definition_waits_for_its_objects() -> None:
    crd = definition("foos", "Foo")
    establish(crd, [], NOW)
    mark_terminating(crd, LATER)
    mark_terminating(crd, LATER)
    assert crd["metadata"]["finalizers"] == [CLEANUP_FINALIZER]
    assert crd["status"]["conditions"][-1]["reason"] == "InstanceDeletionPending"
