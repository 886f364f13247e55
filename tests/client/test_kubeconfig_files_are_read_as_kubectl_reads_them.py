import json
import os
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from corral.adapters.kubernetes.in_cluster import in_cluster_access, is_in_cluster
from corral.adapters.kubernetes.kubeconfig import Kubeconfig, access_of, kubeconfig_paths, read_kubeconfig
from corral.errors import PermanentError


def config(**parts: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": parts.get("current", "one"),
        "clusters": [{"name": "c", "cluster": {"server": "https://one:6443/", **parts.get("cluster", {})}}],
        "users": [{"name": "u", "user": parts.get("user", {"token": "t"})}],
        "contexts": [{"name": "one", "context": {"cluster": "c", "user": "u", **parts.get("context", {})}}],
    }


def written(folder: Path, name: str, document: dict[str, Any]) -> str:
    path = folder / name
    path.write_text(json.dumps(document))
    return str(path)


def read(folder: Path, **parts: Any) -> Kubeconfig:
    return read_kubeconfig([written(folder, "config", config(**parts))])


def test_a_context_gives_server_credentials_and_namespace(tmp_path: Path) -> None:
    access = access_of(read(tmp_path, context={"namespace": "team-a"}), "one", {})
    assert (access.server, access.token, access.namespace) == ("https://one:6443", "t", "team-a")
    assert access.tls.verify


def test_yaml_is_read_too_and_names_like_no_stay_names(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(
        "current-context: no\n"
        "clusters:\n- {name: c, cluster: {server: 'https://x', insecure-skip-tls-verify: true, tls-server-name: y}}\n"
        "users:\n- {name: u, user: {username: me, password: secret}}\n"
        "contexts:\n- {name: no, context: {cluster: c, user: u}}\n"
    )
    found = read_kubeconfig([str(path)])
    access = access_of(found, found.current, {})
    assert (access.username, access.password, access.tls.verify, access.tls.server_name) == ("me", "secret", False, "y")


def test_of_several_files_the_first_that_says_it_counts(tmp_path: Path) -> None:
    first = config(current="", user={"token": "from-first"})
    second = config(current="two", user={"token": "from-second"})
    second["contexts"] += [{"name": "two", "context": {"cluster": "c", "user": "u", "namespace": "n2"}}]
    paths = [written(tmp_path, "1", first), str(tmp_path / "absent"), written(tmp_path, "2", second)]
    merged = read_kubeconfig(paths)
    assert merged.current == "two"
    assert sorted(merged.contexts) == ["one", "two"]
    assert access_of(merged, "two", {}).token == "from-first"
    assert len(merged.sources) == 2


def test_paths_in_a_file_are_relative_to_it(tmp_path: Path) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    user = {"client-certificate": "me.crt", "client-key": "/keys/me.key", "tokenFile": "token"}
    access = access_of(read(folder, user=user, cluster={"certificate-authority": "ca.crt"}), "one", {})
    assert access.tls.certificate_file == str(folder / "me.crt")
    assert access.tls.key_file == "/keys/me.key"
    assert access.tls.authority_file == str(folder / "ca.crt")
    assert access.token_file == str(folder / "token")


def test_inline_data_is_decoded(tmp_path: Path) -> None:
    inline = {"client-certificate-data": b64encode(b"cert").decode(), "client-key-data": b64encode(b"key").decode()}
    access = access_of(read(tmp_path, user=inline), "one", {})
    assert (access.tls.certificate_data, access.tls.key_data) == (b"cert", b"key")


def test_a_plugin_is_a_command_and_its_arguments(tmp_path: Path) -> None:
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "./bin/sign-in",
        "args": ["--for", "me; rm -rf /"],
        "env": [{"name": "REGION", "value": "x"}],
        "installHint": "get it somewhere",
    }
    found = access_of(read(tmp_path, user={"exec": plugin}), "one", {}).plugin
    assert found is not None
    assert found.command == f"{tmp_path}/./bin/sign-in"
    assert found.args == ("--for", "me; rm -rf /")
    assert found.env == (("REGION", "x"),)


BAD: dict[str, dict[str, Any]] = {
    "names no cluster with a server": {"cluster": {"server": ""}},
    "is not base64": {"user": {"client-key-data": "x"}},
    "has an auth-provider": {"user": {"auth-provider": {"name": "gcp"}}},
    "speaks client.authentication.k8s.io/v1alpha1": {
        "user": {"exec": {"apiVersion": "client.authentication.k8s.io/v1alpha1", "command": "x"}}
    },
    'names the user "nobody"': {"context": {"user": "nobody"}},
    "is not an HTTP proxy": {"cluster": {"proxy-url": "socks5://localhost:1080"}},
}


@pytest.mark.parametrize("complaint", BAD)
def test_what_cannot_work_is_said_at_once(tmp_path: Path, complaint: str) -> None:
    with pytest.raises(PermanentError) as caught:
        access_of(read(tmp_path, **BAD[complaint]), "one", {})
    assert complaint in caught.value.message


@pytest.mark.parametrize("text", ["{", "[1]", "a: b: c", "clusters: 3", "users: [{user: {}}]", "contexts: [1]"])
def test_a_damaged_file_is_one_clear_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(PermanentError) as caught:
        read_kubeconfig([str(path)])
    assert str(path) in caught.value.message
    assert "\n" not in caught.value.message


def test_a_file_that_must_exist_and_does_not_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match="there is no kubeconfig"):
        read_kubeconfig([str(tmp_path / "absent")], must_exist=True)
    assert read_kubeconfig([str(tmp_path / "absent")]).contexts == {}


def test_an_unknown_context_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(PermanentError) as caught:
        access_of(read(tmp_path), "three", {})
    assert caught.value.hint == "known contexts: one"


def test_the_variable_names_the_files_and_home_is_the_default() -> None:
    assert kubeconfig_paths({"KUBECONFIG": f"/a{os.pathsep}{os.pathsep}/b", "HOME": "/h"}) == ["/a", "/b"]
    assert kubeconfig_paths({"HOME": "/h"}) == ["/h/.kube/config"]


PROXIES: dict[str, tuple[dict[str, str], str, str]] = {
    "none set": ({}, "https://api.example.com", ""),
    "for https": ({"HTTPS_PROXY": "http://p:3128"}, "https://api.example.com", "http://p:3128"),
    "without scheme": ({"https_proxy": "p:3128"}, "https://api.example.com", "http://p:3128"),
    "exempt by suffix": ({"HTTPS_PROXY": "p:1", "NO_PROXY": "x,.example.com"}, "https://api.example.com", ""),
    "exempt by network": ({"HTTPS_PROXY": "p:1", "NO_PROXY": "10.0.0.0/8"}, "https://10.1.2.3:6443", ""),
    "exempt by star": ({"HTTPS_PROXY": "p:1", "NO_PROXY": "*"}, "https://api.example.com", ""),
    "not exempt": ({"HTTPS_PROXY": "p:1", "NO_PROXY": "ample.com"}, "https://api.example.com", "http://p:1"),
    "never for this machine": ({"HTTPS_PROXY": "p:1"}, "https://127.0.0.1:6443", ""),
}


@pytest.mark.parametrize("case", PROXIES)
def test_proxies_of_the_environment(tmp_path: Path, case: str) -> None:
    environ, server, want = PROXIES[case]
    assert access_of(read(tmp_path, cluster={"server": server}), "one", environ).proxy == want


def test_a_pod_uses_its_service_account(tmp_path: Path) -> None:
    environ = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "6443"}
    assert not is_in_cluster(environ, str(tmp_path))
    with pytest.raises(PermanentError, match="does not run in a pod"):
        in_cluster_access(environ, str(tmp_path))
    (tmp_path / "token").write_text("t")
    (tmp_path / "namespace").write_text("team-a\n")
    access = in_cluster_access(environ, str(tmp_path))
    assert access.server == "https://[fd00::1]:6443"
    assert access.namespace == "team-a"
    assert access.token_file == str(tmp_path / "token")
