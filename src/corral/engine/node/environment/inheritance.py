"""What a container has from the user's own environment: a chosen part, so that programs are found and nothing leaks.

A container runs as the user, in the user's folders, with the user's programs. It needs what leads to those, and not the
tokens and keys that a shell has collected. What a manifest sets wins over all of it.
"""

import re
from collections.abc import Iterable, Mapping

from corral.kinds.objects import Object

NAMES = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR"),
        *("VIRTUAL_ENV", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
        *("CUDA_HOME", "CUDA_PATH", "NVIDIA_DRIVER_CAPABILITIES", "ROCM_PATH"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
        *("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"),
    )
)
PREFIXES = ("LC_", "CONDA_")
PROXIES = frozenset(
    name for low in ("http", "https", "ftp", "all") for name in (f"{low}_proxy", f"{low}_proxy".upper())
)
EXCEPTIONS = ("no_proxy", "NO_PROXY")
DIRECT = ("localhost", "127.0.0.1", "127.0.0.0/8")
"""What is never reached through a proxy: pods and services of this machine are loopback addresses."""

_LONGEST_HOSTNAME = 63
_ends = re.compile(r"[-.]+\Z").sub


def inherited(environment: Mapping[str, str], pod: Object | None = None) -> dict[str, str]:
    """Returns the chosen part of an environment, with the hostname of the pod."""
    chosen = {name: value for name, value in environment.items() if _is_chosen(name)}
    if pod is not None:
        chosen["HOSTNAME"] = hostname_of(pod)
    return with_loopback_direct(chosen)


def hostname_of(pod: Object) -> str:
    """Returns the name that a pod has for itself, short enough for a hostname."""
    name = pod["spec"].get("hostname") or pod["metadata"]["name"]
    return name if len(name) <= _LONGEST_HOSTNAME else _ends("", name[:_LONGEST_HOSTNAME])


def merged(
    lowest: Mapping[str, str], image: Mapping[str, str], variables: Iterable[tuple[str, str, str]]
) -> dict[str, str]:
    """Returns one environment: what is inherited, above it that of the image, above it the container's variables."""
    return with_loopback_direct({**lowest, **image, **{name: value for name, value, _ in variables}})


def with_loopback_direct(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment such that a proxy in it, whoever set it, is not asked for addresses of this machine."""
    changed = dict(environment)
    if not any(changed.get(name) for name in PROXIES):
        return changed
    for name in EXCEPTIONS:
        given = changed.get(name) or next((changed[other] for other in EXCEPTIONS if changed.get(other)), "")
        listed = [part.strip() for part in given.split(",") if part.strip()]
        if "*" not in listed:
            listed += [part for part in DIRECT if part not in listed]
        changed[name] = ",".join(listed)
    return changed


def _is_chosen(name: str) -> bool:
    return name in NAMES or name.startswith(PREFIXES) or name in PROXIES or name in EXCEPTIONS
