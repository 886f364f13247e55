"""JSON patch, merge patch and strategic merge patch: pure functions from an object and a patch to a new object."""
