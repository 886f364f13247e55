"""Files that must not be applied: one clear line each, status 2, nothing created, no trace of Python.

The numbers are those of the list of bad inputs (documents). Where a scalar merely looks odd (38), it means what is written;
what would smuggle power (43, 44) is refused where the namespace allows no such pods.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from corral.adapters.kubernetes.kubeconfig import access_of, read_kubeconfig
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import CONFIG_MAP
from corral.ports.object_store import Scope
from tests.surfaces.conftest import Cli, cli_of

PYTORCH_JOB = ApiResource("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs")
LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(n + 1)}: &{chr(n + 1)} [{', '.join([f'*{chr(n)}'] * 9)}]\n" for n in range(ord("a"), ord("j"))
)
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: smuggled}\n"
JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: smuggled}
spec:
  runPolicy: {suspend: SUSPEND}
  pytorchReplicaSpecs:
    Master: {replicas: REPLICAS, template: {spec: {containers: [{name: pytorch, image: none}]VOLUMES}}}
"""


def job(suspend: str = "false", replicas: str = "1", volumes: str = "") -> str:
    """Returns a manifest with some of its places filled in."""
    return JOB.replace("SUSPEND", suspend).replace("REPLICAS", replicas).replace("VOLUMES", volumes)


HOST = ", volumes: [{name: v, hostPath: {path: /}}]"
BY_ANCHOR = job().replace("metadata: {name: smuggled}", "metadata: {name: smuggled, annotations: {note: &p /}}")
BY_ANCHOR = BY_ANCHOR.replace("image: none}]", "image: none}], volumes: [{name: v, hostPath: {path: *p}}]")

FILES: dict[str, tuple[str | bytes, str]] = {
    "33 a billion laughs": (LAUGHS, "aliases"),
    "34 a Python object": ("!!python/object/apply:os.system ['touch owned']", "tag"),
    "34 a Python object inside": (MAP + "data: {x: !!python/name:os.system x}\n", "tag"),
    "35 a thousand levels": (MAP + "data: " + "{a: " * 1000 + "1" + "}" * 1000, "nested deeper"),
    "35 more levels than a stack has": ("[" * 300_000, "nested deeper"),
    "36 a key twice": (MAP + "data: {a: x, a: y}\n", "stands twice"),
    "37 ten megabytes": (
        MAP + "data:\n" + "  k: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n" * 190_000,
        "limit",
    ),
    "38 yes where a boolean is due": (job(suspend="yes"), "suspend"),
    "38 012 where a number is due": (job(replicas="012"), "replicas"),
    "39 UTF-16": (MAP.encode("utf-16"), "UTF-8"),
    "40 an unknown version": (MAP.replace("v1", "v9"), "v9"),
    "40 an unknown kind": (MAP.replace("ConfigMap", "ConfigurationMap"), "ConfigurationMap"),
    "41 a list where a mapping is due": (MAP + "data: [a, b]\n", "data"),
    "41 a text where a mapping is due": (MAP.replace("{name: smuggled}", "smuggled"), "metadata"),
    "41 a list where an object is due": ("- a\n- b\n", "expected"),
    "43 a good document and one with a tag": (MAP + "---\n!!python/object/apply:os.system ['true']\n", "tag"),
    "43 a good document and one that asks for the host": (job(volumes=HOST), "hostPath"),
    "44 the host by an anchor": (BY_ANCHOR, "hostPath"),
    "an anchor of itself": (MAP + "data: &a {x: *a}\n", "a"),
    "an empty file": ("", "no object"),
    "a file with a comment only": ("# nothing yet\n---\n", "no object"),
    "no text at all": (b"\xff\xfe\x00\x01", "UTF-8"),
    "no name": ("apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n", "metadata.name"),
    "a name that goes up": (MAP.replace("smuggled", '"../x"'), "'../x'"),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the API lives."""
    return tmp_path_factory.mktemp("refusals") / "home"


@pytest.fixture(scope="module")
def api(home: Path) -> Iterator[Cli]:
    """An API with a namespace that allows no pods of power."""
    cli = cli_of(home)
    try:
        assert cli("up", "--api-only").returncode == 0
        labels = {"pod-security.kubernetes.io/enforce": "baseline"}
        team = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team", "labels": labels}}
        assert cli("apply", "-f", "-", text=json.dumps(team)).returncode == 0
        yield cli
    finally:
        cli("down")


@pytest.fixture(scope="module")
def client(api: Cli, home: Path) -> Iterator[SyncClient]:
    """Looks at what is there."""
    with SyncClient(access_of(read_kubeconfig([str(home / "kubeconfig")]), "corral", {})) as made:
        yield made


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_refused_in_one_line(api: Cli, client: SyncClient, tmp_path: Path, name: str) -> None:
    content, word = FILES[name]
    path = tmp_path / "bad.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = api("apply", "-n", "team", "-f", str(path))
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, done.stderr
    assert str(path) in errors[0]
    assert word in errors[0]
    assert len(done.stderr) < 2000
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "owned").exists()
    made = [*client.list(CONFIG_MAP, Scope("team")), *client.list(PYTORCH_JOB, Scope("team"))]
    assert "smuggled" not in [one["metadata"]["name"] for one in made]


@pytest.mark.parametrize("name", ["34 a Python object", "36 a key twice", "39 UTF-16"])
def test_a_bad_file_deletes_nothing_either(api: Cli, client: SyncClient, name: str) -> None:
    content, _ = FILES[name]
    assert api("apply", "-n", "team", "-f", "-", text=MAP.replace("smuggled", "stays")).returncode == 0
    text = content.decode("latin-1") if isinstance(content, bytes) else content
    done = api("delete", "-n", "team", "-f", "-", text=text)
    assert done.returncode == 2
    assert client.get(CONFIG_MAP, ObjectKey("team", "stays"))


def test_scalars_that_look_odd_mean_what_is_written(api: Cli) -> None:
    """38: the Norway problem, octal numbers and dates are texts where texts are due."""
    odd = MAP.replace("smuggled", "odd") + "data: {country: no, code: 012, on: off, day: 2024-01-01, many: 1_000}\n"
    assert api("apply", "-n", "team", "-f", "-", text=odd).returncode == 0
    seen = json.loads(api("get", "configmap", "odd", "-n", "team", "-o", "json").stdout)
    assert seen["data"] == {"country": "no", "code": "012", "on": "off", "day": "2024-01-01", "many": "1_000"}


def test_a_value_cannot_become_a_container(api: Cli) -> None:
    """42: a variable that reads like YAML stays the text that it is."""
    evil = 'x": "y"\n- name: evil\n  image: evil\n  securityContext: {privileged: true}'
    manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "quoted"},
        "spec": {"containers": [{"name": "a", "image": "i", "env": [{"name": "E", "value": evil}]}]},
    }
    assert api("apply", "-n", "team", "-f", "-", text=json.dumps(manifest)).returncode == 0
    for form in ("json", "yaml"):
        text = api("get", "pod", "quoted", "-n", "team", "-o", form).stdout
        again = api("apply", "-n", "team", "-f", "-", "--force-conflicts", text=_bare(text, form))
        assert again.returncode == 0, again.stderr
    seen = json.loads(api("get", "pod", "quoted", "-n", "team", "-o", "json").stdout)
    assert [one["name"] for one in seen["spec"]["containers"]] == ["a"]
    assert seen["spec"]["containers"][0]["env"] == [{"name": "E", "value": evil}]


def _bare(text: str, form: str) -> str:
    """Returns what was shown as a manifest again, without what only a server writes."""
    whole = json.loads(text) if form == "json" else yaml.safe_load(text)
    kept = {"name": whole["metadata"]["name"]}
    spec = {
        "containers": [{name: one[name] for name in ("name", "image", "env")} for one in whole["spec"]["containers"]]
    }
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": kept, "spec": spec})
