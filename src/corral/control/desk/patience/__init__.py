"""How one waits for a server: watches that begin anew with a list, how long it may be away, and what is said meanwhile.

Whoever waits for something to become true waits by `until`; whoever follows what is there, without an end, by `hearing`; and
whoever listens to several things at once by `list_and_watch`, in threads.
"""
