"""How one waits for a server: watches that begin anew with a list, and what is said meanwhile."""
