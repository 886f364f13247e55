"""Validation of probes and lifecycle hooks: both run one handler (exec, httpGet, tcpSocket, grpc, sleep)."""

from collections.abc import Callable, Mapping
from typing import Any

from corral.engine.apiserver.field_errors import FieldError, forbidden, invalid, not_supported, required
from corral.engine.apiserver.grammar.names import header_name_faults, port_name_faults, port_number_faults
from corral.engine.apiserver.resources.metadata_validation import NOT_NEGATIVE

_PROBE_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc")
_HOOK_HANDLERS = ("exec", "httpGet", "tcpSocket", "sleep")
_PROBE_NUMBERS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")


def probe_errors(container: Mapping[str, Any], grace: int, path: str) -> list[FieldError]:
    """Returns what is wrong with the three probes of a container."""
    errors: list[FieldError] = []
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name)
        if probe is None:
            continue
        where = f"{path}.{name}"
        errors += _probe_errors(probe, grace, where)
        if name != "readinessProbe":
            if probe["successThreshold"] != 1:
                errors.append(invalid(f"{where}.successThreshold", probe["successThreshold"], "must be 1"))
        elif probe.get("terminationGracePeriodSeconds") is not None:
            value = probe["terminationGracePeriodSeconds"]
            where = f"{where}.terminationGracePeriodSeconds"
            errors.append(invalid(where, value, "must not be set for readinessProbes"))
    return errors


def lifecycle_errors(lifecycle: Mapping[str, Any], grace: int, has_os: bool, path: str) -> list[FieldError]:
    """Returns what is wrong with the hooks of a container."""
    errors: list[FieldError] = []
    for hook in ("postStart", "preStop"):
        if lifecycle.get(hook) is not None:
            errors += _handler_errors(lifecycle[hook], _HOOK_HANDLERS, grace, f"{path}.{hook}")
    if lifecycle.get("stopSignal") is not None and not has_os:
        detail = "may not be set for containers with empty `spec.os.name`"
        errors.append(forbidden(f"{path}.stopSignal", detail))
    return errors


def _probe_errors(probe: Mapping[str, Any], grace: int, path: str) -> list[FieldError]:
    errors = _handler_errors(probe, _PROBE_HANDLERS, grace, path)
    for field in _PROBE_NUMBERS:
        if probe.get(field, 0) < 0:
            errors.append(invalid(f"{path}.{field}", probe[field], NOT_NEGATIVE))
    own_grace = probe.get("terminationGracePeriodSeconds")
    if own_grace is not None and own_grace <= 0:
        errors.append(invalid(f"{path}.terminationGracePeriodSeconds", own_grace, "must be greater than 0"))
    return errors


def _handler_errors(holder: Mapping[str, Any], kinds: tuple[str, ...], grace: int, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    found = False
    for kind in kinds:
        handler = holder.get(kind)
        if handler is None:
            continue
        if found:
            errors.append(forbidden(f"{path}.{kind}", "may not specify more than 1 handler type"))
        else:
            found = True
            errors += _CHECKS[kind](handler, grace, f"{path}.{kind}")
    if not found:
        errors.append(required(path, "must specify a handler type"))
    return errors


def _exec_errors(action: Mapping[str, Any], grace: int, path: str) -> list[FieldError]:
    return [] if action.get("command") else [required(f"{path}.command")]


def _http_errors(action: Mapping[str, Any], grace: int, path: str) -> list[FieldError]:
    errors = _port_errors(action, grace, path)
    if action.get("scheme") not in ("HTTP", "HTTPS"):
        errors.append(not_supported(f"{path}.scheme", action.get("scheme", ""), ("HTTP", "HTTPS")))
    for header in action.get("httpHeaders") or ():
        name = header.get("name", "")
        errors += [invalid(f"{path}.httpHeaders", name, fault) for fault in header_name_faults(name)]
    return errors


def _port_errors(action: Mapping[str, Any], grace: int, path: str) -> list[FieldError]:
    port = action.get("port", 0)
    faults = port_name_faults(port) if isinstance(port, str) else port_number_faults(port)
    return [invalid(f"{path}.port", port, fault) for fault in faults]


def _sleep_errors(action: Mapping[str, Any], grace: int, path: str) -> list[FieldError]:
    seconds = action.get("seconds", 0)
    if 0 <= seconds <= grace:
        return []
    return [invalid(path, seconds, f"must be non-negative and less than terminationGracePeriodSeconds ({grace})")]


_CHECKS: dict[str, Callable[[Mapping[str, Any], int, str], list[FieldError]]] = {
    "exec": _exec_errors,
    "httpGet": _http_errors,
    "tcpSocket": _port_errors,
    "grpc": _port_errors,
    "sleep": _sleep_errors,
}
