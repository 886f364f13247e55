"""What becomes of a job that is there: suspended, resumed, scaled, or cleared away."""
