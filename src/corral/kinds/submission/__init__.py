"""Which objects a submission is: a frozen value in, Kubernetes objects out. Pure; every surface makes the same value.

Read `submission.py`, then `objects.py`, then one of `frameworks/`, which hold what distinguishes the types of jobs.
"""
