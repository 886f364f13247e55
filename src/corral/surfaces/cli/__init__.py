"""The command line. It translates words into use cases of `assembly` and their results into text; it decides nothing.

Start-up is a promise (`--help` in under 120 ms): commands are imported only when called, and asyncio, dataclasses,
logging, msgspec, YAML and every HTTP library stay out of the way of those that do not need them.
"""
