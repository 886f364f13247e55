"""Measures the command line as people meet it: whole processes, from the start to the last line, next to kubectl.

`stage` is an API with a thousand jobs; `stopwatch` runs command lines and times them; `lines` are the command lines that are
measured; `gates` judge what came out, `report` shows it.
"""
