"""Who gives way for others, carried out: placement decides who, this room writes it down first, and then does it until it is done.

Begin with `giving_way.py`; `intents.py`, `jobs.py` and `memory.py` are pure.
"""
