"""Copying between this machine and the containers of jobs."""
