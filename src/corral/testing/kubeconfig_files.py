"""Kubeconfig files for child processes of tests, written from the way a test itself reaches a server."""

import json
from pathlib import Path

from corral.adapters.kubernetes.access import Access


def written_kubeconfig(access: Access, path: Path) -> Path:
    """Writes a file with one context for a server that is reached with a token, and returns its path."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "test",
        "clusters": [{"name": "test", "cluster": {"server": access.server}}],
        "users": [{"name": "test", "user": {"token": access.token}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
    }
    path.write_text(json.dumps(config))
    return path
