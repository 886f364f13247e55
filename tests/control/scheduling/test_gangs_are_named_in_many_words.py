"""A gang is one gang in whichever words its pods say so: it starts whole, or not at all."""

from collections.abc import Mapping

import pytest

from corral.control.scheduling.reading.membership import membership_of
from corral.kinds.submission.catalogue import WORDS
from corral.kinds.submission.objects import objects_of
from corral.kinds.submission.submission import Submission
from tests.control.scheduling.scene import board, decide, node, placed, pod, told

SAYING = {
    "ours": ("corral.dev/gang", "corral.dev/gang-size"),
    "coscheduling, as Arena writes it": (
        "pod-group.scheduling.sigs.k8s.io/name",
        "pod-group.scheduling.sigs.k8s.io/min-available",
    ),
    "Kueue": ("kueue.x-k8s.io/pod-group-name", "kueue.x-k8s.io/pod-group-total-count"),
    "Koordinator": ("gang.scheduling.koordinator.sh/name", "gang.scheduling.koordinator.sh/min-available"),
}


@pytest.mark.parametrize("place", ["labels", "annotations"])
@pytest.mark.parametrize("words", SAYING.values(), ids=SAYING.keys())
def test_a_gang_of_three_takes_no_place_while_two_of_it_fit(words: tuple[str, str], place: str) -> None:
    marks = {place: dict(zip(words, ("train", "3"), strict=True))}
    pods = [pod(f"p{number}", gpus=8, metadata=marks) for number in range(3)]
    there = board([node("a", gpus=8), node("b", gpus=8)], pods)
    assert decide(there).decisions == ()
    assert all("needs 3 pods at once and 2 fit" in sentence for sentence in told(there).values())
    there = board([node("a", gpus=8), node("b", gpus=8), node("c", gpus=8)], pods)
    assert sorted(placed(there).values()) == ["a", "b", "c"]


@pytest.mark.parametrize("word", WORDS)
def test_the_pods_that_train_in_a_job_of_gang_name_one_gang_and_how_many_they_are(word: str) -> None:
    job = objects_of(Submission(type=word, name="g", image="i", command="c", workers=3, gang=True))[0]
    roles = next(value for value in job["spec"].values() if _are_roles(value))
    said = {}
    for role, replicas in roles.items():
        marks = replicas["template"].get("metadata", {})
        one = membership_of(pod(role, metadata={"labels": marks.get("labels", {})}))
        if one.gang:
            said[role] = (one.gang, one.size)
    trains = sum(roles[role]["replicas"] for role in said)
    assert trains >= 3
    assert set(said.values()) == {(f"{word}-g", trains)}


def _are_roles(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(one, Mapping) and "template" in one for one in value.values())
