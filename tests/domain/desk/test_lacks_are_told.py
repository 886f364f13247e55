"""What a program did not find is read from its last words, and what brings it depends on what runs it."""

from typing import Any

import pytest

from corral.control.desk.naming.finding import Found
from corral.control.desk.why.lacks import Lack, lack_told, remedies
from corral.kinds.references import ApiResource
from corral.kinds.script_run.script_run import THIS_MACHINE

PYTORCH = ApiResource("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs")

LAST_WORDS: dict[str, tuple[list[str], Lack | None]] = {
    "a module": (["Traceback", "ModuleNotFoundError: No module named 'torch'"], Lack("module", "torch")),
    "a module of a package": (
        ["ModuleNotFoundError: No module named 'torch.distributed'"],
        Lack("module", "torch.distributed"),
    ),
    "what python -m was to run": (["/usr/bin/python3: No module named deepspeed"], Lack("module", "deepspeed")),
    "behind other words": (["ModuleNotFoundError: No module named 'jax'", "", "mpirun ended"], Lack("module", "jax")),
    "the last of several": (
        ["ModuleNotFoundError: No module named 'cupy'", "ModuleNotFoundError: No module named 'numpy'"],
        Lack("module", "numpy"),
    ),
    "a program of dash": (["sh: 1: torchrun: not found"], Lack("program", "torchrun")),
    "a program of bash": (["bash: line 1: mpirun: command not found"], Lack("program", "mpirun")),
    "a program by its shell's path": (["/bin/sh: 1: nvidia-smi: not found"], Lack("program", "nvidia-smi")),
    "a script": (
        ["python: can't open file '/home/me/trian.py': [Errno 2] No such file or directory"],
        Lack("file", "/home/me/trian.py"),
    ),
    "another failure": (["ValueError: no such thing as a module"], None),
    "silence": ([], None),
}


@pytest.mark.parametrize(("lines", "want"), LAST_WORDS.values(), ids=LAST_WORDS)
def test_last_words_tell_what_was_missing(lines: list[str], want: Lack | None) -> None:
    assert lack_told(lines) == want


def job(image: str, *command: str) -> Found:
    container: dict[str, Any] = {"name": "pytorch", "image": image, "command": list(command)}
    role = {"replicas": 1, "template": {"spec": {"containers": [container]}}}
    return Found(PYTORCH, {"metadata": {"name": "digits"}, "spec": {"pytorchReplicaSpecs": {"Master": role}}})


SCRIPT = job(THIS_MACHINE, "/envs/plain/bin/python3", "train.py", "--epochs", "3")
LINE = job("repo/train:1", "sh", "-c", "python train.py")


def test_a_script_is_given_another_environment_or_the_package() -> None:
    assert remedies(Lack("module", "cv2.dnn"), SCRIPT, is_here=True) == (
        "corral run --python ENVIRONMENT train.py  (an environment that has cv2.dnn)",
        "/envs/plain/bin/python3 -m pip install opencv-python",
    )


def test_an_image_is_given_a_meaning_that_has_it() -> None:
    assert remedies(Lack("program", "torchrun"), LINE, is_here=True) == (
        "corral image map repo/train:1 --python ENVIRONMENT  (an environment that has torchrun)",
        "corral resubmit digits --replace",
    )


def test_on_a_cluster_another_image_is_due() -> None:
    assert remedies(Lack("module", "torch"), LINE, is_here=False) == (
        "choose an image that has torch: repo/train:1 has not",
    )


def test_a_file_is_found_where_it_lies_or_brought_along() -> None:
    lack = Lack("file", "train.py")
    assert remedies(lack, LINE, is_here=True) == ("submit it from the folder in which that file is",)
    assert remedies(lack, LINE, is_here=False) == ("bring the file along, or mount it",)
    assert lack.sentence == "its python found no file train.py"
