"""The scheduler as a loop on a Kubernetes API: pods and nodes become asks and offers, placement decides, the ledger keeps, binds
carry out. Begin with `scheduler.py`.

Nothing here decides where a pod goes: that is `placement`. Nothing below `scheduler.py`, `ledger_keeper.py`, `binding.py` and
`telling.py` talks to the API; the rest is pure.
"""
