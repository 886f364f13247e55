"""The guide of GPUs: as many pods of each example fit as it says, and it names every word that is understood or written."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from corral.control.scheduling.dialects.catalogue import DIALECTS
from corral.engine.node.downward import PodFacts, field_value
from corral.kinds.scheduling.pod_view import SchedulingNode, SchedulingPod
from tests.control.scheduling.scene import GPU, NOW, board, decide, member, node, placed, pod

PAGE = (Path(__file__).parents[2] / "docs/guides/sharing-gpus.md").read_text()
EXAMPLES = re.findall(r"^```yaml ([^\n]+), (\d+) fit[^\n]*\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
A10 = {"nvidia.com/gpu.product": "NVIDIA-A10", "nvidia.com/gpu.memory": "24576"}
REGISTER = {
    "hami.io/node-nvidia-register": "GPU-a,10,24576,100,NVIDIA-A10,0,true:GPU-b,10,24576,100,NVIDIA-A10,0,true:"
}


def machine(text: str) -> SchedulingNode:
    """Returns two A10s, as the plugin offers them that an example is for."""
    if "aliyun.com" in text:
        return node("n", amounts={"aliyun.com/gpu-mem": "48", "aliyun.com/gpu-count": "2"})
    if "nvidia.com/gpumem" in text or "gpucores" in text:
        return node("n", annotations=REGISTER, amounts={GPU: "20"})
    return node("n", gpus=2, labels=A10, amounts={"nvidia.com/mig-1g.5gb": "7"})


def wanting(name: str, text: str) -> SchedulingPod:
    given: dict[str, Any] = yaml.safe_load(text)
    container = {"name": "main", "resources": given.get("resources", {})}
    return pod(name, metadata={"annotations": given.get("annotations", {})}, containers=[container])


@pytest.mark.parametrize(("name", "fit", "text"), EXAMPLES, ids=[name for name, _, _ in EXAMPLES])
def test_as_many_fit_as_the_guide_says(name: str, fit: str, text: str) -> None:
    pods = [wanting(f"p{index}", text) for index in range(int(fit) + 2)]
    assert len(placed(board([machine(text)], pods))) == int(fit)


def test_examples_are_found() -> None:
    assert len(EXAMPLES) == PAGE.count("```yaml") - 1


def test_a_gang_lies_as_its_strategy_says() -> None:
    for strategy, nodes in {"bundle": 1, "spread": 2}.items():
        assert f"`corral.dev/strategy: {strategy}`" in PAGE or f"`{strategy}`" in PAGE
        marks = {"corral.dev/strategy": strategy, "corral.dev/gang-size": "2"}
        gang = [member(f"p{index}", "g", 2) for index in range(2)]
        for one in gang:
            one.metadata.annotations.update(marks)
        assert len(set(placed(board([node("a", gpus=2), node("b", gpus=2)], gang)).values())) == nodes


def test_a_device_and_a_model_that_are_not_there_are_not_replaced() -> None:
    for text in (
        "annotations: {corral.dev/gpu-devices: '7', corral.dev/gpu-share: '0.5'}",
        "annotations: {corral.dev/gpu-models: H100, corral.dev/gpu-share: '0.5'}",
    ):
        assert placed(board([machine(text)], [wanting("p", text)])) == {}


def test_a_container_sees_the_gpus_of_its_pod() -> None:
    example = re.search(r"^```yaml which GPUs a container sees\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert example is not None
    path = yaml.safe_load(example[1])["env"][0]["valueFrom"]["fieldRef"]["fieldPath"]
    text = 'annotations: {corral.dev/gpu-share: "0.5", corral.dev/gpu-count: "2"}'
    there = board([machine(text)], [wanting("p", text)])
    (decision,) = decide(there).decisions
    bound = {"metadata": {"annotations": there.handed_over(decision, NOW)}}
    assert field_value(PodFacts(bound), path) == "0,1"


def test_every_word_that_is_understood_is_named() -> None:
    words: set[str] = set()
    for one in DIALECTS:
        words |= {one.queue, one.within, one.near}
        words |= (one.gpus.resources | one.gpus.annotations) if one.gpus is not None else set()
        words |= {one.gang.name, one.gang.size} if one.gang is not None else set()
    assert {word for word in words if word and f"`{word}`" not in PAGE} == set()


def test_everything_that_is_written_for_plugins_is_named() -> None:
    table = PAGE.partition("## What is written for plugins")[2]
    for text in (
        "resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 8192}}",
        "resources: {limits: {aliyun.com/gpu-mem: 8}}",
    ):
        there = board([machine(text)], [wanting("p", text)])
        (decision,) = decide(there).decisions
        written = there.handed_over(decision, NOW)
        assert len(written) > 1
        assert [name for name in written if f"`{name}`" not in table] == []
