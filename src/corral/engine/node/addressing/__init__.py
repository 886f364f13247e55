"""Where the others are: one loopback port for every port of a Service, and the translation of names into it.

The API holds the addresses of a cluster. Only at the start of a process are they replaced by those of this machine: what a
framework tells its pods by calling the framework again, everything else as text.
"""
