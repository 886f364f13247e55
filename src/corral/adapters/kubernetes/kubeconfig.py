"""Kubeconfig files: merged as kubectl merges them, and turned into an `Access` for one context.

A file that starts with `{` is read as JSON, without loading a YAML parser: the embedded server writes its own that way.
Merging: of every named entry and of current-context the first file that has it wins; paths are relative to their file.
"""

import os
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from corral.adapters.kubernetes.access import Access, ExecPlugin, Tls
from corral.adapters.kubernetes.exec_plugin import VERSIONS
from corral.adapters.kubernetes.proxies import proxy_for
from corral.errors import PermanentError

_SIZE_LIMIT = 16 * 1024 * 1024


class UnusableKubeconfigError(PermanentError):
    """A kubeconfig is not there, or says nothing that could be used."""

    def __init__(self, code: str, message: str) -> None:
        hint = "`corral config view --show-origin` tells which kubeconfig counts, `corral use` which contexts there are"
        super().__init__(code, message, hint=hint)


class Kubeconfig(NamedTuple):
    """Several files as one: entries by name."""

    current: str
    clusters: Mapping[str, Mapping[str, Any]]
    users: Mapping[str, Mapping[str, Any]]
    contexts: Mapping[str, Mapping[str, Any]]
    sources: tuple[str, ...]


NO_KUBECONFIG = Kubeconfig("", {}, {}, {}, ())


def kubeconfig_paths(environ: Mapping[str, str]) -> list[str]:
    """Returns the files that count: those in KUBECONFIG, else the one in the home directory."""
    listed = [path for path in environ.get("KUBECONFIG", "").split(os.pathsep) if path]
    if listed:
        return listed
    home = environ.get("HOME") or os.path.expanduser("~")
    return [os.path.join(home, ".kube", "config")]


def read_kubeconfig(paths: Sequence[str], *, must_exist: bool = False) -> Kubeconfig:
    """Reads and merges the files; absent ones do not count unless they must exist."""
    merged = NO_KUBECONFIG
    for path in paths:
        try:
            with open(path, "rb") as file:
                content = file.read(_SIZE_LIMIT)
        except FileNotFoundError as error:
            if must_exist:
                raise UnusableKubeconfigError("no-kubeconfig", f"there is no kubeconfig {path}") from error
            continue
        except OSError as error:
            raise UnusableKubeconfigError(
                "no-kubeconfig", f"the kubeconfig {path} cannot be read: {error.strerror}"
            ) from error
        merged = _merged(merged, _parsed(content, path), path)
    return merged


def _parsed(content: bytes, path: str) -> Mapping[str, Any]:
    if content.lstrip()[:1] == b"{":
        try:
            document = msgspec.json.decode(content)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise UnusableKubeconfigError("bad-kubeconfig", f"the kubeconfig {path} is not JSON: {error}") from error
    else:
        from corral.kinds.documents import Limits, load_document  # costs as much as everything else together

        document = load_document(content, source=path, limits=Limits(size=_SIZE_LIMIT)) or {}
    if not isinstance(document, dict):
        raise UnusableKubeconfigError("bad-kubeconfig", f"the kubeconfig {path} is not a mapping")
    return document


def _merged(before: Kubeconfig, document: Mapping[str, Any], path: str) -> Kubeconfig:
    return Kubeconfig(
        before.current or str(document.get("current-context") or ""),
        {**_entries(document, "clusters", "cluster", path), **before.clusters},
        {**_entries(document, "users", "user", path), **before.users},
        {**_entries(document, "contexts", "context", path), **before.contexts},
        (*before.sources, path),
    )


_PATHS = ("certificate-authority", "client-certificate", "client-key", "tokenFile")


def _entries(document: Mapping[str, Any], plural: str, singular: str, path: str) -> dict[str, dict[str, Any]]:
    """Returns the entries of one list; the first of a name wins, and relative paths become absolute."""
    folder = os.path.dirname(os.path.abspath(path))
    found: dict[str, dict[str, Any]] = {}
    listed = document.get(plural) or []
    if not isinstance(listed, list):
        raise UnusableKubeconfigError("bad-kubeconfig", f"{plural} is not a list in the kubeconfig {path}")
    for entry in listed:
        body = entry.get(singular) if isinstance(entry, dict) else None
        if not isinstance(body, dict | None) or not isinstance(entry, dict) or not entry.get("name"):
            raise UnusableKubeconfigError(
                "bad-kubeconfig", f"{plural} has an entry without name in the kubeconfig {path}"
            )
        placed = dict(body or {})
        for field in _PATHS:
            if placed.get(field):
                placed[field] = os.path.join(folder, placed[field])
        placed["(folder)"] = folder
        found.setdefault(str(entry["name"]), placed)
    return found


def access_of(config: Kubeconfig, context: str, environ: Mapping[str, str]) -> Access:
    """Returns how to reach the API of one context."""
    where = config.contexts.get(context)
    if where is None:
        raise unknown_context(context, config)
    cluster = config.clusters.get(where.get("cluster", ""))
    if cluster is None or not cluster.get("server"):
        raise UnusableKubeconfigError("bad-kubeconfig", f'the context "{context}" names no cluster with a server')
    user_name = where.get("user", "")
    user = config.users.get(user_name, {})
    if user_name and user_name not in config.users:
        raise UnusableKubeconfigError(
            "bad-kubeconfig", f'the context "{context}" names the user "{user_name}", which is absent'
        )
    server, name_in_server, password_in_server = _without_user(str(cluster["server"]).rstrip("/"))
    return Access(
        server=server,
        tls=_tls(cluster, user),
        token="" if user.get("tokenFile") else str(user.get("token") or ""),
        token_file=str(user.get("tokenFile") or ""),
        username=str(user.get("username") or name_in_server),
        password=str(user.get("password") or password_in_server),
        plugin=_plugin(user, user_name),
        namespace=str(where.get("namespace") or "default"),
        context=context,
        proxy=proxy_for(server, str(cluster.get("proxy-url") or ""), environ),
        impersonate=_impersonation(user),
        user=user_name,
    )


def _without_user(server: str) -> tuple[str, str, str]:
    """Takes name and password out of an address, so that they are shown as credentials and never in a message."""
    if "@" not in server:
        return server, "", ""
    from urllib.parse import unquote, urlsplit  # few addresses are so

    parts = urlsplit(server)
    if parts.username is None:
        return server, "", ""
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return bare, unquote(parts.username), unquote(parts.password or "")


def unknown_context(context: str, config: Kubeconfig) -> PermanentError:
    """Returns the error for a context that no file has; the hint lists what there is."""
    known = ", ".join(sorted(config.contexts)) or "none"
    return PermanentError("unknown-context", f'there is no context "{context}"', hint=f"known contexts: {known}")


def _tls(cluster: Mapping[str, Any], user: Mapping[str, Any]) -> Tls:
    return Tls(
        authority_data=_inline(cluster, "certificate-authority-data"),
        authority_file=str(cluster.get("certificate-authority") or ""),
        verify=not cluster.get("insecure-skip-tls-verify"),
        server_name=str(cluster.get("tls-server-name") or ""),
        certificate_data=_inline(user, "client-certificate-data"),
        certificate_file=str(user.get("client-certificate") or ""),
        key_data=_inline(user, "client-key-data"),
        key_file=str(user.get("client-key") or ""),
    )


def _inline(entry: Mapping[str, Any], field: str) -> bytes:
    try:
        return b64decode(entry.get(field) or "", validate=False)
    except (Base64Error, ValueError, TypeError) as error:
        raise UnusableKubeconfigError("bad-kubeconfig", f"{field} is not base64") from error


def _plugin(user: Mapping[str, Any], name: str) -> ExecPlugin | None:
    if user.get("auth-provider"):
        hint = "use the vendor's credential plugin (users[].user.exec) instead"
        raise PermanentError("bad-kubeconfig", f'the user "{name}" has an auth-provider, which is no more', hint=hint)
    described = user.get("exec")
    if not described:
        return None
    version = str(described.get("apiVersion") or "")
    if version not in VERSIONS:
        raise UnusableKubeconfigError(
            "bad-kubeconfig", f'the plugin of the user "{name}" speaks {version or "no version"}'
        )
    command = str(described.get("command") or "")
    if os.sep in command and not os.path.isabs(command):
        command = os.path.join(user["(folder)"], command)
    return ExecPlugin(
        version,
        command,
        tuple(str(arg) for arg in described.get("args") or ()),
        tuple((str(pair["name"]), str(pair.get("value", ""))) for pair in described.get("env") or ()),
        str(described.get("installHint") or ""),
        str(described.get("interactiveMode") or "IfAvailable"),
        bool(described.get("provideClusterInfo")),
    )


def _impersonation(user: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    if not user.get("as"):
        return ()
    extras = user.get("as-user-extra") or {}
    if user.get("as-groups") or any(len(values) != 1 for values in extras.values()):
        message = "impersonating groups, or an extra field with several values, is not supported"
        raise UnusableKubeconfigError("bad-kubeconfig", message)
    told = [(f"Impersonate-Extra-{name}", str(values[0])) for name, values in extras.items()]
    return (("Impersonate-User", str(user["as"])), *told)
