"""Bad input: refused with status 2 and one line that names the flag, before anything is asked of an API.

Numbers in comments are those of the list of bad inputs; the golden tables have the others. Nothing is sent: the API of this
command line is one that nobody serves, and a line that came so far would end with another status.
"""

from pathlib import Path

import pytest

from corral.surfaces.cli.main import run

PLAIN = ("submit", "pytorchjob", "--name=j", "--image=i", "--workers=2")
LINES: dict[str, tuple[tuple[str, ...], str]] = {
    "a name with a zero byte": (("submit", "tfjob", "--name=a\0b", "--image=i"), "--name: 'a\\x00b' is no name"),  # 9
    "the namespace of the system": ((*PLAIN, "-n", "kube-system"), "belongs to the system"),  # 18
    "a namespace that is none": ((*PLAIN, "-n", "A_B"), "'A_B' cannot be a namespace"),
    "a priority beyond measure": (
        (*PLAIN, f"--priority={2**63}"),
        "--priority: '9223372036854775808' is a number",
    ),  # 28
    "a name whose pods would have none": (
        ("submit", "pytorchjob", "--name=" + "a" * 52, "--image=i", "--workers=100000"),
        "has 52 letters",
    ),
    "a variable with a zero byte": ((*PLAIN, "--env=A=b\0c"), "the value of A has a zero byte"),
    "a command with a zero byte": ((*PLAIN, "a\0b"), "--command: the command has a zero byte"),
    "an image with a blank": (("submit", "tfjob", "--name=j", "--image=a b"), "--image: 'a b' is no name of an image"),
    "an image like a flag": (("submit", "tfjob", "--name=j", "--image=-x"), "--image: '-x' is no name of an image"),
    "a path that goes up": ((*PLAIN, "--data=a:/x/../y"), "--data: a:/x/../y"),
    "the whole container": ((*PLAIN, "--data=a:/"), "--data: a:/"),
    "a secret without a key": ((*PLAIN, "--env-from-secret=A="), "--env-from-secret: 'A=' is not of the form"),
    "a folder as a file": ((*PLAIN, "--config-file=/tmp:/etc/x"), "--config-file: '/tmp' cannot be read"),
    "a branch like a flag": (
        (*PLAIN, "--sync-mode=git", "--sync-source=/a/b", "-e", "GIT_SYNC_BRANCH=-x"),
        "GIT_SYNC_BRANCH must not begin with a dash",
    ),
    "several at once": ((*PLAIN, "--cpu=x", "--memory=y"), "--cpu: 'x' is no amount"),
    "a setting that is none": ((*PLAIN, "--set=spec"), "write it as PATH=VALUE"),
    "another name by hand": ((*PLAIN, "--set=metadata.name=k"), "what belongs to the job has its name"),
    "an object without metadata": ((*PLAIN, "--set=metadata=null"), "metadata and spec are mappings"),
    "a spec that is a word": ((*PLAIN, "--set=spec=x"), "metadata and spec are mappings"),
    "a value that is missing": ((*PLAIN, "--cpu"), "--cpu"),
    "a code of no end": ((*PLAIN, "--propagate"), "--propagate is about waiting"),
    "a time to wait for nothing": ((*PLAIN, "--timeout=5s"), "--timeout is about waiting"),
    "waiting for what is not made": ((*PLAIN, "--wait", "--dry-run=server"), "a dry run makes nothing"),
    "a command taken for a kind of trial": (
        ("submit", "tfjob", "--name=j", "--image=i", "--dry-run", "python train.py"),
        "--dry-run is client or server, not 'python train.py'",
    ),
    "a form that is none": ((*PLAIN, "-o", "table"), "table"),
    "serving": (("serve", "tensorflow", "--name=x"), "corral serve is not there: serving comes later"),
    "models": (("model", "list"), "corral model is not there"),
    "evaluation": (("evaluate", "model"), "corral evaluate is not there"),
    "jobs of Spark": (("submit", "spark", "--name=x"), "corral submit sparkjob is not there: Spark has an operator"),
}


@pytest.fixture(autouse=True)
def _nobody_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kubeconfig").write_text(
        '{"current-context": "c", "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],'
        ' "contexts": [{"name": "c", "context": {"cluster": "c"}}]}'
    )
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    monkeypatch.setenv("CORRAL_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CORRAL_CONTEXT", raising=False)


@pytest.mark.parametrize("key", LINES)
def test_it_is_refused_in_one_line(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    words, sentence = LINES[key]
    status = run(list(words))
    said = capsys.readouterr()
    assert (status, said.out) == (2, ""), said.err
    lines = said.err.splitlines()
    assert lines[0].startswith("error: ")
    assert sentence in lines[0]
    assert [line.partition(":")[0] for line in lines[1:]] == ["hint"] * (len(lines) - 1)
    assert all(line.isprintable() for line in lines)


def test_a_good_line_would_be_sent(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(list(PLAIN)) == 8
    assert "127.0.0.1:1" in capsys.readouterr().err


def test_a_missing_image_is_explained_where_any_name_would_do(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ["submit", "pytorchjob", "--name=j", "python train.py"]
    assert run(line) == 2
    assert "hint: `corral submit pytorchjob --help`" in capsys.readouterr().err
    monkeypatch.setenv("CORRAL_CONTEXT", "embedded")
    assert run(line) == 2
    assert "on one machine any name does, since commands run in your own environment" in capsys.readouterr().err
