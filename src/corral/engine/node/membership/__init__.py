"""Who am I: the Node of this machine with its true capacity, its heartbeat, and its conditions."""
