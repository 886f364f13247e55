"""What was asked for by name, else the current kube context, else the pod, else embedded; who asked, settings say."""

import pytest

from corral.adapters.kubernetes.context_choice import Choices, Target, choose_context
from corral.errors import PermanentError

CASES: dict[str, tuple[Choices, Target]] = {
    "nothing said": (Choices(), Target("embedded", "embedded", "default")),
    "only a kube context": (
        Choices(current="prod", contexts=["prod"]),
        Target("context", "prod", "current kube context"),
    ),
    "a name over the kube context": (
        Choices("lab", "corral use", current="prod", contexts=["prod", "lab"]),
        Target("context", "lab", "corral use"),
    ),
    "the embedded API by name": (
        Choices("embedded", "--context", current="prod", contexts=["prod", "lab"]),
        Target("embedded", "embedded", "--context"),
    ),
    "the embedded name wins when asked for": (
        Choices("embedded", "corral use", contexts=["embedded"]),
        Target("embedded", "embedded", "corral use"),
    ),
    "a kube context that happens to have the name": (
        Choices(current="embedded", contexts=["embedded"]),
        Target("context", "embedded", "current kube context"),
    ),
    "in a pod": (Choices(in_cluster=True), Target("in-cluster", "", "service account of this pod")),
}


@pytest.mark.parametrize("case", CASES)
def test_choice(case: str) -> None:
    choices, want = CASES[case]
    assert choose_context(choices) == want


@pytest.mark.parametrize(
    "choices",
    [
        Choices("x", "--context", contexts=["prod"]),
        Choices("x", "CORRAL_CONTEXT", current="prod", contexts=["prod"]),
        Choices(current="x"),
    ],
)
def test_a_name_that_is_not_there_is_never_skipped(choices: Choices) -> None:
    with pytest.raises(PermanentError, match='no context "x"') as caught:
        choose_context(choices)
    assert "embedded" in caught.value.hint
