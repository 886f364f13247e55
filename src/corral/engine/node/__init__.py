"""Plays kubelet towards any Kubernetes API, embedded or real: pods as processes of this machine.

The node is an ordinary client of the API. Each folder answers one question: `membership` who am I, `pods` what runs and
what next, `containers` how it runs, `environment` with which variables, `volumes` with which files, `addressing` where the
others are, `images` what an image name means here, `logs` what was said, `endpoint` who may ask.
"""
