"""`make demo-durability`: an API that starts in half a second, and that `kill -9` cannot make forget or repeat anything.

It runs in a folder of its own, never looks at the user's kubeconfig, and cleans up also when it is interrupted.
"""

import os
import signal
import sys
import threading
import time
from typing import Any

from corral import assembly
from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.sync_client import SyncClient
from corral.engine.overview import look
from corral.engine.supervisor.home import default_home
from corral.errors import RetryError
from corral.kinds.documents import load_documents
from corral.kinds.references import ObjectKey
from corral.kinds.well_known import CONFIG_MAP, POD
from corral.ports.object_store import Change, Patch, Scope, Start
from corral.ports.refusals import UnreachableError
from tools.demo.stage import ROOT, perform, say, title
from tools.patience import wait_for

MANIFEST = ROOT / "examples" / "00-first-manifest" / "team.yaml"
RECIPE = ObjectKey("vision", "recipe")
JOB = "evaluate"
STEPS = 600
KILLED_AT = (100, 280, 460)


def play() -> int:
    """Shows the scenes."""
    title("1. Start a Kubernetes API and its controllers: no Docker, no cluster, one SQLite file")
    up = assembly.start_embedded(no_node=True)
    say(f"{up.address} answers after {up.seconds * 1000:.0f} ms")
    access = assembly.embedded_access()
    with SyncClient(access) as client:
        title("2. Apply a manifest through our own client")
        apply_manifest(client)
        title(f"3. Write {STEPS} times, watch from a second connection, and kill -9 the API on the way")
        watcher = Watcher(access, revision_of(client))
        acknowledged = write_and_kill(client, access)
        watcher.wait_until_seen(acknowledged[-1])
        title("4. Compare what was acknowledged, what is stored, and what the watch saw")
        is_whole = compare(client, acknowledged, watcher)
    title("5. Stop")
    say("stopped " + ", ".join(assembly.stop_embedded()))
    print("\nNothing was lost and nothing came twice." if is_whole else "\nSOMETHING WAS LOST: please report this.")
    print("Next: make a Corral of your own with the lines under Quickstart in README.md, and use kubectl as ever.")
    return 0 if is_whole else 1


def apply_manifest(client: SyncClient) -> None:
    """Applies every document of the manifest and says what came of it."""
    catalogue = client.catalogue()
    say(f"the API serves {len(catalogue.served)} kinds of resources")
    for document in load_documents(MANIFEST.read_bytes(), source=MANIFEST.name):
        manifest = document.value
        resource = catalogue.for_kind(manifest["apiVersion"], manifest["kind"])
        key = ObjectKey(manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"])
        stored = client.patch(resource, key, Patch("apply", manifest))
        say(f"{resource.qualified}/{key.name} applied at revision {stored['metadata']['resourceVersion']}")
    made = pods_of_the_job(client)
    say(f"the controllers made {len(made)} pods for jobs/{JOB}: {', '.join(made)}")
    phase = client.get(POD, ObjectKey("vision", "trainer"))["status"]["phase"]
    say(f"pods are {phase}: this demo runs without a node")


def pods_of_the_job(client: SyncClient, seconds: float = 20.0) -> list[str]:
    """Returns the names of the Job's pods once the controllers, which start beside the API, have made them."""
    scope = Scope(namespace="vision", labels=f"batch.kubernetes.io/job-name={JOB}")
    found = wait_for(f"2 pods of jobs/{JOB}", lambda: client.list(POD, scope), lambda pods: len(pods) == 2, seconds)
    return sorted(pod["metadata"]["name"] for pod in found)


def revision_of(client: SyncClient) -> str:
    """Returns the present revision of the ConfigMap, from which the watch begins."""
    return str(client.get(CONFIG_MAP, RECIPE)["metadata"]["resourceVersion"])


def write_and_kill(client: SyncClient, access: Access) -> list[int]:
    """Counts a ConfigMap up, killing the API on the way; returns the steps that were acknowledged, in order."""
    acknowledged: list[int] = []
    killers = []
    for step in range(1, STEPS + 1):
        if step in KILLED_AT:
            killers.append(threading.Thread(target=kill_api, args=(access, step - 1)))
            killers[-1].start()
        write(client, step)
        acknowledged.append(step)
    for killer in killers:
        killer.join()
    return acknowledged


def write(client: SyncClient, step: int) -> None:
    """Writes one step until it is acknowledged; writing the same value again changes nothing, so repeating is safe."""
    while True:
        try:
            client.patch(CONFIG_MAP, RECIPE, Patch("merge", {"data": {"step": str(step)}}))
            return
        except RetryError:
            continue


def kill_api(access: Access, writes: int) -> None:
    """Kills the API server the hard way and says when it answers again."""
    pid = next(line.pid for line in look(default_home()).processes if line.name == "api")
    began = time.perf_counter()
    os.kill(pid, signal.SIGKILL)
    with SyncClient(access) as client:
        client.raw("GET", "/readyz")
    say(f"after {writes} writes: kill -9 {pid}; answering again {(time.perf_counter() - began) * 1000:.0f} ms later")


class Watcher:
    """Follows the ConfigMap on a connection of its own; when the stream breaks, it goes on from the last revision."""

    def __init__(self, access: Access, revision: str) -> None:
        self.seen: list[int] = []
        self.resumed = -1
        self._access = access
        self._revision = revision
        self._changed = threading.Condition()
        threading.Thread(target=self._follow, daemon=True).start()

    def wait_until_seen(self, step: int, seconds: float = 10.0) -> None:
        """Waits until the watch has delivered a step, or gives up: the comparison will tell."""
        with self._changed:
            self._changed.wait_for(lambda: self.seen[-1:] == [step], timeout=seconds)

    def _follow(self) -> None:
        while True:
            self.resumed += 1
            try:
                with SyncClient(self._access) as client:
                    scope = Scope(namespace=RECIPE.namespace, fields=f"metadata.name={RECIPE.name}")
                    for changes in client.watch(CONFIG_MAP, scope, Start(self._revision), dict[str, Any]):
                        for change in changes:
                            self._take(change)
            except UnreachableError:
                continue

    def _take(self, change: Change[dict[str, Any]]) -> None:
        with self._changed:
            if change.object is None:
                self._revision = change.revision
            else:
                self._revision = change.object["metadata"]["resourceVersion"]
                self.seen.append(int(change.object["data"]["step"]))
            self._changed.notify_all()


def compare(client: SyncClient, acknowledged: list[int], watcher: Watcher) -> bool:
    """Says what is stored and what was seen; tells whether nothing is missing and nothing is doubled."""
    stored = int(client.get(CONFIG_MAP, RECIPE)["data"]["step"])
    say(f"acknowledged  {len(acknowledged)} writes, the last is step {acknowledged[-1]}")
    say(f"stored        step {stored}")
    say(
        f"watched       {len(watcher.seen)} events, resumed {watcher.resumed} times, in order and each once: "
        f"{'yes' if watcher.seen == acknowledged else 'NO'}"
    )
    return stored == acknowledged[-1] and watcher.seen == acknowledged


if __name__ == "__main__":
    sys.exit(perform(play))
