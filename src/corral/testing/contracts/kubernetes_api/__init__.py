"""The Kubernetes API as a contract: one suite that a real kube-apiserver and the embedded one both have to pass.

A story (`story`) is a list of requests, kubectl calls and waits, kept as data. It is played (`playing`) to a server,
and what comes back is written down with everything random masked (`masking`). The transcripts of a real server are kept
in `recorded/`, so that the embedded server is held to them even where no real one can run, and a real one is held to
them as well, so that they cannot go stale. Most stories come from a matrix (`matrix`): every kind in the real server's
discovery, times every verb, times its options. `differences` is the only place where the two servers may disagree.
"""
