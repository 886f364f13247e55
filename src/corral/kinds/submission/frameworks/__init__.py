"""One module for each framework: which roles its jobs have, and the few fields that only it knows."""
