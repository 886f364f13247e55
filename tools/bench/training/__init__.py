"""Measures the training operator on a real control plane: how fast, how cheap, how quiet, and how soon back.

`manifests` is what is submitted and `cluster` the control plane with its counts; `operators` are ours and, when there is one,
the peer; `raw` is what the API server can do when nobody thinks; `measures` puts these together, `report` says what came out.
"""
