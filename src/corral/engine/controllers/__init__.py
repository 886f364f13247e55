"""The few built-in controllers that a small cluster needs; ordinary clients of a Kubernetes API."""
