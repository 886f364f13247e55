"""Completion in shells: the scripts, and the answers to their questions.

A TAB must feel instant and must not disturb: only the one command that is being typed is imported, an API is asked for
names within half a second or not at all, nothing is ever started, and whatever goes wrong completes nothing.
"""
