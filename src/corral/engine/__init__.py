"""What stands in for a cluster on one machine. Nothing above knows that it is there; only `assembly` imports it."""
