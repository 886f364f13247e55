"""`--fake-nodes 100x8:V100`: which nodes the words mean, and what is said about words that mean none."""

import pytest

from corral.engine.fake_nodes.fleet import FakeNode, fleet_of
from corral.engine.fake_nodes.node_words import RACK, amounts_for, labels_for
from corral.errors import PermanentError
from corral.kinds.nodes import GPU


def test_a_group_is_counted_from_zero() -> None:
    assert fleet_of(["2x8:V100"]) == (FakeNode("fake-v100-000", 0, 8, "V100"), FakeNode("fake-v100-001", 1, 8, "V100"))


def test_groups_of_one_model_count_on_and_others_begin_anew() -> None:
    names = [node.name for node in fleet_of(["1x8:V100", "1x4:A100_80G", "1x4:v100", "1x2", "1x0"])]
    assert names == ["fake-v100-000", "fake-a100-80g-000", "fake-v100-001", "fake-gpu-000", "fake-cpu-000"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["100"], "--fake-nodes 100: is not COUNTxGPUS[:MODEL]"),
        (["x8"], "is not COUNTxGPUS"),
        (["-1x8"], "is not COUNTxGPUS"),
        (["1x8 V100"], "is not COUNTxGPUS"),
        (["0x8"], "asks for no node"),
        (["1x1000"], "gives a node more than 256 GPUs"),
        (["1x8:"], "names the model ''"),
        (["1x8:V/100"], "names the model 'V/100'"),
        (["4000x8", "4000x4"], "is more than 5000 nodes"),
    ],
)
def test_what_means_no_node_is_told_in_one_line_with_a_hint(words: list[str], why: str) -> None:
    with pytest.raises(PermanentError) as told:
        fleet_of(words)
    assert why in told.value.message
    assert "\n" not in told.value.message
    assert "100x8:V100" in told.value.hint


def test_a_node_says_what_people_select_by() -> None:
    node = fleet_of(["70x8:V100"])[69]
    labels = labels_for(node)
    assert labels["nvidia.com/gpu.product"] == "V100"
    assert labels["kubernetes.io/hostname"] == "fake-v100-069"
    assert (labels["topology.kubernetes.io/zone"], labels[RACK]) == ("fake-1", "rack-04")
    assert amounts_for(node)[GPU] == "8"
    assert GPU not in amounts_for(fleet_of(["1x0"])[0])
