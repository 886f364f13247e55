"""Manifests of the field's early years, read as what they mean today.

Nothing is written back: the object stays as its user sent it, and every reader sees the modern form. What cannot be
read so is refused by `validation/early_manifests.py`, with the words to write instead.
"""

import re
import shlex
from collections.abc import Iterator
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from corral.kinds.objects import Object
from corral.kinds.training.facts import GROUP, KindFacts
from corral.kinds.training.mpi import MPI_JOB
from corral.kinds.training.schema_marks import INT64
from corral.kinds.training.tensorflow import TF_JOB

EARLY_VERSIONS: Final[dict[str, tuple[str, ...]]] = {
    TF_JOB.kind: ("v1beta2", "v1beta1"),
    MPI_JOB.kind: ("v1alpha2",),
}
"""Versions of the early years whose manifests mean the same as v1, or can be read so."""
LINES: Final = ("command", "args")
"""The fields of a container that early manifests write as one text."""

_EARLY_KINDS: Final = {facts.kind: facts for facts in (TF_JOB, MPI_JOB)}
_SHELL_SYNTAX: Final = re.compile(r"[;|&<>$`*\n]")
_LITERAL: Final = re.compile(r"""'[^']*'|\\[^\n]|"(?:[^"\\$`\n]|\\[^\n])*\"""")
"""What a shell takes as it is: quoted text, and characters behind a backslash."""


class EarlySpec(msgspec.Struct, rename="camel", kw_only=True):
    """The fields that stood directly in spec before runPolicy held them."""

    clean_pod_policy: Annotated[str, Meta(description="Early form of runPolicy.cleanPodPolicy, which wins.")] = ""
    ttl_seconds_after_finished: Annotated[
        int, Meta(description="Early form of runPolicy.ttlSecondsAfterFinished, which wins.")
    ] = 0
    active_deadline_seconds: Annotated[
        int,
        Meta(extra_json_schema=INT64, description="Early form of runPolicy.activeDeadlineSeconds, which wins."),
    ] = 0
    backoff_limit: Annotated[int, Meta(description="Early form of runPolicy.backoffLimit, which wins.")] = 0


EARLY_FIELDS: Final = tuple(field.encode_name for field in msgspec.structs.fields(EarlySpec))


def modernised(obj: Object) -> Object:
    """Returns a training job with early forms replaced; the object itself when it has none."""
    spec = obj.get("spec")
    if not isinstance(spec, dict):
        return obj
    modern = spec
    early = _EARLY_KINDS.get(obj.get("kind", ""))
    if early is not None:
        modern = _with_run_policy(modern)
        if was_written_early(obj):
            modern = _with_roles(modern, early)
    modern = _with_lines(modern)
    return obj if modern is spec else {**obj, "spec": modern}


def was_written_early(obj: Object) -> bool:
    """Whether somebody wrote the object in an early version.

    Objects of all versions rest as v1; the managed fields still tell in which version each part came.
    """
    early = {f"{GROUP}/{version}" for version in EARLY_VERSIONS.get(obj.get("kind", ""), ())}
    writes = (obj.get("metadata") or {}).get("managedFields") or ()
    return obj.get("apiVersion") in early or any(write.get("apiVersion") in early for write in writes)


def split_line(text: str) -> list[str] | None:
    """Returns the words of a command written as one text; None when only a shell could tell what it means."""
    if _SHELL_SYNTAX.search(_LITERAL.sub("", text)):
        return None
    try:
        return shlex.split(text)
    except ValueError:  # a quotation mark without its partner
        return None


def containers_of(spec: Any) -> Iterator[tuple[str, Object]]:
    """Yields every container of every role with its path, whatever else the spec holds."""
    for field, roles in _replica_maps(spec):
        for role, replicas in roles.items():
            pod = _inside(_inside(replicas, "template"), "spec")
            for kind in ("initContainers", "containers"):
                for at, container in enumerate(pod.get(kind) or ()):
                    if isinstance(container, dict):
                        yield f"spec.{field}[{role}].template.spec.{kind}[{at}]", container


def _with_run_policy(spec: Object) -> Object:
    policy = spec.get("runPolicy")
    held: Object = policy if isinstance(policy, dict) else {}
    moved = {name: spec[name] for name in EARLY_FIELDS if spec.get(name) is not None and held.get(name) is None}
    return {**spec, "runPolicy": {**held, **moved}} if moved else spec


def _with_roles(spec: Object, facts: KindFacts) -> Object:
    roles = spec.get(facts.map_field)
    if not isinstance(roles, dict) or all(facts.canonical_role(key) == key for key in roles):
        return spec
    renamed = {facts.canonical_role(key): replicas for key, replicas in roles.items()}
    # Two spellings of one role are no early manifest but a mistake, which validation names.
    return {**spec, facts.map_field: renamed} if len(renamed) == len(roles) else spec


def _with_lines(spec: Object) -> Object:
    if not any(isinstance(one.get(name), str) for _, one in containers_of(spec) for name in LINES):
        return spec
    maps = {field: {role: _split_role(one) for role, one in roles.items()} for field, roles in _replica_maps(spec)}
    return {**spec, **maps}


def _split_role(replicas: Any) -> Any:
    template = _inside(replicas, "template")
    pod = _inside(template, "spec")
    if not pod:
        return replicas
    split = {
        kind: [_split_container(one) for one in pod[kind]] for kind in ("initContainers", "containers") if pod.get(kind)
    }
    return {**replicas, "template": {**template, "spec": {**pod, **split}}}


def _split_container(container: Any) -> Any:
    if not isinstance(container, dict):
        return container
    words = {name: split_line(container[name]) for name in LINES if isinstance(container.get(name), str)}
    return {**container, **{name: found for name, found in words.items() if found is not None}}


def _replica_maps(spec: Any) -> Iterator[tuple[str, Object]]:
    """A spec has one map of replica specs; by its name it is known without asking for the kind."""
    if isinstance(spec, dict):
        yield from ((k, v) for k, v in spec.items() if k.endswith("ReplicaSpecs") and isinstance(v, dict))


def _inside(value: Any, field: str) -> Object:
    found = value.get(field) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
