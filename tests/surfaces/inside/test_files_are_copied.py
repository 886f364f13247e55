"""`corral cp`: files and folders go into jobs and out of them as `cp -r` would carry them, and only whole."""

import os
import re
from pathlib import Path

import pytest

from tests.surfaces.inside.process_stage import ProcessStage, Terminal


@pytest.fixture
def there(stage: ProcessStage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the job sees as well, since its processes run on this machine."""
    path = tmp_path_factory.mktemp("there")
    (path / "out" / "deep").mkdir(parents=True)
    (path / "out" / "model.pt").write_bytes(os.urandom(3_000_000))
    (path / "out" / "deep" / "a b; $(id)").write_text("words")
    (path / "out" / "-rf").write_text("no option")
    return path


def tree(path: Path) -> dict[str, bytes | str | None]:
    """Returns what is below a path: contents of files, targets of links."""
    found = {str(one.relative_to(path)): one for one in path.rglob("*")}
    return {
        name: os.readlink(one) if one.is_symlink() else None if one.is_dir() else one.read_bytes()
        for name, one in found.items()
    }


def test_a_file_comes_out(stage: ProcessStage, there: Path, tmp_path: Path) -> None:
    model = (there / "out" / "model.pt").read_bytes()
    done = stage.cli("cp", f"digits:{there}/out/model.pt", str(tmp_path))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert re.fullmatch(rf"copied 1 file, 2\.9 MiB to {tmp_path}/model\.pt in \d+\.\d s\n", done.stderr)
    assert (tmp_path / "model.pt").read_bytes() == model
    renamed = stage.cli("cp", f"digits/worker-1:{there}/out/model.pt", str(tmp_path / "other"))
    assert (renamed.returncode, (tmp_path / "other").read_bytes()) == (0, model)


@pytest.mark.parametrize(
    ("source", "target", "inside"),
    [
        ("out", "new", "new"),
        ("out", "old", "old/out"),
        ("out/", "old", "old/out"),
        ("out/.", "old", "old"),
        ("out/.", "new", "new"),
    ],
)
def test_folders_come_out_as_with_cp(
    stage: ProcessStage, there: Path, tmp_path: Path, source: str, target: str, inside: str
) -> None:
    (tmp_path / "old").mkdir()
    done = stage.cli("cp", f"pytorchjob/digits:{there}/{source}", str(tmp_path / target))
    assert done.returncode == 0, done.stderr
    assert tree(tmp_path / inside) == tree(there / "out")


@pytest.mark.parametrize(
    ("source", "target", "inside"),
    [("out", "new", "new"), ("out", "old", "old/out"), ("out", "old/", "old/out"), ("out/.", "old", "old")],
)
def test_folders_go_in_as_with_cp(
    stage: ProcessStage, there: Path, tmp_path: Path, source: str, target: str, inside: str
) -> None:
    (tmp_path / "old").mkdir()
    done = stage.cli("cp", f"{there}/{source}", f"digits:{tmp_path}/{target}")
    assert done.returncode == 0, done.stderr
    assert tree(tmp_path / inside) == tree(there / "out")
    assert f"to digits-master-0:{tmp_path}/{target.rstrip('/')}" in done.stderr


@pytest.mark.parametrize("name", ["-rf", "deep/a b; $(id)"])
def test_names_are_words_and_never_options(stage: ProcessStage, there: Path, tmp_path: Path, name: str) -> None:
    assert stage.cli("cp", f"digits:{there}/out/{name}", str(tmp_path / "copy")).returncode == 0
    assert stage.cli("cp", str(tmp_path / "copy"), f"digits:{tmp_path}/{Path(name).name}").returncode == 0
    assert (tmp_path / Path(name).name).read_bytes() == (there / "out" / name).read_bytes()


def test_links_out_of_the_copy_are_left_out_and_told(stage: ProcessStage, there: Path, tmp_path: Path) -> None:
    (there / "out" / "latest").symlink_to("model.pt")
    (there / "out" / "secret").symlink_to("/etc/passwd")
    os.mkfifo(there / "out" / "pipe")
    done = stage.cli("cp", f"digits:{there}/out", str(tmp_path / "copy"))
    assert done.returncode == 1
    told = sorted(line for line in done.stderr.splitlines() if line.startswith("left out: "))
    assert told == [
        "left out: ./out/pipe: neither a file, a folder nor a link",
        "left out: ./out/secret: a link out of the copy, to /etc/passwd",
    ]
    assert tree(tmp_path / "copy")["latest"] == "model.pt"


def test_a_pipe_does_not_go_in(stage: ProcessStage, there: Path, tmp_path: Path) -> None:
    os.mkfifo(there / "out" / "pipe")
    done = stage.cli("cp", str(there / "out"), f"digits:{tmp_path}/copy")
    assert (done.returncode, "pipe: neither a file" in done.stderr) == (1, True)
    assert "pipe" not in tree(tmp_path / "copy")


@pytest.mark.parametrize(
    ("words", "want"),
    {
        ("digits:{there}/none", "{here}/x"): (1, "{there}/none cannot be copied: tar: ./none: "),
        ("{here}/none", "digits:{there}/x"): (2, "there is no {here}/none"),
        ("{there}/out", "digits:{there}/no/such/folder"): (1, "{there}/no/such/folder cannot be written: tar: "),
        ("digits:{there}/out", "{here}/no/folder"): (1, "{here}/no/folder cannot be written: "),
        ("digits:{there}/out", "{here}/no/"): (1, "there is no folder {here}/no/"),
        ("digts:{there}/out", "{here}/x"): (3, 'did you mean "digits"?'),
        ("digits/worker-7:{there}/out", "{here}/x"): (2, 'no instance "worker-7"'),
        ("digits:a", "digits:b"): (2, "both of them are in jobs"),
        ("a", "b"): (2, "neither of them is in a job"),
    }.items(),
)
def test_what_cannot_be_copied_says_why_and_leaves_nothing(
    stage: ProcessStage, there: Path, tmp_path: Path, words: tuple[str, str], want: tuple[int, str]
) -> None:
    places = {"there": there, "here": tmp_path}
    done = stage.cli("cp", *(word.format(**places) for word in words))
    assert (done.returncode, done.stdout) == (want[0], "")
    assert want[1].format(**places) in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_terminal_sees_how_far_it_is(stage: ProcessStage, there: Path, tmp_path: Path) -> None:
    (there / "big").mkdir()
    for number in range(30):
        (there / "big" / str(number)).write_bytes(bytes(4_000_000))
    with Terminal(stage.home, "cp", f"digits:{there}/big", str(tmp_path / "copy")) as terminal:
        terminal.until("MiB/s")
        terminal.until("copied 30 files, 114 MiB to")
        assert terminal.end() == 0
