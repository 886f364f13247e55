"""What is wrong with a training job: the rules as data, and the one place that applies them."""
