"""The HTTPS API of a kubelet, as far as API servers and people use it: logs, exec, attach, pods, figures, health.

The server here knows HTTP, WebSockets and who may ask; what is answered is behind `Doors`.
"""
