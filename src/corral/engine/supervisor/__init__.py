"""Keeps the processes of one machine alive: binds the address, starts the children, restarts each alone.

Standard library only and small, because it runs for as long as Corral does. It knows nothing of what its children do:
`assembly` hands it a plan of names and command lines. It holds the listening socket itself, so that clients wait for
the few hundred milliseconds of a restart instead of being refused.

A killed supervisor leaves its children serving; the next `corral up` ends them in order and takes over, and
`corral down` ends them too. Both go by pid and start time, so a reused pid is never signalled. A supervisor whose home
is removed ends its children and itself.
"""
