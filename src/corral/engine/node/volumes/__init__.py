"""With which files a container runs: the volumes of a pod as folders of this machine, and where containers see them.

`references` tells what must be fetched, `plan` where each volume is, `payload` what is in those that are made of objects,
`setting_up` makes them, `mounts` says what each container sees, `translation` is for machines on which a container cannot
have paths of its own, `removal` takes away what belonged to the pod alone. Groups (`fsGroup`) mean nothing here, because
every container runs as the user.
"""
