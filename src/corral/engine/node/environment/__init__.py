"""With which variables a container runs: values, references and service links, in the order and words of kubelet.

Everything here is pure. `references` tells which objects a pod's variables need; `resolution` decides the variables with
what was fetched; `commands` writes them into command and args; `inheritance` says what comes from the user's environment.
"""
