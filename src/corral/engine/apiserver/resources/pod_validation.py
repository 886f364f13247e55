"""Validation of a pod and of the template of one, in the order in which kube-apiserver reports.

The parts live beside: containers, environment, volumes, scheduling, security. This module holds the order, and the
few fields that belong to the pod as a whole.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from corral.engine.apiserver.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from corral.engine.apiserver.grammar.names import between, label_faults, qualified_name_faults, subdomain_faults
from corral.engine.apiserver.resources.container_validation import (
    PodScope,
    container_list_errors,
    image_space_errors,
    init_container_list_errors,
)
from corral.engine.apiserver.resources.ip_addresses import address_faults
from corral.engine.apiserver.resources.metadata_validation import annotation_errors, label_errors
from corral.engine.apiserver.resources.resource import Object
from corral.engine.apiserver.resources.resource_requirements import pod_requirement_errors, requirement_errors
from corral.engine.apiserver.resources.scheduling_validation import (
    affinity_errors,
    gate_errors,
    spread_errors,
    toleration_errors,
)
from corral.engine.apiserver.resources.security_validation import host_user_errors, pod_security_errors
from corral.engine.apiserver.resources.volume_validation import volume_list_errors

Fields = Mapping[str, Any]

_RESTART = ("Always", "OnFailure", "Never")
_DNS = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_MIRROR = "kubernetes.io/config.mirror"
_DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_CLAIM_SOURCES = ("resourceClaimName", "resourceClaimTemplateName")
_LARGEST = 2**31 - 1


def pod_errors(pod: Object) -> list[FieldError]:
    """Returns everything wrong with a pod that is true on create and on update, metadata aside."""
    spec = pod["spec"]
    meta = pod["metadata"]
    errors = _special_annotation_errors(meta.get("annotations") or {}, spec, "metadata.annotations")
    errors += pod_spec_errors(spec, "spec", pod_name=meta.get("name", ""), is_pod=True)
    errors += image_space_errors(spec.get("containers") or (), "spec.containers")
    return errors + image_space_errors(spec.get("initContainers") or (), "spec.initContainers")


def creation_errors(pod: Object) -> list[FieldError]:
    """Returns what a pod may not have when it is created."""
    spec = pod["spec"]
    errors: list[FieldError] = []
    if spec.get("ephemeralContainers"):
        errors.append(forbidden("spec.ephemeralContainers", "cannot be set on create"))
    if spec.get("nodeName") and spec.get("schedulingGates"):
        detail = "cannot be set until all schedulingGates have been cleared"
        errors.append(forbidden("spec.nodeName", detail))
    return errors


def template_errors(template: Fields, path: str) -> list[FieldError]:
    """Returns everything wrong with the template of a pod."""
    meta, spec = template.get("metadata") or {}, template["spec"]
    errors = label_errors(meta.get("labels"), f"{path}.labels")
    errors += annotation_errors(meta.get("annotations"), f"{path}.annotations")
    errors += _special_annotation_errors(meta.get("annotations") or {}, spec, f"{path}.annotations")
    errors += pod_spec_errors(spec, f"{path}.spec")
    if spec.get("ephemeralContainers"):
        detail = "ephemeral containers not allowed in pod template"
        errors.append(forbidden(f"{path}.spec.ephemeralContainers", detail))
    return errors


def pod_spec_errors(spec: Fields, path: str, *, pod_name: str = "", is_pod: bool = False) -> list[FieldError]:
    """Returns everything wrong with a (defaulted) pod specification."""
    volumes, errors = volume_list_errors(spec.get("volumes") or (), pod_name, f"{path}.volumes")
    claims = spec.get("resourceClaims") or ()
    if claims:
        errors += _claim_errors(claims, f"{path}.resourceClaims")
    scope = PodScope(
        volumes=volumes,
        claims=frozenset(claim.get("name", "") for claim in claims),
        restart_policy=spec["restartPolicy"],
        grace=spec["terminationGracePeriodSeconds"],
        has_os=spec.get("os") is not None,
        host_users=spec.get("hostUsers") is not False,
    )
    containers = spec.get("containers") or ()
    errors += container_list_errors(containers, scope, f"{path}.containers")
    if spec.get("initContainers"):
        errors += init_container_list_errors(spec["initContainers"], containers, scope, f"{path}.initContainers")
    if spec.get("resources") is not None:
        errors += pod_requirement_errors(spec, f"{path}.resources")
    if spec.get("hostNetwork"):
        errors += _host_network_errors(containers, is_pod, f"{path}.containers")
    errors += _policy_errors(spec, path)
    if spec.get("nodeSelector"):
        errors += label_errors(spec["nodeSelector"], f"{path}.nodeSelector")
    errors += pod_security_errors(spec, path)
    if spec.get("affinity"):
        errors += affinity_errors(spec["affinity"], f"{path}.affinity")
    errors += _dns_errors(spec, f"{path}.dnsConfig")
    for index, gate in enumerate(spec.get("readinessGates") or ()):
        where, kind = f"{path}.readinessGates[{index}].conditionType", gate.get("conditionType", "")
        errors += [invalid(where, kind, fault) for fault in qualified_name_faults(kind)]
    if spec.get("schedulingGates"):
        errors += gate_errors(spec["schedulingGates"], f"{path}.schedulingGates")
    if spec.get("topologySpreadConstraints"):
        errors += spread_errors(spec["topologySpreadConstraints"], f"{path}.topologySpreadConstraints")
    errors += host_user_errors(spec, path)
    return errors + _identity_errors(spec, path)


def _policy_errors(spec: Fields, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if spec["restartPolicy"] not in _RESTART:
        errors.append(not_supported(f"{path}.restartPolicy", spec["restartPolicy"], _RESTART))
    if spec["dnsPolicy"] not in _DNS:
        errors.append(not_supported(f"{path}.dnsPolicy", spec["dnsPolicy"], _DNS))
    return errors


def _identity_errors(spec: Fields, path: str) -> list[FieldError]:
    """Checks the names a pod goes by and the names of what it belongs to."""
    errors = _hostname_override_errors(spec, f"{path}.hostnameOverride")
    for field, rule in (("serviceAccountName", subdomain_faults), ("nodeName", subdomain_faults)):
        value = spec.get(field)
        if value:
            errors += [invalid(f"{path}.{field}", value, fault) for fault in rule(value)]
    deadline = spec.get("activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline <= _LARGEST:
        errors.append(invalid(f"{path}.activeDeadlineSeconds", deadline, between(1, _LARGEST)))
    for field in ("hostname", "subdomain"):
        value = spec.get(field)
        if value:
            errors += [invalid(f"{path}.{field}", value, fault) for fault in label_faults(value)]
    if spec.get("tolerations"):
        errors += toleration_errors(spec["tolerations"], f"{path}.tolerations")
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        errors += _alias_errors(alias, f"{path}.hostAliases[{index}]")
    for field in ("priorityClassName", "runtimeClassName"):
        value = spec.get(field)
        if value:
            errors += [invalid(f"{path}.{field}", value, fault) for fault in subdomain_faults(value)]
    if spec.get("preemptionPolicy") not in (None, "PreemptLowerPriority", "Never"):
        allowed = ("PreemptLowerPriority", "Never")
        errors.append(not_supported(f"{path}.preemptionPolicy", spec["preemptionPolicy"], allowed))
    if spec.get("overhead"):
        errors += requirement_errors({"limits": spec["overhead"]}, f"{path}.overhead")
    return errors + _os_errors(spec, f"{path}.os")


def _os_errors(spec: Fields, path: str) -> list[FieldError]:
    if spec.get("os") is None:
        return []
    name = spec["os"].get("name", "")
    if not name:
        return [required(f"{path}.name")]
    return [] if name in ("linux", "windows") else [not_supported(path, name, ("linux", "windows"))]


def _special_annotation_errors(annotations: Mapping[str, str], spec: Fields, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if _MIRROR in annotations and not spec.get("nodeName"):
        detail = "must set spec.nodeName if mirror pod annotation is set"
        errors.append(invalid(f"{path}[{_MIRROR}]", annotations[_MIRROR], detail))
    cost = annotations.get(_DELETION_COST)
    if cost is not None and not _is_deletion_cost(cost):
        errors.append(invalid(f"{path}[{_DELETION_COST}]", cost, "must be a 32bit integer"))
    return errors


def _is_deletion_cost(text: str) -> bool:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or (len(digits) > 1 and digits[0] == "0") or text == "-0":
        return False
    return -(2**31) <= int(text) <= _LARGEST


def _host_network_errors(containers: Sequence[Fields], is_pod: bool, path: str) -> list[FieldError]:
    detail = "must match `containerPort` when `hostNetwork` is true"
    return [
        invalid(f"{path}[{index}].ports[{number}].hostPort", host, detail)
        for index, container in enumerate(containers)
        for number, port in enumerate(container.get("ports") or ())
        if ((host := port.get("hostPort", 0)) or is_pod) and host != port.get("containerPort", 0)
    ]


def _hostname_override_errors(spec: Fields, path: str) -> list[FieldError]:
    value = spec.get("hostnameOverride")
    if value is None:
        return []
    errors: list[FieldError] = []
    if spec.get("setHostnameAsFQDN"):
        errors.append(forbidden(path, "may not be specified when setHostnameAsFQDN is true"))
    if spec.get("hostNetwork"):
        errors.append(forbidden(path, "may not be specified when hostNetwork is true"))
    if len(value) > 64:
        errors.append(too_long(path, 64))
    return errors + [invalid(path, value, fault) for fault in subdomain_faults(value)]


def _dns_errors(spec: Fields, path: str) -> list[FieldError]:
    config, policy = spec.get("dnsConfig"), spec["dnsPolicy"]
    servers = (config or {}).get("nameservers") or ()
    if policy == "None":
        if config is None:
            return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")]
        if not servers:
            detail = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            return [required(f"{path}.nameservers", detail)]
    if config is None:
        return []
    errors: list[FieldError] = []
    if len(servers) > 3:
        errors.append(invalid(f"{path}.nameservers", servers, "must not have more than 3 nameservers"))
    for index, server in enumerate(servers):
        errors += [invalid(f"{path}.nameservers[{index}]", server, fault) for fault in address_faults(server)]
    searches = config.get("searches") or ()
    if len(searches) > 32:
        errors.append(invalid(f"{path}.searches", searches, "must not have more than 32 search paths"))
    if len(" ".join(searches)) > 2048:
        detail = "must not have more than 2048 characters (including spaces) in the search list"
        errors.append(invalid(f"{path}.searches", searches, detail))
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            errors.append(required(f"{path}.options[{index}]", "must not be empty"))
    return errors


def _alias_errors(alias: Fields, path: str) -> list[FieldError]:
    address = alias.get("ip", "")
    errors = [invalid(f"{path}.ip", address, fault) for fault in address_faults(address)]
    for index, name in enumerate(alias.get("hostnames") or ()):
        errors += [invalid(f"{path}.hostnames[{index}]", name, fault) for fault in subdomain_faults(name)]
    return errors


def _claim_errors(claims: Sequence[Fields], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        where, name = f"{path}[{index}]", claim.get("name", "")
        if not name:
            errors.append(required(f"{where}.name"))
        elif name in seen:
            errors.append(duplicate(f"{where}.name", name))
        else:
            errors += [invalid(f"{where}.name", name, fault) for fault in label_faults(name)]
            seen.add(name)
        shown = {"Name": name, **{f[0].upper() + f[1:]: claim.get(f) for f in _CLAIM_SOURCES}}
        sources = [f for f in _CLAIM_SOURCES if claim.get(f) is not None]
        if len(sources) > 1:
            detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            errors.append(invalid(where, shown, detail))
        elif not sources:
            detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            errors.append(invalid(where, shown, detail))
        for field in sources:
            errors += [invalid(f"{where}.{field}", claim[field], f) for f in subdomain_faults(claim[field])]
    return errors
