"""Probes and hooks of containers: what they do, when they are asked, and what their answers mean. Knows no pods."""
