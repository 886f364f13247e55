"""JSON patch, merge patch and strategic merge patch: pure functions from an object and a patch to a new object.

Inputs are decoded JSON and are never changed. Results share every untouched part with the input, because objects are
big and patches are small; whoever receives a result must treat it as frozen, as it treats the input.
"""
