"""A Kubernetes API server: the wire protocol on one side, SQLite on the other.

It imports only `corral.kinds`, `corral.errors` and its own libraries. A difference from a real kube-apiserver in what
it supports is a bug; what it does not support is answered with a clear Status, never with silence.
"""
