"""The same verbs for Python: `Client` and `AsyncClient`, and handles for jobs that notebooks can show.

A verb is written once, in `verbs`, as a piece of work on a `Session` of the desk. The clients differ only in who does it:
`Client` in the thread of its caller, `AsyncClient` in a thread of its own beside the event loop. What is public is listed in
`corral.sdk`.
"""
