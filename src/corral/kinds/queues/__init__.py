"""Queues, by which teams share a cluster: the kind Queue, and the rules by which a wrong one is refused.

What a queue means for whose turn it is stands in `placement/admission/queues.py`; nothing here decides.
"""
