"""Server-side apply: who owns which field, and what happens when two managers disagree. Pure functions."""
