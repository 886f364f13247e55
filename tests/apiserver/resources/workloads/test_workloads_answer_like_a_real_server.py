"""Every answer in creates.json and changes.json came from a real kube-apiserver; ours must be the same, word for word.

Not compared: the token volume of a service account (not mounted by the embedded server), and the text after the head
of two messages that print the server's internal structures (a changed pod specification, a changed job template).
"""

import re
from typing import Any

import pytest

from corral.engine.apiserver.failures import ApiFailure
from tests.apiserver.resources.workloads.bench import Bench, refused
from tests.apiserver.resources.workloads.cases import load, manifest, tidy

CREATES, CREATE_ANSWERS = load("creates.yaml"), load("creates.json")
CHANGES, CHANGE_ANSWERS = load("changes.yaml"), load("changes.json")
_PRINTED = re.compile(r'(spec\.template: )?Invalid value: \{"(labels|metadata|spec|Spec|Rules|rules).*\}: ', re.DOTALL)
_DIFF = re.compile(r"previously negative\)\n.*", re.DOTALL)


def comparable(answer: dict[str, Any]) -> dict[str, Any]:
    """Returns an answer without the structures that messages print for people."""
    if "causes" not in answer:
        return answer
    texts = [answer["message"], *(cause["message"] for cause in answer["causes"])]
    message, *details = [_PRINTED.sub("", _DIFF.sub("", text)) for text in texts]
    causes = [{**cause, "message": text} for cause, text in zip(answer["causes"], details, strict=True)]
    return {"code": answer["code"], "message": message, "causes": causes}


@pytest.mark.parametrize("name", CREATES)
def test_a_manifest_is_stored_or_refused_as_by_a_real_server(name: str) -> None:
    obj = manifest(CREATES[name])
    try:
        answer = tidy(Bench(obj["kind"]).create(obj))
    except ApiFailure as failure:
        answer = tidy(refused(failure))
    assert comparable(answer) == comparable(CREATE_ANSWERS[name])


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_made_or_refused_as_by_a_real_server(name: str) -> None:
    case = CHANGES[name]
    obj = manifest(case["object"])
    bench = Bench(obj["kind"])
    stored = bench.create(obj)
    if "bound" in case:
        stored = bench.bind(stored, case["bound"])
    if "state" in case:
        stored = bench.change_status(stored, {"status": case["state"]})
    try:
        change = bench.change_status if "status" in case["change"] else bench.change
        answer = tidy(change(stored, case["change"]))
    except ApiFailure as failure:
        answer = tidy(refused(failure))
    assert comparable(answer) == comparable(CHANGE_ANSWERS[name])
