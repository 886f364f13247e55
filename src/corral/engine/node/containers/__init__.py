"""How a container runs: as a process group that outlives the node, known by pid and start time."""
