"""What people ask for: apply, look, follow, wait, delete. Every surface calls these; none of them knows a terminal.

Each use case takes a `Session`, which says where the API is and in whose name a thread may open another connection.
"""
