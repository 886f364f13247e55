"""What only a node can answer: finding the node of a pod, and passing on what its kubelet endpoint says.

Nothing here decides about pods; the node is asked and its answer is told in the words of a real server.
"""
