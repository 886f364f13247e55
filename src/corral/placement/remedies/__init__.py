"""Why a gang waits, and the smallest changes that would let it start, each tried by running the engine on the changed state.

A *remedy* is a set of *parts*: one rule dropped, two GPUs freed on a node, a job ended. It is offered only when the engine starts the
gang with it, and does not when any part is left out or any number is lowered by one. Begin with `explanation.py`; `search.py` says
in which order sets are tried. Nothing here copies the fleet: every trial is a draft that is undone.
"""
