"""What a place costs: named potentials, one file each, and the policies that weigh them.

A potential is a function from an outlook (nodes, what is left of them, and what is asked) and statistics of the mix to a cost for each
node, or for each of its GPUs. Lower is better; the unit is a thousandth of a GPU lost. A new one is a file here and a line in
`catalogue.py`.
"""

from corral.placement.potentials.policies import Policy, policy

__all__ = ["Policy", "policy"]
