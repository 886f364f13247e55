"""How a job is said in words: the table of flags, and the way from a command line to a `Submission`."""
