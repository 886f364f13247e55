"""What an admission leaves behind: the place it gave, and all that this rests on; and a small reader that checks it.

The reader shares nothing with the engine but the values that both speak of, so that a mistake of one is found by the other.
"""
