"""Pods that cannot run as they are, and what people must be told about each.

Each case is a pod spec and the words of its status and of its event. A container that `waits` goes on trying, and runs as
soon as what it lacks is there; one that `ends` was told so by its own restart policy, which is `Never`.
"""

from pathlib import Path
from typing import Any, NamedTuple

from corral.kinds.objects import Object
from tests.node.pods.pod_manifests import pod_spec, shell

WAITS, ENDS = "waiting", "terminated"


class BadPod(NamedTuple):
    """A pod, and what is wanted of its status: the state of its container, a reason, and words of the message."""

    spec: Object
    want_state: str
    want_reason: str
    want_words: tuple[str, ...]
    want_event: str = "Failed"
    container: str = "main"


class Script(NamedTuple):
    """A script that cannot run."""

    text: str
    want_words: tuple[str, ...]
    mode: int = 0o755


SCRIPTS = {
    "script-without-interpreter": Script("#!/no/such/interpreter\n", ("its interpreter", "/no/such/interpreter")),
    "script-without-python": Script("#!/usr/bin/env no-python\n", ("its interpreter", "'no-python'")),
    "script-from-windows": Script("#!/bin/sh\r\ntrue\r\n", ("carriage return",)),
    "script-not-executable": Script("#!/bin/sh\n", ("not executable", "chmod +x"), 0o644),
    "script-of-no-kind": Script("true\n", ("neither a program nor a script",)),
}
PLAIN = "plain-file"


def write_files(folder: Path) -> None:
    """Writes the files that the cases are about."""
    (folder / PLAIN).touch()
    for name, script in SCRIPTS.items():
        (folder / name).write_text(script.text)
        (folder / name).chmod(script.mode)


def bad_pods(folder: Path) -> dict[str, BadPod]:
    """Returns the cases by name; `folder` is where `write_files` has put what they are about."""
    cases = commands(folder) | mounts(folder / PLAIN) | variables()
    cases["probe-of-unknown-kind"] = BadPod(
        pod_spec(shell("sleep 60", livenessProbe={"grpc": {"port": 99}})),
        WAITS,
        "CreateContainerConfigError",
        ("livenessProbe by grpc", "use exec, httpGet or tcpSocket"),
    )
    cases["init-container-not-found"] = BadPod(
        pod_spec(shell("true"), initContainers=[{"name": "first", "image": "x", "command": ["no-such-program"]}]),
        ENDS,
        "StartError",
        ("executable file not found", "'no-such-program'"),
        container="first",
    )
    return cases


def commands(folder: Path) -> dict[str, BadPod]:
    """Returns what is wrong with commands."""
    cases = {
        name: BadPod(command(f"{folder / name}"), ENDS, "StartError", (f"{folder / name}", *script.want_words))
        for name, script in SCRIPTS.items()
    }
    no_mapping = ("has no entry point on this machine", "corral image map shop/trainer:2 --command")
    return cases | {
        "command-missing": BadPod(
            pod_spec({"name": "main", "image": "shop/trainer:2"}), WAITS, "CreateContainerConfigError", no_mapping
        ),
        "command-missing-with-args": BadPod(
            pod_spec({"name": "main", "image": "shop/trainer:2", "args": ["--epochs=3"]}),
            WAITS,
            "CreateContainerConfigError",
            no_mapping,
        ),
        "command-not-found": BadPod(
            command("no-such-program"), ENDS, "StartError", ("executable file not found in PATH", "'no-such-program'")
        ),
        "command-not-at-its-path": BadPod(
            command("/no/such/program"), ENDS, "StartError", ("'/no/such/program'", "no such file or directory")
        ),
        "command-is-a-folder": BadPod(command("/etc"), ENDS, "StartError", ("'/etc'", "it is a folder")),
        "command-of-nothing": BadPod(command(""), ENDS, "StartError", ("the command is empty",)),
        "command-with-zero-byte": BadPod(command("echo", "a\0b"), ENDS, "StartError", ("NUL byte",)),
        "command-too-long": BadPod(
            command("echo", "x" * 200_000), ENDS, "StartError", ("argument list too long", "131071 bytes")
        ),
        "folder-to-work-in-missing": BadPod(
            pod_spec(shell("true", workingDir="/no/such/folder")),
            WAITS,
            "CreateContainerError",
            ("'/no/such/folder' (workingDir)", "No such file or directory"),
        ),
        "folder-to-work-in-is-a-file": BadPod(
            pod_spec(shell("true", workingDir="/etc/passwd")),
            WAITS,
            "CreateContainerError",
            ("'/etc/passwd' (workingDir)", "Not a directory"),
        ),
    }


def command(*words: str) -> Object:
    """Returns a pod that runs these words."""
    return pod_spec({"name": "main", "image": "x", "command": list(words)})


def mounts(plain: Path) -> dict[str, BadPod]:
    """Returns what is wrong with volumes and where they are mounted."""
    volumes: dict[str, tuple[Object, tuple[str, ...]]] = {
        "host-path-missing": (
            {"hostPath": {"path": "/no/such/folder", "type": "Directory"}},
            ("hostPath /no/such/folder", "No such file or directory"),
        ),
        "host-path-of-other-type": (
            {"hostPath": {"path": str(plain), "type": "Directory"}},
            (f"{plain} is not a directory",),
        ),
        "host-path-below-a-file": ({"hostPath": {"path": f"{plain}/below"}}, ("Not a directory",)),
        "config-map-volume-missing": ({"configMap": {"name": "absent"}}, ('configmap "absent" not found',)),
        "secret-volume-missing": ({"secret": {"secretName": "absent"}}, ('secret "absent" not found',)),
        "volume-of-unknown-kind": (
            {"nfs": {"server": "files.example.com", "path": "/"}},
            ("volumes of kind nfs are not supported", "use a hostPath volume"),
        ),
    }
    cases = {
        name: BadPod(mounting(source), WAITS, "FailedMount", ('volume "v"', *words), want_event="FailedMount")
        for name, (source, words) in volumes.items()
    }
    cases["claim-missing"] = BadPod(
        mounting({"persistentVolumeClaim": {"claimName": "absent"}}),
        WAITS,
        "FailedMount",
        ('persistentvolumeclaim "absent" not found',),
        want_event="FailedMount",
    )
    cases["mounted-over-a-file"] = BadPod(
        mounting({"emptyDir": {}}, mountPath=str(plain)),
        WAITS,
        "CreateContainerError",
        (f"there is a file at '{plain}'",),
    )
    return cases | parts_of_volumes()


def parts_of_volumes() -> dict[str, BadPod]:
    """Returns parts of volumes that lead out of them, or cannot be told."""
    refused = ("failed to prepare subPath", 'volumeMount "v"')
    link = shell("ln -s /etc /v/out", "first", volumeMounts=[{"name": "v", "mountPath": "/v"}])
    wants: dict[str, tuple[Object, tuple[str, ...]]] = {
        "part-behind-a-link": ({"subPath": "out"}, ("leads out of the volume", "/etc")),
        "part-with-dots": ({"subPathExpr": "$(WHERE)"}, ("must not contain '..'",)),
        "part-absolute": ({"subPathExpr": "$(ROOT)"}, ("must not be an absolute path",)),
        "part-without-variable": ({"subPathExpr": "$(NOBODY)"}, ("missing value for NOBODY",)),
    }
    env = [{"name": "WHERE", "value": "../../etc"}, {"name": "ROOT", "value": "/etc"}]
    return {
        name: BadPod(
            mounting({"emptyDir": {}}, inits=[link], env=env, **how),
            WAITS,
            "CreateContainerConfigError",
            (*refused, *words),
        )
        for name, (how, words) in wants.items()
    }


def mounting(source: Object, *, inits: Any = (), env: Any = (), **how: Any) -> Object:
    """Returns a pod that sees one volume `v`."""
    seen = {"name": "v", "mountPath": "/v", **how}
    container = shell("true", volumeMounts=[seen], env=list(env))
    return pod_spec(container, volumes=[{"name": "v", **source}], initContainers=list(inits))


def variables() -> dict[str, BadPod]:
    """Returns variables whose values cannot be had."""
    wants: dict[str, tuple[Object, tuple[str, ...]]] = {
        "config-map-missing": (
            {"valueFrom": {"configMapKeyRef": {"name": "absent", "key": "k"}}},
            ('configmap "absent" not found',),
        ),
        "secret-missing": (
            {"valueFrom": {"secretKeyRef": {"name": "absent", "key": "k"}}},
            ('secret "absent" not found',),
        ),
        "resource-of-unknown-container": (
            {"valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "containerName": "other"}}},
            ("container other not found",),
        ),
        "variable-with-zero-byte": ({"value": "a\0b"}, ("variable A", "zero byte")),
        "variable-too-large": ({"value": "x" * 300_000}, ("variable A", "300002 bytes", "mount it as a file instead")),
    }
    cases = {
        name: BadPod(pod_spec(shell("true", env=[{"name": "A", **value}])), WAITS, "CreateContainerConfigError", words)
        for name, (value, words) in wants.items()
    }
    cases["all-of-config-map-missing"] = BadPod(
        pod_spec(shell("true", envFrom=[{"configMapRef": {"name": "absent"}}])),
        WAITS,
        "CreateContainerConfigError",
        ('configmap "absent" not found',),
    )
    return cases


ON_BOTH = (
    "command-missing",
    "command-not-found",
    "script-without-interpreter",
    "host-path-missing",
    "config-map-missing",
    "part-behind-a-link",
)
"""The sample that is shown on a real control plane as well."""
