"""Early forms of manifests and what they are read as; what only a shell could read gets the words to write instead."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.kinds.objects import Object
from corral.kinds.training.early_dialects import modernised, split_line, was_written_early
from corral.kinds.training.reading import read_job
from corral.kinds.training.validation.early_manifests import early_errors

KINDS = {"TFJob": "tfReplicaSpecs", "MPIJob": "mpiReplicaSpecs", "PyTorchJob": "pytorchReplicaSpecs"}


def job(
    kind: str = "TFJob", role: str = "Worker", written_as: str = "", spec: Object | None = None, **fields: Any
) -> Object:
    container = {"name": "x", "image": "x", **fields}
    roles = {role: {"template": {"spec": {"containers": [container]}}}}
    metadata: Object = {"name": "job", "namespace": "default"}
    if written_as:
        metadata["managedFields"] = [{"manager": "kubectl", "apiVersion": f"kubeflow.org/{written_as}"}]
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": kind,
        "metadata": metadata,
        "spec": {KINDS[kind]: roles, **(spec or {})},
    }


def test_a_modern_manifest_is_left_as_it_is() -> None:
    modern = job(command=["python", "a.py"], spec={"runPolicy": {"backoffLimit": 3}})
    assert modernised(modern) is modern


def test_reading_changes_nothing_in_the_object() -> None:
    early = job(role="worker", command="python a.py", spec={"backoffLimit": 2}, written_as="v1beta1")
    before = deepcopy(early)
    assert read_job(early).object is early
    assert early == before


LIMITS: dict[str, tuple[Object, Object]] = {
    "moved": ({"backoffLimit": 2}, {"backoffLimit": 2}),
    "all of them": (
        {"cleanPodPolicy": "All", "ttlSecondsAfterFinished": 0, "activeDeadlineSeconds": 5, "backoffLimit": 0},
        {"cleanPodPolicy": "All", "ttlSecondsAfterFinished": 0, "activeDeadlineSeconds": 5, "backoffLimit": 0},
    ),
    "runPolicy wins": ({"backoffLimit": 2, "runPolicy": {"backoffLimit": 3}}, {"backoffLimit": 3}),
    "beside others": (
        {"backoffLimit": 2, "runPolicy": {"suspend": True}},
        {"suspend": True, "backoffLimit": 2},
    ),
}


@pytest.mark.parametrize("kind", ["TFJob", "MPIJob"])
@pytest.mark.parametrize("case", LIMITS)
def test_limits_move_into_the_run_policy(kind: str, case: str) -> None:
    spec, want = LIMITS[case]
    assert modernised(job(kind, spec=spec))["spec"]["runPolicy"] == want


def test_only_kinds_with_an_early_form_have_one() -> None:
    other = job("PyTorchJob", spec={"backoffLimit": 2})
    assert modernised(other) is other


@pytest.mark.parametrize(("version", "want"), [("v1alpha2", "Launcher"), ("v1", "launcher"), ("", "launcher")])
def test_lower_case_roles_of_mpi_belong_to_its_early_version(version: str, want: str) -> None:
    read = modernised(job("MPIJob", "launcher", version))
    assert list(read["spec"]["mpiReplicaSpecs"]) == [want]
    assert was_written_early(read) == (version == "v1alpha2")


def test_two_spellings_of_one_role_are_left_to_validation() -> None:
    twice = job("MPIJob", "worker", "v1alpha2")
    roles = twice["spec"]["mpiReplicaSpecs"]
    roles["Worker"] = roles["worker"]
    assert modernised(twice) is twice


LINES = {
    "python train.py": ["python", "train.py"],
    "  python   train.py ": ["python", "train.py"],
    'python train.py --name "two words"': ["python", "train.py", "--name", "two words"],
    "python -c 'print(2 * 3)'": ["python", "-c", "print(2 * 3)"],
    'python -c "import x; x.run()"': ["python", "-c", "import x; x.run()"],
    r"python train\ it.py": ["python", "train it.py"],
    "": [],
    "a && b": None,
    "a; b": None,
    "a | tee log": None,
    "a > log": None,
    "a < data": None,
    "echo $HOME": None,
    'echo "$HOME"': None,
    "echo '$HOME'": ["echo", "$HOME"],
    'echo "`date`"': None,
    "ls *.py": None,
    "a\nb": None,
    "python 'a.py": None,
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_is_split_as_a_shell_would(line: str) -> None:
    assert split_line(line) == LINES[line]


@pytest.mark.parametrize("field", ["command", "args"])
@pytest.mark.parametrize("kind", KINDS)
def test_lines_of_every_kind_are_split(kind: str, field: str) -> None:
    fields: dict[str, Any] = {field: "python a.py"}
    early = job(kind, spec=None, **fields)
    (container,) = modernised(early)["spec"][KINDS[kind]]["Worker"]["template"]["spec"]["containers"]
    assert container[field] == ["python", "a.py"]
    assert early_errors(early) == []


def test_lines_of_init_containers_are_split_too() -> None:
    early = job()
    pod = early["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]
    pod["initContainers"] = [{"name": "first", "image": "x", "command": "fetch data"}]
    read = modernised(early)["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]
    assert read["initContainers"][0]["command"] == ["fetch", "data"]


WHERE = "spec.tfReplicaSpecs[Worker].template.spec.containers[0]"
ADVICE: dict[str, tuple[dict[str, Any], str]] = {
    "a command": (
        {"command": "a && b"},
        f'{WHERE}.command: Invalid value: "a && b": needs a shell to run; write command: ["sh", "-c", "a && b"]',
    ),
    "quotation marks are kept": (
        {"command": 'echo "$HOME"'},
        f'{WHERE}.command: Invalid value: "echo \\"$HOME\\"": needs a shell to run; '
        'write command: ["sh", "-c", "echo \\"$HOME\\""]',
    ),
    "args of an image": (
        {"args": "a > log"},
        f'{WHERE}.args: Invalid value: "a > log": needs a shell to run; write command: ["sh", "-c", "a > log"]',
    ),
    "args of a command": (
        {"command": ["python"], "args": "$FILE --x"},
        f'{WHERE}.args: Invalid value: "$FILE --x": needs a shell to be read; '
        'write a list of strings, such as args: ["$FILE", "--x"]',
    ),
    "a number in a command": (
        {"command": ["python", 1]},
        f'{WHERE}.command: Invalid value: ["python",1]: must be a list of strings, such as '
        'command: ["python", "train.py"]',
    ),
    "a number among texts": (
        {"args": ["--steps", 100]},
        f'{WHERE}.args: Invalid value: ["--steps",100]: must be a list of strings, such as args: ["--epochs", "10"]',
    ),
}


@pytest.mark.parametrize("case", ADVICE)
def test_what_cannot_be_read_is_told_what_to_write(case: str) -> None:
    fields, want = ADVICE[case]
    assert list(map(str, early_errors(job(**fields)))) == [want]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(spec=_JSON, roles=_JSON, pod=_JSON)
def test_no_object_is_so_odd_that_reading_it_breaks(spec: Any, roles: Any, pod: Any) -> None:
    for odd in (spec, {"mpiReplicaSpecs": roles}, {"mpiReplicaSpecs": {"a": {"template": {"spec": pod}}}}):
        obj = {"kind": "MPIJob", "apiVersion": "kubeflow.org/v1alpha2", "metadata": {"name": "a"}, "spec": odd}
        modernised(obj)
        early_errors(obj)
