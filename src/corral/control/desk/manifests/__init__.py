"""What files say, and what a server makes of it: reading, applying, comparing, deleting."""
