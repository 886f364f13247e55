"""The folder of a script as it is on disk, and the Python with which it is run by hand."""

import os
from pathlib import Path

import pytest

from corral.adapters.system.code_folder import bundle_of_folder, own_module
from corral.adapters.system.interpreter import program_beside, python_at, python_of
from corral.errors import PermanentError


def write(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("x = 1\n")


def test_a_folder_is_read_without_environments_tools_and_hidden_files(tmp_path: Path) -> None:
    write(tmp_path, "train.py", "nets/small.py", "nets/deep/wide.py", "conf/a.yaml")
    write(tmp_path, ".env", ".git/config", "nets/__pycache__/x.py", "my-tools/pyvenv.cfg", "my-tools/lib/site.py")
    assert [one.path for one in bundle_of_folder(str(tmp_path)).files] == [
        "conf/a.yaml",
        "nets/deep/wide.py",
        "nets/small.py",
        "train.py",
    ]


def test_links_in_a_circle_and_links_to_nowhere_do_no_harm(tmp_path: Path) -> None:
    write(tmp_path, "train.py")
    (tmp_path / "circle").symlink_to(tmp_path)
    (tmp_path / "nowhere.py").symlink_to(tmp_path / "gone.py")
    assert [one.path for one in bundle_of_folder(str(tmp_path)).files] == ["train.py"]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match="cannot be read: No such file"):
        bundle_of_folder(str(tmp_path / "gone"))


def test_modules_of_the_folder_are_found_by_their_dotted_names(tmp_path: Path) -> None:
    write(tmp_path, "model.py", "nets/__init__.py", "nets/small.py")
    assert own_module(str(tmp_path), "model") == "x = 1\n"
    assert own_module(str(tmp_path), "nets.small") == "x = 1\n"
    assert own_module(str(tmp_path), "nets") == "x = 1\n"
    assert own_module(str(tmp_path), "torch") is None


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_python_is_that_of_the_active_environment_else_that_on_path(tmp_path: Path) -> None:
    own, other = program(tmp_path / "venv/bin/python"), program(tmp_path / "bin/python3")
    path = {"PATH": str(tmp_path / "bin")}
    assert python_of({**path, "VIRTUAL_ENV": str(tmp_path / "venv")}) == own
    assert python_of(path) == other
    with pytest.raises(PermanentError, match="has no python"):
        python_of({**path, "VIRTUAL_ENV": str(tmp_path / "gone")})
    with pytest.raises(PermanentError, match="there is no python on PATH"):
        python_of({"PATH": str(tmp_path)})


def test_a_python_can_be_named_by_its_program_or_its_environment(tmp_path: Path) -> None:
    own = program(tmp_path / "venv/bin/python")
    assert python_at(str(tmp_path / "venv")) == python_at(own) == own
    with pytest.raises(PermanentError, match="is neither"):
        python_at(str(tmp_path))


def test_programs_next_to_the_python_come_before_those_on_path(tmp_path: Path) -> None:
    python, other = program(tmp_path / "venv/bin/python"), program(tmp_path / "bin/mpirun")
    environment = {"PATH": os.path.dirname(other)}
    assert program_beside(python, "mpirun", environment) == other
    own = program(tmp_path / "venv/bin/mpirun")
    assert program_beside(python, "mpirun", environment) == own
    assert program_beside(python, "mpiexec", {"PATH": ""}) == "mpiexec"
