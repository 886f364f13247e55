"""What can be typed behind a flag, and what it means: times, forms of answers, types of jobs."""
