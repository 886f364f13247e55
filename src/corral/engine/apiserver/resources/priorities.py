"""PriorityClass: a name for how important a pod is."""

from corral.engine.apiserver.field_errors import FieldError, forbidden, invalid, not_supported
from corral.engine.apiserver.resources.metadata_validation import IMMUTABLE
from corral.engine.apiserver.resources.pod_admission import Priority
from corral.engine.apiserver.resources.resource import Object, Strategy

HIGHEST_USER_PRIORITY = 1_000_000_000
_SYSTEM_PREFIX = "system-"
_SYSTEM_VALUES = {
    "system-node-critical": 2 * HIGHEST_USER_PRIORITY + 1000,
    "system-cluster-critical": 2 * HIGHEST_USER_PRIORITY,
}
_SYSTEM_TEXTS = {
    "system-node-critical": "For pods without which a node cannot work; they may not leave their node.",
    "system-cluster-critical": "For pods without which the cluster cannot work; they may move to another node.",
}
_POLICIES = ("PreemptLowerPriority", "Never")


class PriorityClasses:
    """The classes that there are, kept at hand because every new pod asks for one."""

    def __init__(self) -> None:
        self._classes: dict[str, Priority] = {}
        self._defaults: dict[str, Priority] = {}

    def note(self, key: str, obj: Object | None) -> None:
        """Takes note of a class as it is stored now; None when it is gone."""
        name = key.removeprefix("/")
        self._classes.pop(name, None)
        self._defaults.pop(name, None)
        if obj is not None:
            found = Priority(name, int(obj["value"]), obj["preemptionPolicy"])
            self._classes[name] = found
            if obj.get("globalDefault"):
                self._defaults[name] = found

    def find(self, name: str) -> Priority | None:
        """Returns the class of a name; "" asks for the default one, which is 0 where none is marked so."""
        if name:
            return self._classes.get(name)
        return min(self._defaults.values(), key=lambda c: (c.value, c.name), default=Priority("", 0))


class PriorityClassStrategy(Strategy):
    """Priority classes; value and preemption policy are for life."""

    def default(self, obj: Object) -> None:
        """Sets the preemption policy."""
        obj["preemptionPolicy"] = obj.get("preemptionPolicy") or "PreemptLowerPriority"
        obj.setdefault("value", 0)
        if not obj.get("globalDefault"):
            obj.pop("globalDefault", None)

    def prepare_create(self, obj: Object) -> None:
        """Starts at generation 1, where it stays: what could raise it may not change."""
        obj["metadata"]["generation"] = 1

    def validate(self, obj: Object) -> list[FieldError]:
        """Keeps names and values of the system to the system."""
        name, value, policy = obj["metadata"].get("name", ""), obj["value"], obj["preemptionPolicy"]
        errors: list[FieldError] = []
        if name.startswith(_SYSTEM_PREFIX):
            fault = _system_fault(name, value, is_default=bool(obj.get("globalDefault")))
            if fault:
                detail = "priority class names with 'system-' prefix are reserved for system use only. error: "
                errors.append(forbidden("metadata.name", detail + fault))
        elif value > HIGHEST_USER_PRIORITY:
            detail = f"maximum allowed value of a user defined priority is {HIGHEST_USER_PRIORITY}"
            errors.append(forbidden("value", detail))
        if policy not in _POLICIES:
            errors.append(not_supported("preemptionPolicy", policy, _POLICIES))
        return errors

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """Refuses another value or policy."""
        errors: list[FieldError] = []
        if new["value"] != old.get("value", 0):
            errors.append(forbidden("value", "may not be changed in an update."))
        if new["preemptionPolicy"] != old.get("preemptionPolicy"):
            errors.append(invalid("preemptionPolicy", new["preemptionPolicy"], IMMUTABLE))
        return errors


def system_priority_classes() -> list[Object]:
    """Returns the two classes that exist from the start."""
    return [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": value,
            "description": _SYSTEM_TEXTS[name],
        }
        for name, value in _SYSTEM_VALUES.items()
    ]


def _system_fault(name: str, value: int, *, is_default: bool) -> str:
    known = _SYSTEM_VALUES.get(name)
    if known is None:
        return f"{name} is not a known system priority class"
    if value != known:
        return f"value of {name} PriorityClass must be {known}"
    return f"globalDefault of {name} PriorityClass must be false" if is_default else ""
