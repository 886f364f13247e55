"""Which training job a cron asks for: the template, with the name of one time."""

from corral.kinds.cron.cron import CRON_NAME
from corral.kinds.objects import Object, copied
from corral.kinds.references import ApiResource, split_api_version
from corral.kinds.training.catalogue import TRAINING_KINDS
from corral.kinds.training.facts import GROUP, KindFacts

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
    template = copied(_template(cron))
    written = template.get("metadata") or {}
    place = cron["metadata"]
    metadata = {
        "name": job_name(cron, moment),
        "namespace": place.get("namespace") or "default",
        "labels": {**(written.get("labels") or {}), CRON_NAME: place["name"]},
        "annotations": {**(written.get("annotations") or {})},
    }
    return {**template, "metadata": metadata}


def _template(cron: Object) -> Object:
    template = (cron.get("spec") or {}).get("template")
    return template if isinstance(template, dict) else {}
