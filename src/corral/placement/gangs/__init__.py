"""Where a whole gang goes, or why it goes nowhere: `plan(fleet, gang, policy)`."""

from corral.placement.gangs.planning import plan

__all__ = ["plan"]
