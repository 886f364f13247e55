"""Measures the embedded API server next to etcd + kube-apiserver: same machine, same client, same run.

The order of the files is the order of the story: `wire` is the client and `pods` what it sends; `sides` are the two
servers and `processes` what they cost; `jobs` is what one client does, `crew` sixteen of them, `watchers` the fifty who
listen; `measures` puts these together, round by round and side by side; `results` and `report` say what came out.
"""
