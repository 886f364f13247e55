"""What runs and what next: the life of a pod as pure steps, and the loop that carries them out."""
