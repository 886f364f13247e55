"""The real Kubernetes control plane, as a test fixture.

Everything Corral says about Kubernetes is checked against the real API server, on one machine, without containers.
This package builds etcd and the Kubernetes commands from pinned Go modules (`building`), keeps them in a cache
(`binaries`), and starts them on loopback with certificates of its own (`cluster`). It never reads or writes the
user's kubeconfig, never listens on anything but 127.0.0.1, and never ends a process it did not start.
"""
