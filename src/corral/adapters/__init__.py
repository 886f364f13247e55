"""The only code that touches the outside world, one folder per outside system; adapters do not know one another."""
