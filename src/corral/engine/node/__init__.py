"""Plays kubelet towards any Kubernetes API: pods as processes."""
