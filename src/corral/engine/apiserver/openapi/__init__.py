"""OpenAPI as the server publishes it, versions 2 and 3: for kubectl's explain, apply and validation, and other clients."""

from corral.engine.apiserver.openapi.publication import Publication

__all__ = ["Publication"]
