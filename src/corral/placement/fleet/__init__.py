"""What is left where: nodes and GPUs as arrays, what is held on them, drafts that undo themselves, rules of nodes.

Knows asks and offers only. What a place costs is not known here: the rooms above keep their figures in tables that follow the
log of changed rows.
"""

from corral.placement.fleet.drafts import Draft
from corral.placement.fleet.fleet import Fleet, Hold
from corral.placement.fleet.rules import Expression, RuleSet, Toleration

__all__ = ["Draft", "Expression", "Fleet", "Hold", "RuleSet", "Toleration"]
