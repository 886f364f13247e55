"""Nodes that run nothing, for trying schedulers: a process that registers them and plays the pods bound to them."""
