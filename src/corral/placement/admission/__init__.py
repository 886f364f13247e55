"""Whose turn it is: queues with quotas, order, reservation, and who must give way. Pure: `now` is an argument.

Begin with `claims.py` (what waits and what runs), `queues.py` (what a queue may have), then `cycle.py`, whose steps read like a list.
Nothing here knows Kubernetes, nor how a place is chosen: that is asked of a `Room`.
"""
