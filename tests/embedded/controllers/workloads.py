"""Manifests for tests, as small as the API accepts them."""

from typing import Any

from corral.kinds.objects import Object


def template(app: str, image: str = "any", **spec: Any) -> Object:
    """Returns a pod template."""
    return {
        "metadata": {"labels": {"app": app}},
        "spec": {"containers": [{"name": "main", "image": image}], **spec},
    }


def replicas_of(app: str, replicas: int, image: str = "any", **spec: Any) -> Object:
    """Returns the spec of a Deployment or ReplicaSet."""
    return {"replicas": replicas, "selector": {"matchLabels": {"app": app}}, "template": template(app, image), **spec}


def job_of(**spec: Any) -> Object:
    """Returns the spec of a Job."""
    policy = spec.pop("restartPolicy", "Never")
    made = {"spec": {"restartPolicy": policy, "containers": [{"name": "main", "image": "any"}]}}
    return {"template": made, **spec}
