"""How a job comes to be: by a submission, once more, or on a schedule."""
