"""What this machine can do and has: processes, mounts, control groups, capacity. Linux-only calls of the node live here."""
