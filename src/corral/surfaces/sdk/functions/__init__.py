"""A Python function as a job: its source and its modules as files, its arguments as JSON, its result as a line of a log.

Nothing is pickled: what is sent can be read, and what cannot be said as source or JSON is refused before anything is sent.
"""
