"""The only file that chooses adapters."""
