"""A page on this machine that shows one text, for as long as somebody serves it."""
