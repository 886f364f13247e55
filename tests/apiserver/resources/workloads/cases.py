"""The cases of this folder: manifests and changes in YAML, answers of a real kube-apiserver in JSON."""

import json
import re
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
NAMESPACE = "workload-cases"
UID = "00000000-0000-0000-0000-000000000000"
API = {"Pod": "v1", "Deployment": "apps/v1", "ReplicaSet": "apps/v1", "Job": "batch/v1"}
_ANY_UID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BODY = ("spec", "status")
_FIELDS = ("uid", "resourceVersion", "creationTimestamp", "managedFields")


def load(name: str) -> Any:
    """Returns the cases or answers of one file."""
    text = (HERE / name).read_text()
    return yaml.safe_load(text) if name.endswith(".yaml") else json.loads(text)


def manifest(case: dict[str, Any]) -> dict[str, Any]:
    """Returns the whole object that a case spells shortly."""
    meta = {"name": case.get("name", "x"), "namespace": NAMESPACE}
    meta |= {key: value for key, value in case.items() if key not in ("kind", "name", *_BODY)}
    body = {key: case[key] for key in _BODY if key in case}
    return {"apiVersion": API[case["kind"]], "kind": case["kind"], "metadata": meta, **body}


def tidy(answer: dict[str, Any]) -> dict[str, Any]:
    """Returns an answer without what differs from server to server and from run to run."""
    if answer.get("kind") == "Status":
        causes = (answer.get("details") or {}).get("causes") or []
        # The real server reports a fault once per check that found it; what counts is which faults there are.
        causes = json.loads(_ANY_UID.sub(UID, json.dumps(causes)))
        unique = [cause for index, cause in enumerate(causes) if cause not in causes[:index]]
        return {"code": answer["code"], "message": _ANY_UID.sub(UID, answer["message"]), "causes": unique}
    meta = answer["metadata"]
    uid = meta.get("uid", UID)
    for field in _FIELDS:
        meta.pop(field, None)
    if answer["kind"] == "Pod":
        _without_token(answer["spec"])
        for condition in answer["status"].get("conditions") or ():
            condition["lastTransitionTime"] = "then" if condition.get("lastTransitionTime") else None
    text: dict[str, Any] = json.loads(json.dumps(answer).replace(uid, UID))
    return text


def _without_token(spec: dict[str, Any]) -> None:
    """Removes the mounted token of the service account, which the embedded server does not add."""
    _drop(spec, "volumes")
    for field in ("containers", "initContainers"):
        for container in spec.get(field) or ():
            _drop(container, "volumeMounts")


def _drop(holder: dict[str, Any], field: str) -> None:
    kept = [item for item in holder.get(field) or () if not item.get("name", "").startswith("kube-api-access-")]
    if kept:
        holder[field] = kept
    else:
        holder.pop(field, None)
