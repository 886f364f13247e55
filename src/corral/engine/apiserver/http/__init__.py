"""The HTTP edge: what a request means (path, query, accepted form, body), and how an answer is written.

Nothing here knows a kind or touches the store.
"""
