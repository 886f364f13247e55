"""Pods for tests of the node: one container `main` that runs a shell line, unless said otherwise."""

from typing import Any

from corral.kinds.objects import Object


def shell(line: str, name: str = "main", **more: Any) -> Object:
    """Returns a container that runs a shell line."""
    return {"name": name, "image": "busybox", "command": ["sh", "-c", line], **more}


def python(code: str, name: str = "main", **more: Any) -> Object:
    """Returns a container that runs Python code."""
    return {"name": name, "image": "python", "command": ["python3", "-c", code], **more}


def pod_spec(*containers: Object, policy: str = "Never", **more: Any) -> Object:
    """Returns the spec of a pod that ends quickly when it is asked to."""
    return {"restartPolicy": policy, "terminationGracePeriodSeconds": 2, "containers": list(containers), **more}
