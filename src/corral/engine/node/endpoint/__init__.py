"""Who may ask, and what is answered: a kubelet's doors over what the node knows of its pods.

The server itself is `corral.adapters.kubelet_api`; here is which run of a container a question means, the words of a
kubelet for what cannot be answered, and figures.
"""
