"""Credential plugins (client.authentication.k8s.io): how cloud vendors sign their users in.

The command gets an ExecCredential in KUBERNETES_EXEC_INFO and prints another one with a token or a certificate. It is
run as an argument list, with our environment plus its own, a time limit, and its stderr shown to the user.
"""

import os
from base64 import b64encode
from typing import Any

import msgspec

from corral.adapters.kubernetes.access import Access, ExecPlugin
from corral.errors import PermanentError, RetryError

VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
_LIMIT = 60.0


class PluginCredentials(msgspec.Struct, frozen=True, rename={"expires": "expirationTimestamp"}):
    """What a plugin gave us."""

    token: str = ""
    certificate: str = msgspec.field(default="", name="clientCertificateData")
    key: str = msgspec.field(default="", name="clientKeyData")
    expires: str = ""


class _ExecCredential(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""
    status: PluginCredentials | None = None


_OTHERWISE = "it is named in the kubeconfig: install it, sign in again, or choose another context"


def run_plugin(plugin: ExecPlugin, access: Access, environ: dict[str, str]) -> PluginCredentials:
    """Runs the command and returns its credentials; every way to fail is one sentence with the plugin's own hint."""
    import subprocess  # most users have no plugin, and the command line starts faster without

    interactive = _is_interactive(plugin)
    child = environ | dict(plugin.env) | {"KUBERNETES_EXEC_INFO": _exec_info(plugin, access, interactive)}
    try:
        done = subprocess.run(
            [plugin.command, *plugin.args],
            env=child,
            stdin=None if interactive else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RetryError("plugin-failed", f"{plugin.command} gave no credentials in {_LIMIT:g} s") from error
    except OSError as error:
        message = f"the credential plugin {plugin.command} cannot be run: {error.strerror}"
        raise PermanentError("plugin-failed", message, hint=plugin.install_hint or _OTHERWISE) from error
    if done.returncode != 0:
        message = f"the credential plugin {plugin.command} ended with exit code {done.returncode}"
        raise PermanentError("plugin-failed", message, hint=plugin.install_hint or _OTHERWISE)
    return _read(plugin, done.stdout)


def _is_interactive(plugin: ExecPlugin) -> bool:
    if plugin.interactive_mode == "Never":
        return False
    available = os.isatty(0)
    if plugin.interactive_mode == "Always" and not available:
        raise PermanentError("plugin-failed", f"{plugin.command} needs a terminal to ask you, and there is none")
    return available


def _exec_info(plugin: ExecPlugin, access: Access, interactive: bool) -> str:
    spec: dict[str, Any] = {"interactive": interactive}
    if plugin.provide_cluster_info:
        spec["cluster"] = _cluster(access)
    info = {"apiVersion": plugin.api_version, "kind": "ExecCredential", "spec": spec}
    return msgspec.json.encode(info).decode()


def _cluster(access: Access) -> dict[str, Any]:
    tls = access.tls
    authority = tls.authority_data
    if not authority and tls.authority_file:
        with open(tls.authority_file, "rb") as file:
            authority = file.read()
    cluster = {
        "server": access.server,
        "tls-server-name": tls.server_name,
        "insecure-skip-tls-verify": not tls.verify,
        "certificate-authority-data": b64encode(authority).decode(),
        "proxy-url": access.proxy,
    }
    return {name: value for name, value in cluster.items() if value}


def _read(plugin: ExecPlugin, output: bytes) -> PluginCredentials:
    try:
        credential = msgspec.json.decode(output, type=_ExecCredential)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise PermanentError(
            "bad-plugin-answer", f"{plugin.command} printed something that is not an ExecCredential: {error}"
        ) from error
    if credential.api_version != plugin.api_version:
        message = f"{plugin.command} answered in {credential.api_version or 'no version'}, not in {plugin.api_version}"
        raise PermanentError("bad-plugin-answer", message)
    status = credential.status or PluginCredentials()
    if not status.token and not (status.certificate and status.key):
        raise PermanentError(
            "bad-plugin-answer", f"{plugin.command} printed neither a token nor a certificate with key"
        )
    return status
