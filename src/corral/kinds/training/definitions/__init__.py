"""How the training kinds are made known to a server: definitions generated from their types, never written by hand."""

from corral.kinds.training.definitions.definition import definitions

__all__ = ["definitions"]
