"""The same fixture as for containers: mounts are seen through containers that use them."""

from tests.node.containers.conftest import launcher

__all__ = ["launcher"]
