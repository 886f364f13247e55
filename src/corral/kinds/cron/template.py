"""Which training job a cron asks for: the template, with the name of one time.

Some fields of pods say the name of their job: affinity to pods of the same job, and the gang of coscheduling. Where they say the
name that the template has, each job says its own.
"""

from typing import Any

from corral.kinds.cron.cron import CRON_NAME
from corral.kinds.objects import Object, copied
from corral.kinds.references import ApiResource, split_api_version
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.training.facts import GROUP, KindFacts
from corral.kinds.training.label_names import JOB_NAME, POD_GROUP_NAME

_MINUTE = 60


def facts_of_template(cron: Object) -> KindFacts | None:
    """Returns the training kind that a cron makes, None when it is none of ours."""
    template = _template(cron)
    group, _ = split_api_version(str(template.get("apiVersion") or ""))
    kinds = (facts for facts in TRAINING_KINDS if facts.kind == template.get("kind"))
    return next(kinds, None) if group == GROUP else None


def resource_of_template(cron: Object, facts: KindFacts) -> ApiResource:
    """Returns the resource by which the job is made, in the version of the template."""
    _, version = split_api_version(str(_template(cron).get("apiVersion") or ""))
    return facts.resource._replace(version=version)


def job_name(cron: Object, moment: float) -> str:
    """Returns the name of the job of a time: a pure function of the cron and the minute, so there is no second one."""
    return f"{cron['metadata']['name']}-{int(moment // _MINUTE)}"


def job_at(cron: Object, moment: float) -> Object:
    """Returns the job of a time, without an owner; nothing in it is shared with the cron."""
    template, place, name = copied(_template(cron)), cron["metadata"], job_name(cron, moment)
    written = template.get("metadata") or {}
    metadata = {
        "name": name,
        "namespace": place.get("namespace") or "default",
        "labels": {**(written.get("labels") or {}), CRON_NAME: place["name"]},
        "annotations": {**(written.get("annotations") or {})},
    }
    spec = template.get("spec")
    if written.get("name"):
        spec = _renamed(spec, written["name"], name)
    for pod in _pods(spec):
        labels = (pod.get("metadata") or {}).get("labels") or {}
        pod["metadata"] = {**(pod.get("metadata") or {}), "labels": {**labels, CRON_NAME: place["name"]}}
    return {**template, "metadata": metadata, "spec": spec}


def _renamed(value: Any, old: str, new: str) -> Any:
    """Returns a value in which the labels that name a job name another one."""
    if isinstance(value, dict):
        return {key: _label(key, one, old, new) or _renamed(one, old, new) for key, one in value.items()}
    return [_renamed(one, old, new) for one in value] if isinstance(value, list) else value


def _label(key: str, value: Any, old: str, new: str) -> str:
    if key == JOB_NAME and value == old:
        return new
    is_gang = key == POD_GROUP_NAME and isinstance(value, str) and (value == old or value.endswith(f"-{old}"))
    return value.removesuffix(old) + new if is_gang else ""


def _pods(spec: Any) -> list[Object]:
    """Returns the pod templates of a job, as many as have the shape of one."""
    maps = [one for name, one in spec.items() if name.endswith("ReplicaSpecs")] if isinstance(spec, dict) else []
    roles = [one for found in maps if isinstance(found, dict) for one in found.values() if isinstance(one, dict)]
    return [one["template"] for one in roles if isinstance(one.get("template"), dict)]


def _template(cron: Object) -> Object:
    template = (cron.get("spec") or {}).get("template")
    return template if isinstance(template, dict) else {}
