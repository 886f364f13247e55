"""How one waits for a server: lists that are gathered, watches that begin anew, and what is said meanwhile."""
