"""`corral apply` and `corral delete`: what files say is so afterwards, and everything that is wrong is told."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import CONFIG_MAP
from corral.ports.object_store import Patch, WriteOptions
from tests.surfaces.conftest import Cli, cli_of

TEAM = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: recipe, namespace: TEAM}
data: {epochs: "3"}
---
apiVersion: v1
kind: Namespace
metadata: {name: TEAM}
"""
JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: digits}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        spec:
          containers: [{name: pytorch, image: none}]
"""
WRONG = JOB.replace("digits", "wrong").replace("Master:", "Mastr:")


def team(name: str) -> str:
    """Returns a namespace and what is in it; each test has its own, since without controllers none goes away."""
    return TEAM.replace("TEAM", name)


@pytest.fixture(scope="module")
def api_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("api") / "a home"


@pytest.fixture(scope="module")
def running_api(api_home: Path) -> Iterator[Cli]:
    cli = cli_of(api_home)
    assert cli("up", "--api-only").returncode == 0
    yield cli
    cli("down")


@pytest.fixture
def api(running_api: Cli) -> Iterator[Cli]:
    """Commands on an API that serves all tests; what they made is gone afterwards."""
    yield running_api
    running_api("delete", "-f", "-", "--ignore-not-found", text=JOB)


def test_what_get_writes_can_be_applied_as_it_is(api: Cli, tmp_path: Path) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_text(team("round-trip"))
    assert api("apply", "-f", file).returncode == 0
    words = ("get", "configmap", "recipe", "-n", "round-trip", "-o", "json")
    shown = api(*words)
    assert "managedFields" not in shown.stdout
    assert "managedFields" not in api("get", "configmaps", "-n", "round-trip", "-o", "yaml").stdout
    whole = api(*words, "--show-managed-fields")
    assert json.loads(whole.stdout)["metadata"]["managedFields"]
    for text in (shown.stdout, whole.stdout):
        file.write_text(text)
        done = api("apply", "-f", file)
        assert done.returncode == 0, done.stderr
        assert "managedFields" not in done.stderr


def test_what_is_new_changed_or_the_same_is_told(api: Cli, tmp_path: Path) -> None:
    (tmp_path / "team.yaml").write_text(team("vision"))
    words = ("apply", "-f", str(tmp_path / "team.yaml"))
    first = api(*words)
    assert (first.returncode, first.stdout) == (0, "namespace/vision created\nconfigmap/recipe created\n")
    assert first.stderr.startswith("applying to embedded (http://127.0.0.1:")
    assert api(*words).stdout == "namespace/vision unchanged\nconfigmap/recipe unchanged\n"
    (tmp_path / "team.yaml").write_text(team("vision").replace('"3"', '"4"'))
    assert api(*words).stdout == "namespace/vision unchanged\nconfigmap/recipe configured\n"
    shown = api("get", "configmap", "recipe", "-n", "vision", "-o", "json", "--show-managed-fields")
    seen = json.loads(shown.stdout)
    assert seen["data"] == {"epochs": "4"}
    assert [field["manager"] for field in seen["metadata"]["managedFields"]] == ["corral"]


def test_a_training_job_is_followed_by_three_hints_that_can_be_typed(api: Cli) -> None:
    done = api("apply", "-f", "-", text=JOB)
    assert done.stdout == "pytorchjob.kubeflow.org/digits created\n", done.stderr
    hints = [line.split("  ")[1] for line in done.stderr.splitlines()[1:]]
    assert hints == [
        "corral logs -f pytorchjob/digits",
        "corral get pytorchjob/digits",
        "corral delete pytorchjob/digits",
    ]
    assert api(*hints[1].split()[1:]).returncode == 0
    assert api(*hints[2].split()[1:]).stdout == "pytorchjob.kubeflow.org/digits deleted\n"


def test_a_folder_is_applied_in_the_order_of_need(api: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    (folder / "a-job.yaml").write_text(JOB)
    (folder / "b-team.yml").write_text(team("speech"))
    (folder / "notes.txt").write_text("no YAML: [")
    done = api("apply", "-f", str(folder))
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        "namespace/speech",
        "configmap/recipe",
        "pytorchjob.kubeflow.org/digits",
    ]
    gone = api("delete", "-f", str(folder))
    assert [line.split()[0] for line in gone.stdout.splitlines()][-1] == "namespace/speech"
    assert gone.returncode == 0


def test_nothing_is_applied_when_a_file_cannot_be_read(api: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("a: [b\n")
    done = api("apply", "-f", str(tmp_path / "bad.yaml"), "-f", str(tmp_path / "none.yaml"), "-f", "-", text=JOB)
    assert (done.returncode, done.stdout) == (2, "")
    assert [line.partition(" ")[0] for line in done.stderr.splitlines()] == ["error:", "error:"]
    assert api("get", "-o", "name").stdout == ""


def test_a_refused_object_keeps_no_other_back_and_every_field_is_named(api: Cli) -> None:
    done = api(
        "apply", "-f", "-", text="---\n".join([WRONG, team("text"), JOB, JOB.replace("PyTorchJob", "PytorchJob")])
    )
    assert done.returncode == 2
    assert "pytorchjob.kubeflow.org/digits created" in done.stdout
    assert "configmap/recipe created" in done.stdout
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert errors[0].startswith("error: standard input, line 1: PyTorchJob wrong: spec.pytorchReplicaSpecs[Mastr]: ")
    assert "does not know PytorchJob" in errors[-1]
    assert 'hint: did you mean "PyTorchJob"?' in done.stderr


def test_an_unknown_field_is_refused_at_once(api: Cli) -> None:
    done = api("apply", "-f", "-", text="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndta: {}\n")
    assert done.returncode == 2
    assert ".dta: field not declared in schema" in done.stderr


def test_a_field_of_somebody_else_is_a_conflict_that_can_be_forced(api: Cli, api_home: Path) -> None:
    text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: "1"}\n'
    with SyncClient(access_of(read_kubeconfig([str(api_home / "kubeconfig")]), "corral", {})) as client:
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": "2"}}
        key = ObjectKey("default", "x")
        client.patch(CONFIG_MAP, key, Patch("apply", body), options=WriteOptions(manager="somebody"))
    done = api("apply", "-f", "-", text=text)
    assert (done.returncode, "--force-conflicts" in done.stderr) == (5, True)
    assert api("apply", "--force-conflicts", "-f", "-", text=text).stdout == "configmap/x configured\n"


def test_a_namespace_that_is_asked_for_must_be_that_of_the_file(api: Cli) -> None:
    done = api("apply", "-n", "other", "-f", "-", text=team("sound"))
    assert done.returncode == 2
    assert 'metadata.namespace is "sound", and namespace "other" was asked for' in done.stderr


def test_manifests_of_the_early_days_are_taken(api: Cli) -> None:
    early = """\
apiVersion: kubeflow.org/v1beta1
kind: TFJob
metadata: {name: early}
spec:
  cleanPodPolicy: All
  tfReplicaSpecs:
    worker: {replicas: 1, template: {spec: {containers: [{name: tensorflow, image: none, command: "python train.py"}]}}}
"""
    assert api("apply", "-f", "-", text=early).stdout == "tfjob.kubeflow.org/early created\n"
    assert "early" in api("get").stdout


def test_deleting_what_is_not_there_is_3_unless_that_is_fine(api: Cli) -> None:
    api("apply", "-f", "-", text=JOB)
    done = api("delete", "digts", "pytorchjob/digits")
    assert (done.returncode, done.stdout) == (3, "pytorchjob.kubeflow.org/digits deleted\n")
    assert 'hint: did you mean "digits"?' in done.stderr
    assert api("delete", "digits", "--ignore-not-found").returncode == 0
    assert api("delete").returncode == 2


def test_the_embedded_api_is_started_by_the_first_command_that_needs_it(cli: Cli) -> None:
    done = cli("get")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("started Corral on this machine")
    assert cli("status").returncode == 0


@pytest.mark.parametrize(
    ("more", "want"),
    [({"CORRAL_CONTEXT": "nowhere"}, 2), ({"KUBECONFIG": "{tmp}/dead"}, 8), ({"KUBECONFIG": "{tmp}/stranger"}, 4)],
)
def test_a_wrong_context_a_dead_api_and_a_stranger_have_their_exit_statuses(
    api: Cli, api_home: Path, tmp_path: Path, more: dict[str, str], want: int
) -> None:
    config = json.loads((api_home / "kubeconfig").read_text())
    dead = json.loads(json.dumps(config))
    dead["clusters"][0]["cluster"]["server"] = "http://127.0.0.1:1"
    (tmp_path / "dead").write_text(json.dumps(dead))
    config["users"][0]["user"] = {"token": "wrong"}
    (tmp_path / "stranger").write_text(json.dumps(config))
    done = api("get", **{name: value.format(tmp=tmp_path) for name, value in more.items()})
    assert (done.returncode, done.stdout) == (want, "")
    assert done.stderr.splitlines()[-1].startswith("hint: ")
