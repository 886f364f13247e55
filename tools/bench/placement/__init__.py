"""What the placement engine makes of published traces, beside the published scheduler, and how fast it is."""
