"""Validation of security contexts: user and group numbers, profiles, and combinations that make no sense."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, duplicate, forbidden, invalid, not_supported, required
from corral.engine.apiserver.grammar.names import between

Fields = Mapping[str, Any]

_LARGEST_ID = 2**31 - 1
_PROFILES = ("Localhost", "RuntimeDefault", "Unconfined")
_CHOICES = {
    "fsGroupChangePolicy": ("Always", "OnRootMismatch"),
    "supplementalGroupsPolicy": ("Merge", "Strict"),
    "seLinuxChangePolicy": ("MountOption", "Recursive"),
}
_SYSCTL_PART = "[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?"
_SYSCTL = rf"^(?:{_SYSCTL_PART}[\./])*{_SYSCTL_PART}$"
_match_sysctl = re.compile(_SYSCTL).fullmatch


def pod_security_errors(spec: Fields, path: str) -> list[FieldError]:
    """Returns what is wrong with the security context of a pod."""
    context = spec.get("securityContext") or {}
    path = f"{path}.securityContext"
    errors: list[FieldError] = []
    for field in ("fsGroup", "runAsUser", "runAsGroup"):
        errors += _id_errors(context.get(field), f"{path}.{field}")
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        errors += _id_errors(group, f"{path}.supplementalGroups[{index}]")
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        errors.append(invalid(f"{path}.shareProcessNamespace", True, detail))
    if context.get("sysctls"):
        errors += _sysctl_errors(context["sysctls"], spec, f"{path}.sysctls")
    errors += _choice_errors(context, "fsGroupChangePolicy", path)
    errors += _profile_errors(context, path)
    errors += _choice_errors(context, "supplementalGroupsPolicy", path)
    return errors + _choice_errors(context, "seLinuxChangePolicy", path)


def container_security_errors(context: Fields, host_users: bool, path: str) -> list[FieldError]:
    """Returns what is wrong with the security context of a container."""
    errors: list[FieldError] = []
    for field in ("runAsUser", "runAsGroup"):
        errors += _id_errors(context.get(field), f"{path}.{field}")
    mount = context.get("procMount")
    if mount is not None:
        if mount not in ("Default", "Unmasked"):
            errors.append(not_supported(f"{path}.procMount", mount, ("Default", "Unmasked")))
        if host_users and mount == "Unmasked":
            errors.append(invalid(f"{path}.procMount", mount, "`hostUsers` must be false to use `Unmasked`"))
    errors += _profile_errors(context, path)
    if context.get("allowPrivilegeEscalation") is False:
        head = "cannot set `allowPrivilegeEscalation` to false and"
        if context.get("privileged"):
            errors.append(invalid(path, context, f"{head} `privileged` to true"))
        if "CAP_SYS_ADMIN" in ((context.get("capabilities") or {}).get("add") or ()):
            errors.append(invalid(path, context, f"{head} `capabilities.Add` CAP_SYS_ADMIN"))
    return errors


def host_user_errors(spec: Fields, path: str) -> list[FieldError]:
    """Returns what a pod with its own user namespace may not share with the host."""
    if spec.get("hostUsers") is not False:
        return []
    detail = "when `hostUsers` is false"
    named = (("HostNetwork", "hostNetwork"), ("HostPID", "hostPID"), ("HostIPC", "hostIPC"))
    return [forbidden(f"{path}.{shown}", detail) for shown, field in named if spec.get(field)]


def _id_errors(value: int | None, path: str) -> list[FieldError]:
    if value is None or 0 <= value <= _LARGEST_ID:
        return []
    return [invalid(path, value, between(0, _LARGEST_ID))]


def _choice_errors(context: Fields, field: str, path: str) -> list[FieldError]:
    value, allowed = context.get(field), _CHOICES[field]
    return [] if value is None or value in allowed else [not_supported(f"{path}.{field}", value, allowed)]


def _profile_errors(context: Fields, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for field, name in (("seccompProfile", "seccomp"), ("appArmorProfile", "AppArmor")):
        profile = context.get(field)
        if profile is None:
            continue
        kind, where = profile.get("type", ""), f"{path}.{field}"
        if not kind:
            errors.append(required(f"{where}.type", f"type is required when {field} is set"))
        elif kind not in _PROFILES:
            errors.append(not_supported(f"{where}.type", kind, _PROFILES))
        local = profile.get("localhostProfile")
        if kind == "Localhost":
            if not local:
                errors.append(required(f"{where}.localhostProfile", f"must be set when {name} type is Localhost"))
        elif local is not None:
            detail = f"can only be set when {name} type is Localhost"
            errors.append(invalid(f"{where}.localhostProfile", local, detail))
    return errors


def _sysctl_errors(sysctls: Sequence[Fields], spec: Fields, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, sysctl in enumerate(sysctls):
        where, name = f"{path}[{index}].name", sysctl.get("name", "")
        if not name:
            errors.append(required(where))
        elif len(name) > 253 or not _match_sysctl(name):
            detail = f"must have at most 253 characters and match regex {_SYSCTL.replace('?:', '')}"
            errors.append(invalid(where, name, detail))
        elif name in seen:
            errors.append(duplicate(where, name))
        if spec.get("hostNetwork") and name.startswith("net."):
            errors.append(invalid(where, name, "may not be specified when 'hostNetwork' is true"))
        if spec.get("hostIPC") and name.startswith(("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.")):
            errors.append(invalid(where, name, "may not be specified when 'hostIPC' is true"))
        seen.add(name)
    return errors
