"""The machine itself: its clocks and its randomness."""
