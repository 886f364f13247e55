"""Command, args and image of a container, and what was said of the image, give one command line."""

import pytest

from corral.engine.node.containers.launch import StartRefusedError
from corral.engine.node.images.mapping import ImageMapping
from corral.engine.node.images.meaning import Meaning, line_to_type, resolve
from corral.engine.node.mpi.own_programs import program

TF = ImageMapping(pattern="tf/*", python="/envs/tf/bin/python", environment="/envs/tf", env={"A": "1"})
ENTRY = ImageMapping(pattern="app", command=("python", "/src/main.py"), workdir="/src")


def test_a_command_needs_no_mapping() -> None:
    assert resolve("any", ["sh", "-c", "x"], ["y"], "", []) == Meaning(("sh", "-c", "x", "y"))


def test_args_follow_the_entry_point_of_the_image() -> None:
    assert resolve("app:1", [], ["--epochs", "3"], "", [ENTRY]) == Meaning(
        ("python", "/src/main.py", "--epochs", "3"), "/src", pattern="app"
    )


def test_files_of_the_image_come_along() -> None:
    mapping = ImageMapping(pattern="app", files={"/opt/app.py": "/src/app.py"})
    assert resolve("app", ["python", "/opt/app.py"], [], "", [mapping]).files == {"/opt/app.py": "/src/app.py"}
    assert line_to_type(mapping).startswith("corral image map app --file /src/app.py:/opt/app.py ")


def test_a_command_takes_the_place_of_the_entry_point() -> None:
    found = resolve("app", ["other"], ["x"], "/elsewhere", [ENTRY])
    assert (found.argv, found.workdir) == (("other", "x"), "/elsewhere")


@pytest.mark.parametrize("program", ["python", "python3", "python3.8", "/usr/bin/python3", "/opt/conda/bin/python"])
def test_the_python_of_the_image_is_the_mapped_one(program: str) -> None:
    assert resolve("tf/x", [program, "a.py"], [], "", [TF]).argv == ("/envs/tf/bin/python", "a.py")


@pytest.mark.parametrize("program", ["python2", "/data/venv/bin/python", "mpirun", "ipython", "./python"])
def test_other_programs_stay(program: str) -> None:
    assert resolve("tf/x", [program], [], "", [TF]).argv == (program,)


def test_the_programs_of_the_mapped_environment_are_found_first() -> None:
    meaning = resolve("tf/x", ["pip"], [], "", [TF])
    env = meaning.dressed({"PATH": "/a:/envs/tf/bin:/b", "VIRTUAL_ENV": "/other", "PYTHONHOME": "/x", "B": "2"})
    assert env == {"PATH": "/envs/tf/bin:/a:/b", "VIRTUAL_ENV": "/envs/tf", "B": "2"}
    assert meaning.env == {"A": "1"}


def test_a_python_without_environment_hides_that_of_the_user() -> None:
    bare = ImageMapping(pattern="*", python="/usr/bin/python3.12")
    assert resolve("x", ["a"], [], "", [bare]).dressed({"VIRTUAL_ENV": "/v"}) == {"PATH": "/usr/bin"}


def test_without_a_mapping_the_environment_stays() -> None:
    assert resolve("x", ["a"], [], "", []).dressed({"VIRTUAL_ENV": "/v"}) == {"VIRTUAL_ENV": "/v"}


def test_neither_command_nor_mapping_names_the_line_to_type() -> None:
    with pytest.raises(StartRefusedError) as refused:
        resolve("kubeflow/mnist:1", [], ["--x"], "", [TF])
    assert refused.value.reason == "CreateContainerConfigError"
    assert refused.value.message == (
        'image "kubeflow/mnist:1" has no entry point on this machine, and the container gives no command; '
        "say what it runs: corral image map kubeflow/mnist:1 --command 'PROGRAM ARGUMENT...'"
    )


def test_the_line_to_type_keeps_what_was_said_already() -> None:
    with pytest.raises(StartRefusedError) as refused:
        resolve("tf/x", [], [], "", [TF])
    assert refused.value.message.endswith(
        "corral image map 'tf/*' --python /envs/tf --env A=1 --command 'PROGRAM ARGUMENT...'"
    )
    assert line_to_type(ENTRY) == "corral image map app --workdir /src --command 'python /src/main.py'"


@pytest.mark.parametrize("image", ["mpioperator/kubectl-delivery:latest", "docker.io/mpioperator/kubectl-delivery"])
def test_images_that_corral_stands_in_for_run_by_themselves(image: str) -> None:
    meaning = resolve(image, [], [], "", [ImageMapping(pattern="*", command=("never",))])
    assert meaning.argv == program("corral.engine.node.mpi.kubectl_delivery")


def test_users_may_speak_of_those_too() -> None:
    own = ImageMapping(pattern="mpioperator/kubectl-delivery*", command=("mine",))
    assert resolve("mpioperator/kubectl-delivery:1", [], [], "", [own]).argv == ("mine",)
