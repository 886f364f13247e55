import pytest

from corral.errors import PermanentError
from corral.placement.asks import GpuAsk, PodAsk
from corral.placement.replay.traces import read_nodes, read_pods
from tests.domain.placement.replay.small_trace import NODES, PODS


def test_nodes_and_pods_are_read() -> None:
    nodes = read_nodes("nodes.csv", NODES.splitlines())
    assert [(one.name, one.cpu, len(one.gpus), one.model) for one in nodes][:3] == [
        ("n0", 32_000, 4, "A100"),
        ("n1", 32_000, 4, "A100"),
        ("n2", 64_000, 8, "T4"),
    ]
    pods = {pod.name: pod.ask for pod in read_pods("pods.csv", PODS.splitlines())}
    assert pods["p3"] == PodAsk(1_000, 1 << 30, GpuAsk(1, 700, models=("A100", "T4")))
    assert pods["p4"] == PodAsk(4_000, 1 << 30)


BAD_NODES = {
    "": "there are no columns sn, cpu_milli, memory_mib, gpu, model",
    "sn,cpu_milli,memory_mib,gpu\n": "there is no column model",
    "sn,cpu_milli,memory_mib,gpu,model\n": "there are no nodes in it",
    "sn,cpu_milli,memory_mib,gpu,model\nn0,many,1,1,T4\n": "line 2: column cpu_milli says 'many'",
    "sn,cpu_milli,memory_mib,gpu,model\nn0,1,1,-1,T4\n": "line 2: column gpu says '-1'",
    "sn,cpu_milli,memory_mib,gpu,model\nn0,1,1,65,T4\n": "line 2: column gpu says '65'",
    "sn,cpu_milli,memory_mib,gpu,model\nn0,1,1\n": "line 2: column gpu says ''",
    "sn,cpu_milli,memory_mib,gpu,model\n,1,1,1,T4\n": "line 2: column sn is empty",
    "sn,cpu_milli,memory_mib,gpu,model\nn0,1,1,1,T4\nn0,1,1,1,T4\n": "line 3: node n0 comes twice",
    "sn,cpu_milli,memory_mib,gpu,model\nn0,1e3,1,1,T4\n": "line 2: column cpu_milli says '1e3'",
}
BAD_PODS = {
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n": "there are no pods in it",
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np0,1,1,1,1001\n": "line 2: column gpu_milli says '1001'",
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np0,1,1,1,0\n": "line 2: num_gpu is above 0 and gpu_milli is 0",
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np0,1,1,1,²\n": "line 2: column gpu_milli says '²'",
}


@pytest.mark.parametrize("text", BAD_NODES)
def test_a_wrong_list_of_nodes_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(PermanentError) as refused:
        read_nodes("nodes.csv", text.splitlines())
    assert refused.value.code == "bad-trace"
    assert BAD_NODES[text] in refused.value.message
    assert refused.value.hint
    assert "\n" not in refused.value.message


@pytest.mark.parametrize("text", BAD_PODS)
def test_a_wrong_list_of_pods_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(PermanentError) as refused:
        read_pods("pods.csv", text.splitlines())
    assert BAD_PODS[text] in refused.value.message
