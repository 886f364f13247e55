"""Pods that shall end: how many to run, which count, and when a Job is done or has failed."""
