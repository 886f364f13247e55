"""Queues and quotas as objects of a server: followed, told to the desk, and told how they stand. Decides nothing."""
