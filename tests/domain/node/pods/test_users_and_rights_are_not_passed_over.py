"""What a securityContext asks is refused where running would break it, and told where it changes nothing."""

import pytest

from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.pods.security import User, not_applied, refuse_root
from corral.kinds.objects import Object

ROOT, ORDINARY = User(0, 0), User(1000, 1000)
WHO = '(pod: "p_team(u-1)", container: main)'


def pod(whole: Object | None = None, own: Object | None = None) -> tuple[Object, Object]:
    container: Object = {"name": "main", **({"securityContext": own} if own is not None else {})}
    spec: Object = {"containers": [container], **({"securityContext": whole} if whole is not None else {})}
    return {"metadata": {"namespace": "team", "name": "p", "uid": "u-1"}, "spec": spec}, container


REFUSED: dict[str, tuple[Object | None, Object | None, User, str]] = {
    "nothing asked": (None, None, ROOT, ""),
    "null is nothing": (None, {"runAsNonRoot": None}, ROOT, ""),
    "as root": (None, {"runAsNonRoot": True}, ROOT, f"container has runAsNonRoot and image will run as root {WHO}"),
    "as root, by the pod": ({"runAsNonRoot": True}, {}, ROOT, "image will run as root"),
    "the container has the last word": ({"runAsNonRoot": True}, {"runAsNonRoot": False}, ROOT, ""),
    "as another user, which it would not be": ({"runAsNonRoot": True, "runAsUser": 7}, None, ROOT, "will run as root"),
    "as an ordinary user": ({"runAsNonRoot": True}, None, ORDINARY, ""),
    "root and not root": (
        {"runAsNonRoot": True},
        {"runAsUser": 0},
        ORDINARY,
        f"container's runAsUser breaks non-root policy {WHO}",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_who_must_not_be_root_is_not(case: str) -> None:
    whole, own, user, want = REFUSED[case]
    if not want:
        refuse_root(*pod(whole, own), user)
        return
    with pytest.raises(StartRefusedError) as refused:
        refuse_root(*pod(whole, own), user)
    assert refused.value.reason == "CreateContainerConfigError"
    assert want in refused.value.message


TOLD: dict[str, tuple[Object | None, Object | None, User, str]] = {
    "nothing asked": ({}, {}, ORDINARY, ""),
    "who it is anyway": ({"runAsUser": 1000, "runAsGroup": 1000, "runAsNonRoot": True}, None, ORDINARY, ""),
    "another user": ({"runAsUser": 1000}, None, ROOT, "runAsUser"),
    "files that cannot be written": (None, {"readOnlyRootFilesystem": True}, ROOT, "readOnlyRootFilesystem"),
    "what is so by default": (None, {"readOnlyRootFilesystem": False, "privileged": False}, ROOT, ""),
    "a restricted pod": (
        {"fsGroup": 5, "seccompProfile": {"type": "RuntimeDefault"}},
        {"capabilities": {"drop": ["ALL"]}, "allowPrivilegeEscalation": False},
        ORDINARY,
        "fsGroup, seccompProfile, capabilities, allowPrivilegeEscalation",
    ),
}


@pytest.mark.parametrize("case", TOLD)
def test_what_changes_nothing_is_told(case: str) -> None:
    whole, own, user, want = TOLD[case]
    told = not_applied(*pod(whole, own), user)
    assert told == (f"main: not applied here, where it is a process of user {user.uid}: {want}" if want else "")
