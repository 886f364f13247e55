"""What may change in the life of a pod: very little of its specification, and its status only forward."""

from collections.abc import Mapping, Sequence
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, forbidden, invalid
from corral.engine.apiserver.grammar.names import qualified_name_faults, subdomain_faults
from corral.engine.apiserver.resources.equality import difference, is_same
from corral.engine.apiserver.resources.ip_addresses import address_faults
from corral.engine.apiserver.resources.metadata_validation import IMMUTABLE
from corral.engine.apiserver.resources.resource import Object

Fields = Mapping[str, Any]

_UPDATABLE = (
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_OWN_CONDITIONS = ("PodScheduled", "Ready", "Initialized")
_ONLY_ADDITIONS = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_MIRROR = "kubernetes.io/config.mirror"


def change_errors(new: Object, old: Object) -> list[FieldError]:
    """Returns every forbidden change of a pod."""
    spec, before = new["spec"], old["spec"]
    errors = _mirror_errors(new["metadata"], old["metadata"])
    for field in ("containers", "initContainers"):
        if len(spec.get(field) or ()) != len(before.get(field) or ()):
            return errors + [forbidden(f"spec.{field}", "pod updates may not add or remove containers")]
    deadline, deadline_before = spec.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds")
    if deadline is None and deadline_before is not None:
        detail = "must not update from a positive integer to nil value"
        errors.append(invalid("spec.activeDeadlineSeconds", None, detail))
    elif deadline_before is not None and deadline > deadline_before:
        detail = "must be less than or equal to previous value"
        return errors + [invalid("spec.activeDeadlineSeconds", deadline, detail)]
    errors += _toleration_errors(spec.get("tolerations") or (), before.get("tolerations") or ())
    errors += _gate_errors(spec.get("schedulingGates") or (), before.get("schedulingGates") or ())
    return errors if is_same(spec, before) else errors + _rest_errors(spec, before)


def status_errors(new: Object, old: Object) -> list[FieldError]:
    """Returns everything wrong with a new status of a pod."""
    status, before = new.get("status") or {}, old.get("status") or {}
    errors: list[FieldError] = []
    for index, condition in enumerate(status.get("conditions") or ()):
        errors += _condition_errors(condition, f"status.conditions[{index}]")
    nominated = status.get("nominatedNodeName", "")
    if nominated and nominated != before.get("nominatedNodeName", ""):
        errors += [invalid("status.nominatedNodeName", nominated, fault) for fault in subdomain_faults(nominated)]
    if status.get("observedGeneration", 0) < 0:
        number = status["observedGeneration"]
        errors.append(invalid("status.observedGeneration", number, "must be a non-negative integer"))
    if status.get("qosClass", "") != before.get("qosClass", ""):
        errors.append(invalid("status.qosClass", status.get("qosClass", ""), IMMUTABLE))
    for field in ("containerStatuses", "initContainerStatuses"):
        errors += _transition_errors(status.get(field) or (), before.get(field) or (), old["spec"], field)
    return errors + _address_errors(status)


def _mirror_errors(meta: Fields, before: Fields) -> list[FieldError]:
    value = (meta.get("annotations") or {}).get(_MIRROR)
    value_before = (before.get("annotations") or {}).get(_MIRROR)
    if value == value_before:
        return []
    verb = "add" if value_before is None else "remove or update"
    return [forbidden(f"metadata.annotations[{_MIRROR}]", f"may not {verb} mirror pod annotation")]


def _toleration_errors(tolerations: Sequence[Fields], before: Sequence[Fields]) -> list[FieldError]:
    known = [{**each, "tolerationSeconds": None} for each in tolerations]
    if all({**each, "tolerationSeconds": None} in known for each in before):
        return []
    return [forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")]


def _gate_errors(gates: Sequence[Fields], before: Sequence[Fields]) -> list[FieldError]:
    known = {gate.get("name", "") for gate in before}
    return [
        forbidden(
            f"spec.schedulingGates[{index}].name", f"only deletion is allowed, but found new scheduling gate '{name}'"
        )
        for index, gate in enumerate(gates)
        if (name := gate.get("name", "")) not in known
    ]


def _rest_errors(spec: Fields, before: Fields) -> list[FieldError]:
    """Compares what is left of the specifications when all that may change is made equal."""
    errors: list[FieldError] = []
    same = {**spec}
    for field in ("activeDeadlineSeconds", "schedulingGates", "tolerations"):
        same[field] = before.get(field)
    for field in ("containers", "initContainers"):
        pairs = zip(spec.get(field) or (), before.get(field) or (), strict=True)
        same[field] = [{**container, "image": old.get("image")} for container, old in pairs]
    if before.get("terminationGracePeriodSeconds", 0) < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        same["terminationGracePeriodSeconds"] = before["terminationGracePeriodSeconds"]
    if before.get("schedulingGates"):
        errors += _gated_errors(spec, before)
        same["nodeSelector"] = before.get("nodeSelector")
        node_affinity = (before.get("affinity") or {}).get("nodeAffinity")
        same["affinity"] = {**(spec.get("affinity") or {}), "nodeAffinity": node_affinity}
    if not is_same(same, before):
        shown = {key: value for key, value in same.items() if value not in (None, [])}
        detail = f"pod updates may not change fields other than {_UPDATABLE}\n{difference(before, shown)}"
        errors.append(forbidden("spec", detail))
    return errors


def _gated_errors(spec: Fields, before: Fields) -> list[FieldError]:
    """Checks where a pod that still waits at a gate may go: the choice of nodes may only become narrower."""
    errors: list[FieldError] = []
    selector = spec.get("nodeSelector") or {}
    if any(selector.get(key) != value for key, value in (before.get("nodeSelector") or {}).items()):
        errors.append(invalid("spec.nodeSelector", dict(sorted(selector.items())), _ONLY_ADDITIONS))
    path = f"spec.affinity.nodeAffinity.{_REQUIRED}.nodeSelectorTerms"
    terms, terms_before = _node_terms(spec), _node_terms(before)
    if terms_before and len(terms) != len(terms_before):
        detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        return errors + [invalid(path, terms, detail)]
    for index, (term, old) in enumerate(zip(terms, terms_before, strict=False)):
        if not _only_adds(term, old):
            detail = "only additions are allowed (no mutations or deletions)"
            errors.append(invalid(f"{path}[{index}]", term, detail))
    return errors


def _node_terms(spec: Fields) -> list[Fields]:
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(_REQUIRED) or {}
    return required.get("nodeSelectorTerms") or []


def _only_adds(term: Fields, before: Fields) -> bool:
    fields = ("matchExpressions", "matchFields")
    if not any(before.get(field) for field in fields):
        return not any(term.get(field) for field in fields)
    return all((term.get(f) or [])[: len(before.get(f) or ())] == (before.get(f) or []) for f in fields)


def _condition_errors(condition: Fields, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    generation = condition.get("observedGeneration", 0)
    if generation < 0:
        errors.append(invalid(f"{path}.observedGeneration", generation, "must be a non-negative integer"))
    kind = condition.get("type", "")
    if kind not in _OWN_CONDITIONS:
        errors += [invalid(f"{path}.Type", kind, fault) for fault in qualified_name_faults(kind)]
    return errors


def _transition_errors(
    statuses: Sequence[Fields], before: Sequence[Fields], spec: Fields, field: str
) -> list[FieldError]:
    """Finds containers that ended for good and are said to be alive again."""
    if spec["restartPolicy"] == "Always":
        return []
    listed = spec.get("initContainers" if field.startswith("init") else "containers") or ()
    restartable = {c.get("name") for c in listed if c.get("restartPolicy") == "Always"}
    errors: list[FieldError] = []
    for index, old in enumerate(before):
        ended = (old.get("state") or {}).get("terminated")
        if ended is None or old.get("name") in restartable:
            continue
        if ended.get("exitCode", 0) != 0 and spec["restartPolicy"] == "OnFailure":
            continue
        alive = [
            s for s in statuses if s.get("name") == old.get("name") and not (s.get("state") or {}).get("terminated")
        ]
        if alive:
            detail = "may not be transitioned to non-terminated state"
            errors.append(forbidden(f"status.{field}[{index}].state", detail))
    return errors


def _address_errors(status: Fields) -> list[FieldError]:
    errors: list[FieldError] = []
    for field in ("podIPs", "hostIPs"):
        addresses = [each.get("ip", "") for each in status.get(field) or ()]
        if field == "hostIPs" and addresses and addresses[0] != status.get("hostIP", ""):
            errors.append(invalid("status.hostIPs[0].ip", addresses[0], "must be equal to `hostIP`"))
        for index, address in enumerate(addresses):
            errors += [invalid(f"status.{field}[{index}]", address, fault) for fault in address_faults(address)]
        families = {":" in address for address in addresses}
        if len(addresses) > 1 and (len(addresses) > 2 or len(families) != 2):
            detail = "may specify no more than one IP for each IP family"
            errors.append(invalid(f"status.{field}", [{"IP": address} for address in addresses], detail))
    return errors
