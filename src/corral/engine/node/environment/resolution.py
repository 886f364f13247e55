"""Decides the variables of one container: envFrom, then env, with service links behind, as kubelet does.

Framework-owned variables are plain values in the pod. Whoever wants other values for them on this machine hands in
`replaced`: it takes the place of the written value before `$(VAR)` is read, so that references see the new one; what the pod
does not have at all is added.

Everything that is missing is told in one message; a cluster would tell one after the other.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.downward import PodFacts, UnknownFieldError, field_value, resource_value
from corral.engine.node.environment.service_links import Locate, cluster_location, service_links
from corral.engine.node.expansion import expand
from corral.engine.node.fetched import Fetched, decoded, not_found
from corral.kinds.objects import Object

LONGEST = 128 * 1024 - 1
"""Bytes of `NAME=VALUE`; Linux starts no program with a longer one."""

_is_name = re.compile(r"[ -<>-~]+").fullmatch  # printable ASCII but `=`, as Kubernetes has it


class Surroundings(NamedTuple):
    """Everything besides the container that its variables depend on."""

    facts: PodFacts
    fetched: Fetched = Fetched()
    services: Iterable[Object] = ()
    """Services of the namespace, and `kubernetes` of the namespace `default`; others are passed over."""
    locate: Locate = cluster_location


class Variable(NamedTuple):
    """One variable, and where its value comes from, for people and for those who translate some of them."""

    name: str
    value: str
    source: str
    """`value`, `ConfigMap NAME`, `Secret NAME`, `fieldRef PATH`, `resourceFieldRef RESOURCE` or `service link`."""


class Resolution(NamedTuple):
    """The variables of a container in the order of their declaration, each name once, and what was left out."""

    variables: tuple[Variable, ...]
    notes: tuple[str, ...] = ()
    """Sentences for an event InvalidEnvironmentVariableNames."""

    @property
    def values(self) -> dict[str, str]:
        """Returns the values by name."""
        return {variable.name: variable.value for variable in self.variables}


def resolve(container: Object, surroundings: Surroundings, replaced: Mapping[str, str] | None = None) -> Resolution:
    """Returns the variables of a container; raises StartRefusedError with everything that is missing."""
    draft = _Draft(container, surroundings, replaced or {})
    for source in container.get("envFrom") or ():
        draft.take_all(source)
    for entry in container.get("env") or ():
        draft.take(entry)
    for name in (replaced or {}).keys() - draft.known.keys():
        draft.take({"name": name})
    if draft.problems:
        raise StartRefusedError("CreateContainerConfigError", "; ".join(dict.fromkeys(draft.problems)))
    return Resolution((*draft.known.values(), *draft.remaining_links()), tuple(draft.notes))


class _Draft:
    """The variables so far; later ones may refer to them."""

    def __init__(self, container: Object, surroundings: Surroundings, replaced: Mapping[str, str]) -> None:
        self.known: dict[str, Variable] = {}
        self.problems: list[str] = []
        self.notes: list[str] = []
        self._container = container["name"]
        self._around = surroundings
        self._replaced = replaced
        pod = surroundings.facts.pod
        self._namespace = pod["metadata"].get("namespace", "")
        self._links = service_links(surroundings.services, pod, surroundings.locate)

    def take_all(self, source: Object) -> None:
        """Takes every key of a ConfigMap or Secret."""
        for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            if source.get(field) is None:
                continue
            name, data = source[field].get("name", ""), self._data(kind, source[field])
            prefix, odd = source.get("prefix") or "", []
            for key in sorted(data or ()):
                if _is_name(prefix + key):
                    self._put(prefix + key, (data or {})[key], f"{kind} {name}")
                else:
                    odd.append(prefix + key)
            if odd:
                what = f"from the EnvFrom {kind.lower()} {self._namespace}/{name} were skipped"
                why = "since they are considered invalid environment variable names."
                self.notes.append(f"Keys [{', '.join(odd)}] {what} {why}")

    def take(self, entry: Object) -> None:
        """Takes one entry of `env`."""
        name, source = entry["name"], entry.get("valueFrom")
        if entry.get("value") or not source:
            written = self._replaced.get(name, entry.get("value") or "")
            self._put(name, expand(written, self._lookup), "value")
            return
        try:
            found = self._from(source)
        except UnknownFieldError as error:
            self.problems.append(f"variable {name}: {error}")
            return
        if found is not None:
            self._put(name, *found)

    def remaining_links(self) -> Iterable[Variable]:
        """Returns the service links that the container does not set itself."""
        return (Variable(name, value, "service link") for name, value in self._links.items() if name not in self.known)

    def _from(self, source: Object) -> tuple[str, str] | None:
        """Returns value and source, None when it is absent, which is either allowed or among the problems now."""
        if source.get("fieldRef"):
            path = source["fieldRef"].get("fieldPath", "")
            return field_value(self._around.facts, path), f"fieldRef {path}"
        if source.get("resourceFieldRef"):
            selector = source["resourceFieldRef"]
            amount = resource_value(self._around.facts, selector, self._container)
            return amount, f"resourceFieldRef {selector['resource']}"
        for field, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
            if source.get(field):
                return self._key(kind, source[field])
        kinds = ", ".join(source) or "nothing"
        raise UnknownFieldError(f"a value from {kinds} is not supported on this node; use a ConfigMap or a Secret")

    def _key(self, kind: str, selector: Object) -> tuple[str, str] | None:
        name, key, data = selector.get("name", ""), selector.get("key", ""), self._data(kind, selector)
        if data is None:
            return None
        if key in data:
            return data[key], f"{kind} {name}"
        if not selector.get("optional"):
            self.problems.append(f"couldn't find key {key} in {kind} {self._namespace}/{name}")
        return None

    def _data(self, kind: str, selector: Object) -> dict[str, str] | None:
        """Returns the texts of a ConfigMap or Secret, None when it is absent."""
        name, fetched = selector.get("name", ""), self._around.fetched
        found = (fetched.config_maps if kind == "ConfigMap" else fetched.secrets).get(name)
        if found is None:
            if not selector.get("optional"):
                self.problems.append(not_found(kind, name))
            return None
        data = found.get("data") or {}
        # Variables are bytes to the system: what is no UTF-8 passes through unchanged.
        return data if kind == "ConfigMap" else {key: _text(value) for key, value in data.items()}

    def _put(self, name: str, value: str, source: str) -> None:
        size = len(name) + 1 + len(value.encode(errors="surrogateescape"))
        if "\0" in value:
            self.problems.append(f"variable {name} ({source}) has a zero byte in it, which no variable can have")
        elif size > LONGEST:
            limit = f"a variable can have {LONGEST}; mount it as a file instead"
            self.problems.append(f"variable {name} ({source}) has {size} bytes, {limit}")
        self.known[name] = Variable(name, value, source)

    def _lookup(self, name: str) -> str | None:
        known = self.known.get(name)
        return known.value if known is not None else self._links.get(name)


def _text(value: str) -> str:
    return decoded(value).decode(errors="surrogateescape")
