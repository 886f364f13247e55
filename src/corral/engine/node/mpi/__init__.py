"""How launchers of MPI reach their workers on one machine: without ssh, without `kubectl`, and with nothing on the network.

A worker that only waits runs `door`; `exec_agent` stands in for `ssh` and `kubectl` in the launcher and hands commands to it.
These programs run inside of containers, with the standard library alone; `roles` and `surroundings` are the node's side.
"""
