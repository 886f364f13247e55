"""Examines the machine and the home of the embedded cluster, and says what is wrong and what to do about it.

Every check is a small function that returns one finding and changes nothing.
"""
