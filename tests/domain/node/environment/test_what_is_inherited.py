"""A container has a chosen part of the user's environment, the name of its pod, and reaches this machine directly."""

from typing import Any

import pytest

from corral.engine.node.environment.commands import expanded_action, expanded_command
from corral.engine.node.environment.inheritance import hostname_of, inherited, merged
from corral.kinds.objects import Object

USERS = {
    "PATH": "/usr/bin",
    "HOME": "/somewhere",
    "LC_ALL": "C",
    "CONDA_PREFIX": "/conda",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "GITHUB_TOKEN": "secret",
    "PYTHONPATH": "src",
    "CORRAL_HOME": "x",
    "KUBECONFIG": "y",
}


def pod(name: str = "train-0", **spec: Any) -> Object:
    return {"metadata": {"name": name}, "spec": spec}


def test_what_leads_to_programs_is_inherited_and_secrets_are_not() -> None:
    want = {"PATH": "/usr/bin", "HOME": "/somewhere", "LC_ALL": "C", "CONDA_PREFIX": "/conda", "HOSTNAME": "train-0"}
    assert inherited(USERS, pod()) == want


@pytest.mark.parametrize(
    ("given", "want"),
    [
        (pod("a"), "a"),
        (pod("a", hostname="b"), "b"),
        (pod("x" * 80), "x" * 63),
        (pod("x" * 62 + "-y"), "x" * 62),
    ],
)
def test_the_hostname_is_that_of_the_pod(given: Object, want: str) -> None:
    assert hostname_of(given) == want


def test_a_proxy_is_kept_and_not_asked_for_this_machine() -> None:
    found = inherited({"https_proxy": "http://p:3128", "NO_PROXY": "example.com, 127.0.0.1"})
    want = "example.com,127.0.0.1,localhost,127.0.0.0/8"
    assert found == {"https_proxy": "http://p:3128", "no_proxy": want, "NO_PROXY": want}


def test_without_a_proxy_nothing_is_added() -> None:
    assert inherited({"no_proxy": "a"}) == {"no_proxy": "a"}


def test_a_proxy_that_is_never_asked_stays_so() -> None:
    assert inherited({"HTTP_PROXY": "p", "no_proxy": "*"})["NO_PROXY"] == "*"


def test_the_container_wins_over_its_image_and_that_over_the_user() -> None:
    lowest = {"A": "user", "B": "user", "C": "user"}
    found = merged(lowest, {"B": "image", "C": "image"}, [("C", "container", "value"), ("D", "new", "value")])
    assert found == {"A": "user", "B": "image", "C": "container", "D": "new"}


def test_a_proxy_of_the_manifest_is_not_asked_for_this_machine_either() -> None:
    found = merged({}, {}, [("HTTP_PROXY", "p", "value"), ("NO_PROXY", ".svc", "value")])
    assert found["NO_PROXY"] == ".svc,localhost,127.0.0.1,127.0.0.0/8"


def test_variables_are_written_into_command_and_args() -> None:
    container = {"command": ["run", "$(A)"], "args": ["--x=$(B)", "$(NOPE)", "$$(A)"]}
    assert expanded_command(container, {"A": "1", "B": "2"}) == (("run", "1"), ("--x=2", "$(NOPE)", "$(A)"))
    assert expanded_command({}, {}) == ((), ())


def test_a_probe_knows_plain_values_only() -> None:
    container = {"env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}]}
    assert expanded_action(["check", "$(A)", "$(B)", "$(C)"], container) == ("check", "1", "", "$(C)")
