"""What the built-in controllers of a small cluster decide: state in, plan out. No loop, no clock, no I/O."""
