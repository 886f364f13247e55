"""How a cluster refuses wrong training jobs: admission policies written from the same rules that are worked out here."""

from corral.kinds.training.policies.policy import policies

__all__ = ["policies"]
