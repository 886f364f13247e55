"""What people read when the machine, or the API, does not let a container start; always the same at each try."""

import errno
import os

import pytest

from corral.engine.node.pods.refusals import refused_by_api, refused_by_machine
from corral.engine.node.probes.checks import unknown_checks
from corral.kinds.objects import Object
from corral.ports.refusals import ForbiddenError


def system_error(number: int, path: str | None = None) -> OSError:
    return OSError(number, os.strerror(number), path)


@pytest.mark.parametrize(
    ("error", "want"),
    [
        (
            system_error(errno.ENOSPC),
            "the node cannot start it: No space left on device (/n); free some space there; it is tried again by itself",
        ),
        (
            system_error(errno.ENOSPC, "/n/pods/u/pod.json.123.new"),
            "the node cannot start it: No space left on device (/n/pods/u); free some space there;"
            " it is tried again by itself",
        ),
        (
            system_error(errno.EROFS, "/n/pods"),
            "the node cannot start it: Read-only file system (/n/pods); the file system can only be read",
        ),
        (
            system_error(errno.EAGAIN),
            "the node cannot start it: Resource temporarily unavailable;"
            " there are too many processes; end some, or raise the limit (ulimit -u)",
        ),
        (system_error(errno.EACCES, "/n/pods"), "the node cannot start it: Permission denied (/n/pods)"),
    ],
)
def test_what_the_machine_refuses(error: OSError, want: str) -> None:
    refusal = refused_by_machine(error, "/n")
    assert (refusal.reason, refusal.message) == ("CreateContainerError", want)


def test_what_the_api_refuses() -> None:
    refusal = refused_by_api(ForbiddenError("secrets is forbidden"))
    assert refusal.reason == "CreateContainerConfigError"
    assert refusal.message == "the API refuses what the container needs: secrets is forbidden"


CHECKS: dict[str, tuple[Object, list[str]]] = {
    "no checks": ({}, []),
    "known ones": (
        {
            "livenessProbe": {"exec": {"command": ["true"]}},
            "readinessProbe": {"httpGet": {"port": 80}},
            "startupProbe": {"tcpSocket": {"port": 80}},
            "lifecycle": {"preStop": {"sleep": {"seconds": 1}}},
        },
        [],
    ),
    "a probe of another kind": (
        {"livenessProbe": {"grpc": {"port": 9}, "periodSeconds": 1}},
        ["livenessProbe by grpc is not known on this node: use exec, httpGet or tcpSocket"],
    ),
    "a hook that does nothing": (
        {"lifecycle": {"postStart": {"other": 1}}},
        ["postStart by nothing is not known on this node: use exec, httpGet or tcpSocket"],
    ),
}


@pytest.mark.parametrize("case", CHECKS)
def test_which_checks_are_not_known(case: str) -> None:
    container, want = CHECKS[case]
    assert unknown_checks(container) == want
