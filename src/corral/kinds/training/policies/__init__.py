"""How a cluster refuses wrong training jobs: admission policies written from the same rules that are worked out here."""

from corral.kinds.training.policies.policy import policies, policies_of

__all__ = ["policies", "policies_of"]
