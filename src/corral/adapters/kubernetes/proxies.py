"""Which HTTP proxy stands between us and a server, from a kubeconfig or the environment. Pure."""

from collections.abc import Mapping

from corral.adapters.kubernetes.addresses import address_of
from corral.errors import PermanentError


def proxy_for(server: str, configured: str, environ: Mapping[str, str]) -> str:
    """Returns the proxy's URL or "": the configured one, else HTTPS_PROXY or HTTP_PROXY unless NO_PROXY exempts us.

    The machine itself is never reached by a proxy. Only HTTP proxies are spoken; anything else is refused, since going
    directly would be a silent detour.
    """
    if configured:
        return _checked(configured)
    address = address_of(server)
    name = "https_proxy" if address.scheme == "https" else "http_proxy"
    found = environ.get(name) or environ.get(name.upper()) or ""
    exempt = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    if not found or _is_loopback(address.host) or _is_exempt(address.host, exempt):
        return ""
    return _checked(found if "://" in found else f"http://{found}")


def _checked(proxy: str) -> str:
    if address_of(proxy).scheme != "http":
        hint = "an http:// proxy works; or reach the server without one (NO_PROXY)"
        raise PermanentError("unsupported-proxy", f"the proxy {proxy} is not an HTTP proxy", hint=hint)
    return proxy


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    from ipaddress import ip_address  # only where there is a proxy

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _is_exempt(host: str, exempt: str) -> bool:
    return any(_matches(host, entry.strip()) for entry in exempt.split(",") if entry.strip())


def _matches(host: str, entry: str) -> bool:
    if entry == "*":
        return True
    from ipaddress import ip_address, ip_network

    try:
        return ip_address(host) in ip_network(entry, strict=False)
    except ValueError:
        suffix = entry.lstrip("*").lstrip(".")
        return host == suffix or host.endswith("." + suffix)
