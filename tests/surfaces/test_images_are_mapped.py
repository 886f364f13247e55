"""`corral image`: says what was kept, keeps absolute paths, and refuses in one line what is not there."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.conftest import Cli


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """A folder that looks like a virtual environment; making a real one takes seconds."""
    folder = tmp_path / "my env"
    (folder / "bin").mkdir(parents=True)
    os.symlink(sys.executable, folder / "bin" / "python")
    (folder / "pyvenv.cfg").write_text("")
    return folder


def listed(cli: Cli) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(cli("image", "list", "-o", "json").stdout)
    return found


def test_a_mapping_is_told_kept_replaced_and_forgotten(cli: Cli, venv: Path, tmp_path: Path) -> None:
    done = cli(
        "image", "map", "tf/*", "--python", str(venv), "--workdir", str(tmp_path), "--env", "A=b c", "--env", "E="
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"mapped: tf/*\n  python   {venv}\n  workdir  {tmp_path}\n  env      'A=b c' E=\n"
    assert listed(cli) == [
        {
            "pattern": "tf/*",
            "python": f"{venv}/bin/python",
            "environment": str(venv),
            "command": [],
            "workdir": str(tmp_path),
            "env": {"A": "b c", "E": ""},
            "files": {},
        }
    ]
    assert cli("image", "map", "tf/*", "--command", "sh -c 'echo  hi'").stdout.startswith("mapped again: tf/*\n")
    assert cli("image", "list").stdout.splitlines() == [
        "PATTERN  PYTHON  COMMAND           WORKDIR  ENV  FILES",
        "tf/*     -       sh -c 'echo  hi'  -        -    -",
    ]
    assert cli("image", "unmap", "tf/*").stdout == "unmapped: tf/*\n"
    assert cli("image", "list").stdout == "no image is mapped: containers run their commands in your own environment\n"


def test_files_of_an_image_are_kept_by_their_path(cli: Cli, tmp_path: Path) -> None:
    done = cli("image", "map", "app", "--file", f"{tmp_path}:/opt/app/")
    assert done.stdout == f"mapped: app\n  files  {tmp_path}:/opt/app\n"
    assert listed(cli)[0]["files"] == {"/opt/app": str(tmp_path)}


def test_a_command_may_be_one_text_or_words(cli: Cli) -> None:
    cli("image", "map", "a", "--command", "python 'my train.py' --lr 0.1")
    cli("image", "map", "b", "--command", "python", "my train.py", "--", "--lr", "0.1")
    want = ["python", "my train.py", "--lr", "0.1"]
    assert [one["command"] for one in listed(cli)] == [want, want]


def test_paths_are_kept_absolute(corral_home: Path, tmp_path: Path, venv: Path) -> None:
    (tmp_path / "train.py").write_text("")
    environment = {**os.environ, "CORRAL_HOME": str(corral_home)}

    def run(*words: str) -> None:
        command = [sys.executable, "-m", "corral", "image", "map", *words]
        subprocess.run(command, env=environment, cwd=tmp_path, check=True, capture_output=True, timeout=60)

    run("a", "--python", "my env/bin/python", "--command", "python train.py --data data.csv")
    run("b", "--workdir", ".", "--command", "python train.py")
    kept = json.loads((corral_home / "node" / "images.json").read_text())["mappings"]
    assert kept == [
        {
            "pattern": "a",
            "python": f"{venv}/bin/python",
            "environment": str(venv),
            "command": ["python", f"{tmp_path}/train.py", "--data", "data.csv"],
        },
        {"pattern": "b", "command": ["python", "train.py"], "workdir": str(tmp_path)},
    ]


def test_a_python_that_belongs_to_no_environment_is_kept_as_program(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    os.symlink(sys.executable, tmp_path / "bin" / "python3")
    cli("image", "map", "a", "--python", str(tmp_path / "bin" / "python3"))
    assert (listed(cli)[0]["python"], listed(cli)[0]["environment"]) == (f"{tmp_path}/bin/python3", "")


REFUSALS = {
    "no environment": (["--python", "nowhere"], "error: there is no Python environment at ", "hint: make it first: "),
    "a folder without python": (["--python", "."], "has no bin/python that can be run", "hint: name the folder of "),
    "a file that is no program": (["--python", "note"], "is no program that can be run", "hint: name the folder of "),
    "no folder": (["--workdir", "nowhere"], "error: the folder ", "hint: name a folder that exists"),
    "no variable": (["--env", "NAME"], "error: --env NAME is no NAME=VALUE", "hint: write --env NAME=VALUE"),
    "a variable without a name": (["--env", "=x"], "error: --env =x is no NAME=VALUE", "hint: write --env NAME=VALUE"),
    "no path in the image": (["--file", "note"], "error: --file note is no SOURCE:PATH", "hint: write --file "),
    "a relative path": (["--file", "note:x/y"], "is no SOURCE:PATH", "hint: write --file SOURCE:PATH"),
    "no such file": (["--file", "nowhere:/x"], "nowhere is not there", "hint: name a file or folder"),
    "open quotes": (["--command", "sh -c 'x"], "error: --command: No closing quotation", "hint: quotes "),
    "nothing": ([], "error: nothing is said about img", "hint: give --python VENV, "),
}


@pytest.mark.parametrize(("words", "error", "hint"), REFUSALS.values(), ids=REFUSALS)
def test_what_makes_no_sense_is_refused(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], error: str, hint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "note").write_text("")
    done = cli("image", "map", "img", *words)
    first, second = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (1, "")
    assert error in first
    assert second.startswith(hint)
    assert listed(cli) == []


def test_a_pattern_that_the_shell_has_replaced_is_noticed(cli: Cli) -> None:
    done = cli("image", "map", "one.py", "two.py", "--python", ".")
    assert done.returncode == 2
    assert "put a pattern with * into quotes" in done.stderr


def test_an_unknown_pattern_cannot_be_forgotten(cli: Cli) -> None:
    done = cli("image", "unmap", "x*")
    assert done.returncode == 1
    assert done.stderr == "error: no image is mapped by 'x*'\nhint: `corral image list` shows the patterns\n"


def test_a_damaged_file_is_named_and_left_alone(cli: Cli, corral_home: Path) -> None:
    (corral_home / "node").mkdir(parents=True)
    (corral_home / "node" / "images.json").write_text("{")
    for words in (["list"], ["map", "a", "--command", "x"], ["unmap", "a"]):
        done = cli("image", *words)
        assert done.returncode == 1
        assert f"{corral_home}/node/images.json" in done.stderr
        assert done.stderr.splitlines()[-1] == "hint: repair that file, or remove it and map again"
    assert (corral_home / "node" / "images.json").read_text() == "{"
