"""A node that runs nothing: it registers, answers for logs, and lets pods live through a script.

    with hollow_node_thread(access, Script(parts=(("*-launcher-*", Part(exit_codes=(1, 0))),)), namespace="team"):
        ...

It is a client of the API like a kubelet is, so it joins the embedded server and a real one alike.
"""

from corral.engine.fake_nodes.part import Part
from corral.testing.hollow_node.log_book import LogBook
from corral.testing.hollow_node.node import HollowNode, hollow_node_thread
from corral.testing.hollow_node.script import Script

__all__ = ["HollowNode", "LogBook", "Part", "Script", "hollow_node_thread"]
