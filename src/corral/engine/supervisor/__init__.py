"""Keeps the processes of one machine alive."""
