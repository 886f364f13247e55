"""So many pods of one template: which to make, which to give up, and what to tell about them."""
