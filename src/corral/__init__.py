"""Corral: deep learning on Kubernetes, and on one machine without it."""

__version__ = "0.1.0"
