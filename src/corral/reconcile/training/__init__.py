"""What a training job needs next, the same for every framework: a pure function from the observed world to a plan."""
