"""Token files are read again, plugins run again; nothing passes through a shell."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from corral.adapters.kubernetes.access import Access, ExecPlugin
from corral.adapters.kubernetes.credentials import Credentials
from corral.errors import PermanentError

V1 = "client.authentication.k8s.io/v1"


class Time:
    """A clock to turn by hand."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def test_a_token_file_is_read_again_after_a_minute(tmp_path: Path) -> None:
    file, time = tmp_path / "token", Time()
    file.write_text("first\n")
    credentials = Credentials(Access("https://x", token_file=str(file)), now=time)
    assert credentials.is_due
    assert credentials.refresh()
    assert credentials.headers() == {"Authorization": "Bearer first"}
    assert not credentials.is_due
    file.write_text("second")
    time.now += 61
    assert credentials.is_due
    assert credentials.refresh()
    assert credentials.headers() == {"Authorization": "Bearer second"}
    assert not credentials.refresh()


def test_a_token_file_that_vanishes_for_a_moment_does_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "token"
    credentials = Credentials(Access("https://x", token_file=str(file)))
    with pytest.raises(PermanentError, match="cannot be read"):
        credentials.refresh()
    file.write_text("first")
    credentials.refresh()
    file.unlink()
    assert not credentials.refresh()
    assert credentials.headers() == {"Authorization": "Bearer first"}


def test_a_password_is_basic_authentication() -> None:
    headers = Credentials(Access("https://x", username="me", password="pw")).headers()
    assert headers == {"Authorization": "Basic bWU6cHc="}


def plugin(tmp_path: Path, body: str, **settings: Any) -> Access:
    """A plugin in Python that may use `info` (what it was told) and `count` (how often it ran, from 1)."""
    script = tmp_path / "plugin.py"
    script.write_text(
        "import json, os, pathlib, sys\n"
        "info = json.loads(os.environ['KUBERNETES_EXEC_INFO'])\n"
        f"log = pathlib.Path({str(tmp_path / 'log')!r})\n"
        "with log.open('a') as file: file.write(json.dumps([sys.argv[1:], info, os.environ.get('REGION')]) + '\\n')\n"
        "count = len(log.read_text().splitlines())\n"
        "def give(**status): print(json.dumps({'apiVersion': info['apiVersion'], 'kind': 'ExecCredential', 'status': status}))\n"
        + body
    )
    args = (str(script), *settings.pop("args", ()))
    version = settings.pop("api_version", V1)
    return Access("https://x", plugin=ExecPlugin(version, sys.executable, args, (("REGION", "r1"),), **settings))


def calls(tmp_path: Path) -> list[Any]:
    return [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]


@pytest.mark.parametrize("version", [V1, "client.authentication.k8s.io/v1beta1"])
def test_a_plugin_gives_a_token_and_its_arguments_are_left_alone(tmp_path: Path, version: str) -> None:
    access = plugin(tmp_path, "give(token='abc')", args=("$(id); `id`",), api_version=version)
    credentials = Credentials(access)
    credentials.refresh()
    assert credentials.headers() == {"Authorization": "Bearer abc"}
    [[args, info, region]] = calls(tmp_path)
    assert args == ["$(id); `id`"]
    assert (info["apiVersion"], info["kind"], info["spec"]) == (version, "ExecCredential", {"interactive": False})
    assert region == "r1"


def test_a_plugin_runs_again_shortly_before_its_token_expires(tmp_path: Path) -> None:
    time = Time()
    access = plugin(tmp_path, "give(token=f't{count}', expirationTimestamp='2023-11-14T22:15:00Z')")  # now + 100 s
    credentials = Credentials(access, now=time)
    credentials.refresh()
    assert not credentials.is_due
    time.now += 71
    assert credentials.is_due
    assert credentials.refresh()
    assert credentials.headers() == {"Authorization": "Bearer t2"}


def test_a_plugin_may_give_a_certificate(tmp_path: Path) -> None:
    credentials = Credentials(plugin(tmp_path, "give(clientCertificateData='C', clientKeyData='K')"))
    credentials.refresh()
    assert credentials.certificate == (b"C", b"K")
    assert credentials.generation == 1
    assert credentials.headers() == {}


def test_a_plugin_is_told_about_the_cluster_if_it_wants(tmp_path: Path) -> None:
    Credentials(plugin(tmp_path, "give(token='t')", provide_cluster_info=True)).refresh()
    assert calls(tmp_path)[0][1]["spec"]["cluster"] == {"server": "https://x"}


FAILING: dict[str, tuple[str, dict[str, Any]]] = {
    "ended with exit code 3": ("sys.exit(3)", {}),
    "printed something that is not an ExecCredential": ("print('hello')", {}),
    "neither a token nor a certificate": ("give()", {}),
    "answered in v0": ("print(json.dumps({'apiVersion': 'v0', 'status': {'token': 'x'}}))", {}),
    "needs a terminal": ("give(token='x')", {"interactive_mode": "Always"}),
}


@pytest.mark.parametrize("complaint", FAILING)
def test_a_plugin_that_fails_is_one_sentence(tmp_path: Path, complaint: str) -> None:
    body, settings = FAILING[complaint]
    with pytest.raises(PermanentError) as caught:
        Credentials(plugin(tmp_path, body, **settings)).refresh()
    assert complaint in caught.value.message


def test_a_missing_plugin_shows_its_own_hint() -> None:
    access = Access("https://x", plugin=ExecPlugin(V1, "/no/such/plugin", install_hint="install it"))
    with pytest.raises(PermanentError, match="cannot be run") as caught:
        Credentials(access).refresh()
    assert caught.value.hint == "install it"
