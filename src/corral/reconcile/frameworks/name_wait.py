"""The init container of PyTorch's workers: it waits until the name of the master resolves.

It uses the image of the training container, which is on the node anyway, so that no job depends on an image of ours or of
anybody else; and it looks names up with whichever of three tools that image has.
"""

from corral.kinds.objects import Object
from corral.kinds.training.job import Place, TrainingJob
from corral.reconcile.frameworks.framework import Setting

NAME = "init-pytorch"

# Written without `$(`, which in a container's command is the API's own syntax; hence tries are counted in letters. The
# address comes with its port because a process node replaces `service:port` by a loopback address, which needs no look-up.
SCRIPT = """\
host=${1%:*}
tried=
knows() {
  if command -v getent >/dev/null 2>&1; then getent hosts "$1" >/dev/null
  elif command -v nslookup >/dev/null 2>&1; then nslookup "$1" >/dev/null 2>&1
  else python3 -c 'import socket, sys; socket.getaddrinfo(sys.argv[1], None)' "$1" 2>/dev/null
  fi
}
case $host in
  *[!0-9.]*) ;;
  *) exit 0 ;;
esac
until knows "$host"; do
  tried=x$tried
  if [ "${#tried}" -ge "$2" ]; then
    echo "$host is still unknown after $2 tries"
    exit 1
  fi
  echo "waiting until $host is known"
  sleep 2
done
"""


def wait_for_master(job: TrainingJob, place: Place, pod: Object, setting: Setting) -> None:
    """Gives a worker the waiting container if there is a master to wait for, after the user's own init containers."""
    spec = pod["spec"]
    present = spec.get("initContainers") or []
    if place.role != "Worker" or not job.count("Master") or any(one.get("name") == NAME for one in present):
        return
    spec["initContainers"] = [*present, _container(job, spec["containers"], setting)]


def _container(job: TrainingJob, containers: list[Object], setting: Setting) -> Object:
    trainer = next((one for one in containers if one.get("name") == job.facts.container), containers[0])
    master = f"{job.child_name('Master', 0)}:{job.port('Master')}"
    container: Object = {
        "name": NAME,
        "image": setting.init_image or trainer.get("image", ""),
        "imagePullPolicy": "IfNotPresent",
        "command": ["sh", "-c", SCRIPT],
        "args": [NAME, master, str(setting.init_tries)],
        "resources": {
            "requests": {"cpu": "50m", "memory": "10Mi"},
            "limits": {"cpu": "100m", "memory": "20Mi"},
        },
    }
    if trainer.get("securityContext"):
        # A namespace that only admits restricted pods looks at every container.
        container["securityContext"] = trainer["securityContext"]
    return container
