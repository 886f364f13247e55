"""A cluster at one moment, apart from the loop: what the scheduler would read of it, as a value, and the same desk and board on it.

`corral why` asks one about a single job, `corral simulate` plays with a whole one. Nothing here reads an API or the time.
"""
