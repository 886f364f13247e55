"""The grammar of paths: one parser for every resource, built-in or custom."""

import pytest

from corral.engine.apiserver.http.target import Target, target_of

NAMED = {
    "a core collection over all namespaces": (b"/api/v1/pods", Target("", "v1", "pods")),
    "a core collection in a namespace": (b"/api/v1/namespaces/a/pods", Target("", "v1", "pods", "a")),
    "one object": (b"/api/v1/namespaces/a/pods/p", Target("", "v1", "pods", "a", "p")),
    "a subresource": (b"/api/v1/namespaces/a/pods/p/status", Target("", "v1", "pods", "a", "p", "status")),
    "a namespace is an object of its own": (b"/api/v1/namespaces/a", Target("", "v1", "namespaces", "", "a")),
    "the status of a namespace": (
        b"/api/v1/namespaces/a/status",
        Target("", "v1", "namespaces", "", "a", "status"),
    ),
    "all namespaces": (b"/api/v1/namespaces", Target("", "v1", "namespaces")),
    "a named group": (
        b"/apis/apps/v1/namespaces/a/deployments/d/scale",
        Target("apps", "v1", "deployments", "a", "d", "scale"),
    ),
    "the old watch prefix": (
        b"/api/v1/watch/namespaces/a/pods",
        Target("", "v1", "pods", "a", watch_prefix=True),
    ),
    "a trailing slash": (b"/api/v1/pods/", Target("", "v1", "pods")),
    "an encoded segment is decoded once": (b"/api/v1/nodes/%252e", Target("", "v1", "nodes", "", "%2e")),
    "an encoded slash stays inside its segment": (b"/api/v1/nodes/a%2Fb", Target("", "v1", "nodes", "", "a/b")),
}


@pytest.mark.parametrize(("path", "want"), NAMED.values(), ids=NAMED.keys())
def test_path_names_a_target(path: bytes, want: Target) -> None:
    assert want == target_of(path)


@pytest.mark.parametrize("path", [b"/", b"/api", b"/api/v1", b"/apis/apps/v1", b"/api/v1//pods", b"/healthz", b""])
def test_other_paths_name_nothing(path: bytes) -> None:
    assert target_of(path) is None
