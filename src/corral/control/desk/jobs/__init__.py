"""How a job is: its line, its pods, its story, what was said about it, and where its TensorBoard is."""
