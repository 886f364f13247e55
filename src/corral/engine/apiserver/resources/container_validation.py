"""Validation of containers: names, images, ports, environment, mounts, and what one container shares with the others."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from corral.engine.apiserver.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)
from corral.engine.apiserver.grammar.names import label_faults, port_name_faults, port_number_faults
from corral.engine.apiserver.resources.environment_validation import environment_errors, environment_source_errors
from corral.engine.apiserver.resources.handler_validation import lifecycle_errors, probe_errors
from corral.engine.apiserver.resources.resource_requirements import requirement_errors
from corral.engine.apiserver.resources.security_validation import container_security_errors
from corral.engine.apiserver.resources.volume_validation import backstep_errors, descending_path_errors

Fields = Mapping[str, Any]

_RESTART_RULES_GATED = "may not be set for non-init containers"
_INIT_ONLY = "may not be set for init containers without restartPolicy=Always"
_HOOKS = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")


class PodScope(msgspec.Struct, frozen=True):
    """What the containers of one pod refer to: its valid volumes by name, its claims, and a few pod-wide settings."""

    volumes: Mapping[str, Fields]
    claims: frozenset[str]
    restart_policy: str
    grace: int
    has_os: bool
    host_users: bool


def container_list_errors(containers: Sequence[Fields], scope: PodScope, path: str) -> list[FieldError]:
    """Returns what is wrong with the regular containers of a pod."""
    if not containers:
        return [required(path)]
    errors: list[FieldError] = []
    names: set[str] = set()
    for index, container in enumerate(containers):
        where = f"{path}[{index}]"
        errors += _container_errors(container, scope, where)
        name = container.get("name", "")
        if name in names:
            errors.append(duplicate(f"{where}.name", name))
        names.add(name)
        errors += _running_errors(container, scope, where)
        if container.get("restartPolicy") is not None:
            errors.append(forbidden(f"{where}.restartPolicy", _RESTART_RULES_GATED))
    return errors + _host_port_errors(containers, path)


def init_container_list_errors(
    containers: Sequence[Fields], regular: Sequence[Fields], scope: PodScope, path: str
) -> list[FieldError]:
    """Returns what is wrong with the init containers, which run one after the other before the regular ones."""
    errors: list[FieldError] = []
    names = {container.get("name", "") for container in regular}
    for index, container in enumerate(containers):
        where = f"{path}[{index}]"
        errors += _container_errors(container, scope, where)
        policy = container.get("restartPolicy")
        if policy is not None and policy != "Always":
            errors.append(not_supported(f"{where}.restartPolicy", policy, ("Always",)))
        name = container.get("name", "")
        if name in names:
            errors.append(duplicate(f"{where}.name", name))
        elif name:
            names.add(name)
        errors += _host_port_errors((container,), path)
        if policy == "Always":
            errors += _running_errors(container, scope, where)
        else:
            errors += [forbidden(f"{where}.{f}", _INIT_ONLY) for f in _HOOKS if container.get(f) is not None]
    return errors


def image_space_errors(containers: Sequence[Fields], path: str) -> list[FieldError]:
    """Returns images with space around them, which templates may have and pods may not."""
    detail = "must not have leading or trailing whitespace"
    return [
        invalid(f"{path}[{index}].image", container["image"], detail)
        for index, container in enumerate(containers)
        if (image := container.get("image", "")) != image.strip()
    ]


def _container_errors(container: Fields, scope: PodScope, path: str) -> list[FieldError]:
    name = container.get("name")
    errors = (
        [invalid(f"{path}.name", name, fault) for fault in label_faults(name)] if name else [required(f"{path}.name")]
    )
    if not container.get("image"):
        errors.append(required(f"{path}.image"))
    policy = container["terminationMessagePolicy"]
    if policy not in ("File", "FallbackToLogsOnError"):
        allowed = ("File", "FallbackToLogsOnError")
        errors.append(not_supported(f"{path}.terminationMessagePolicy", policy, allowed))
    if container.get("ports"):
        errors += _port_errors(container["ports"], f"{path}.ports")
    if container.get("env"):
        errors += environment_errors(container["env"], f"{path}.env")
    if container.get("envFrom"):
        errors += environment_source_errors(container["envFrom"], f"{path}.envFrom")
    if container.get("volumeMounts"):
        errors += _mount_errors(container, scope, f"{path}.volumeMounts")
    if container.get("volumeDevices"):
        errors += _device_errors(container, scope, f"{path}.volumeDevices")
    pull = container["imagePullPolicy"]
    if pull not in ("Always", "IfNotPresent", "Never"):
        errors.append(not_supported(f"{path}.imagePullPolicy", pull, ("Always", "IfNotPresent", "Never")))
    if container["resources"]:
        errors += requirement_errors(container["resources"], f"{path}.resources", scope.claims)
    if container.get("resizePolicy"):
        errors += _resize_errors(container["resizePolicy"], scope.restart_policy, f"{path}.resizePolicy")
    if container.get("securityContext"):
        context = container["securityContext"]
        errors += container_security_errors(context, scope.host_users, f"{path}.securityContext")
    return errors


def _running_errors(container: Fields, scope: PodScope, path: str) -> list[FieldError]:
    """Checks what only makes sense for a container that keeps running."""
    errors: list[FieldError] = []
    if container.get("lifecycle") is not None:
        errors += lifecycle_errors(container["lifecycle"], scope.grace, scope.has_os, f"{path}.lifecycle")
    return errors + probe_errors(container, scope.grace, path)


def _port_errors(ports: Sequence[Fields], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    names: set[str] = set()
    for index, port in enumerate(ports):
        where = f"{path}[{index}]"
        name = port.get("name")
        if name:
            faults = port_name_faults(name)
            errors += [invalid(f"{where}.name", name, fault) for fault in faults]
            if not faults and name in names:
                errors.append(duplicate(f"{where}.name", name))
            names.add(name)
        number = port.get("containerPort")
        if not number:
            errors.append(required(f"{where}.containerPort"))
        else:
            errors += [invalid(f"{where}.containerPort", number, fault) for fault in port_number_faults(number)]
        host = port.get("hostPort")
        if host:
            errors += [invalid(f"{where}.hostPort", host, fault) for fault in port_number_faults(host)]
        if port["protocol"] not in ("TCP", "UDP", "SCTP"):
            errors.append(not_supported(f"{where}.protocol", port["protocol"], ("SCTP", "TCP", "UDP")))
    return errors


def _host_port_errors(containers: Sequence[Fields], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    taken: set[str] = set()
    for index, container in enumerate(containers):
        for number, port in enumerate(container.get("ports") or ()):
            if not port.get("hostPort"):
                continue
            key = f"{port['protocol']}/{port.get('hostIP', '')}/{port['hostPort']}"
            if key in taken:
                errors.append(duplicate(f"{path}[{index}].ports[{number}].hostPort", key))
            taken.add(key)
    return errors


def _mount_errors(container: Fields, scope: PodScope, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    devices = {d.get("name", ""): d.get("devicePath", "") for d in container.get("volumeDevices") or ()}
    for index, mount in enumerate(container["volumeMounts"]):
        where = f"{path}[{index}]"
        name, target = mount.get("name", ""), mount.get("mountPath", "")
        if not name:
            errors.append(required(f"{where}.name"))
        if name not in scope.volumes:
            errors.append(not_found(f"{where}.name", name))
        if not target:
            errors.append(required(f"{where}.mountPath"))
        if target in seen:
            errors.append(invalid(f"{where}.mountPath", target, "must be unique"))
        seen.add(target)
        if name in devices:
            errors.append(invalid(f"{where}.name", name, "must not already exist in volumeDevices"))
        if target in devices.values():
            errors.append(invalid(f"{where}.mountPath", target, "must not already exist as a path in volumeDevices"))
        errors += _mount_option_errors(mount, container, path, where)
    return errors


def _mount_option_errors(mount: Fields, container: Fields, path: str, where: str) -> list[FieldError]:
    # The paths of these errors name the list, not the mount, on the real server too.
    errors: list[FieldError] = []
    sub, expression = mount.get("subPath"), mount.get("subPathExpr")
    if sub:
        errors += descending_path_errors(sub, f"{path}.subPath")
    if expression:
        if sub:
            detail = "subPathExpr and subPath are mutually exclusive"
            errors.append(invalid(f"{where}.subPathExpr", expression, detail))
        errors += descending_path_errors(expression, f"{path}.subPathExpr")
    mode = mount.get("mountPropagation")
    if mode is not None:
        if mode not in ("Bidirectional", "HostToContainer", "None"):
            allowed = ("Bidirectional", "HostToContainer", "None")
            errors.append(not_supported(f"{path}.mountPropagation", mode, allowed))
        if mode == "Bidirectional" and not (container.get("securityContext") or {}).get("privileged"):
            detail = "Bidirectional mount propagation is available only to privileged containers"
            errors.append(forbidden(f"{path}.mountPropagation", detail))
    recursive = mount.get("recursiveReadOnly")
    if recursive in ("Enabled", "IfPossible"):
        if not mount.get("readOnly"):
            errors.append(forbidden(f"{path}.recursiveReadOnly", "may only be specified when readOnly is true"))
        if mode not in (None, "None"):
            detail = "may only be specified when mountPropagation is None or not specified"
            errors.append(forbidden(f"{path}.recursiveReadOnly", detail))
    elif recursive not in (None, "Disabled"):
        allowed = ("Disabled", "Enabled", "IfPossible")
        errors.append(not_supported(f"{path}.recursiveReadOnly", recursive, allowed))
    return errors


def _device_errors(container: Fields, scope: PodScope, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    names: set[str] = set()
    targets: set[str] = set()
    mounts = {m.get("name", ""): m.get("mountPath", "") for m in container.get("volumeMounts") or ()}
    for index, device in enumerate(container["volumeDevices"]):
        where = f"{path}[{index}]"
        name, target = device.get("name", ""), device.get("devicePath", "")
        volume = scope.volumes.get(name)
        if not name:
            errors.append(required(f"{where}.name"))
        if name in names:
            errors.append(invalid(f"{where}.name", name, "must be unique"))
        if volume is None:
            errors.append(not_found(f"{where}.name", name))
        elif volume.get("persistentVolumeClaim") is None and volume.get("ephemeral") is None:
            detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            errors.append(invalid(f"{where}.name", name, detail))
        if not target:
            errors.append(required(f"{where}.devicePath"))
        if target in targets:
            errors.append(invalid(f"{where}.devicePath", target, "must be unique"))
        if backstep_errors(target, where):
            errors.append(invalid(f"{where}.devicePath", target, "can not contain backsteps ('..')"))
        else:
            targets.add(target)
        if name in mounts:
            errors.append(invalid(f"{where}.name", name, "must not already exist in volumeMounts"))
        if target in mounts.values():
            errors.append(invalid(f"{where}.devicePath", target, "must not already exist as a path in volumeMounts"))
        names.add(name)
    return errors


def _resize_errors(policies: Sequence[Fields], restart_policy: str, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, policy in enumerate(policies):
        name, restart = policy.get("resourceName", ""), policy.get("restartPolicy", "")
        if name in seen:
            errors.append(duplicate(f"{path}[{index}]", name))
        seen.add(name)
        for value, allowed in ((name, ("cpu", "memory")), (restart, ("NotRequired", "RestartContainer"))):
            if not value:
                errors.append(required(path))
            elif value not in allowed:
                errors.append(not_supported(path, value, allowed))
        if restart_policy == "Never" and restart != "NotRequired":
            errors.append(invalid(path, restart, "must be 'NotRequired' when `restartPolicy` is 'Never'"))
    return errors
