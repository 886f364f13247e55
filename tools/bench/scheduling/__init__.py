"""How fast the scheduler binds on a real API server, next to kube-scheduler on a server of the same kind in the same run."""
