"""Every answer in recorded.json came from a real kube-apiserver; ours must be the same object or the same refusal.

Compared is the object after defaults, without what the server writes into metadata. A patch whose result another
layer refuses (types, validation) is only required to be applied here.
"""

from copy import deepcopy
from typing import Any

import pytest

from corral.engine.apiserver.failures import ApiFailure
from corral.engine.apiserver.patch import json_patch, merge_patch, strategic
from corral.engine.apiserver.resources.plain import plain_resources
from corral.engine.apiserver.resources.workloads import workload_resources
from corral.engine.apiserver.schema.builtin import builtin_schema
from corral.engine.apiserver.schema.completion import complete
from corral.engine.apiserver.schema.decoding import check
from tests.apiserver.patch.cases import FORMS, cases, recorded

CASES, RECORDED = cases(), recorded()
RESOURCES = {r.kind: r for r in (*plain_resources(builtin_schema), *workload_resources(builtin_schema))}
NAMES = [(kind, form, name) for kind, case in CASES.items() for form in FORMS for name in case.get(form, {})]
SERVER_SET = ("managedFields", "generation", "resourceVersion")


def patched(form: str, obj: dict[str, Any], patch: Any) -> Any:
    if form == "json":
        return json_patch.apply(obj, patch)
    if form == "merge":
        return merge_patch.apply(obj, patch)
    return strategic.apply(obj, patch, RESOURCES[obj["kind"]].schema)


def stored(obj: dict[str, Any]) -> dict[str, Any]:
    """Returns a patched object as the server shows it."""
    resource = RESOURCES[obj["kind"]]
    result: dict[str, Any] = check(resource.schema, deepcopy(obj)).value
    resource.strategy.default(result)
    complete(resource.schema, result)
    return shown(result)


def shown(obj: dict[str, Any]) -> dict[str, Any]:
    return {**obj, "metadata": {key: value for key, value in obj["metadata"].items() if key not in SERVER_SET}}


@pytest.mark.parametrize(("kind", "form", "name"), NAMES)
def test_a_patch_gives_the_same_object_or_the_same_refusal(kind: str, form: str, name: str) -> None:
    answer, obj = RECORDED[kind][form][name], RECORDED[kind]["object"]
    patch, untouched, patch_untouched = CASES[kind][form][name], deepcopy(obj), deepcopy(CASES[kind][form][name])
    if answer["kind"] == "Status" and "is invalid" not in answer["message"]:
        with pytest.raises(ApiFailure) as failure:
            patched(form, obj, patch)
        assert {key: value for key, value in failure.value.status().items() if value != ""} == answer
        return
    result = patched(form, obj, patch)
    assert obj == untouched
    assert patch == patch_untouched
    if answer["kind"] != "Status":
        assert stored(result) == shown(answer)
