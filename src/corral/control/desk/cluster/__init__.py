"""What an API offers us: who we are there, its nodes and claims, and whether it has what jobs need."""
