"""The way of an account with exactly some rights to a real server: through a proxy that writes down its calls.

The first creation of every kind of object loses its answer, so that whoever works there has to look whether it is there.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from corral.adapters.kubernetes.access import Access
from corral.control.rights import Right, cluster_role
from corral.kinds.references import ApiResource, ObjectKey
from corral.kinds.well_known import SERVICE_ACCOUNT
from corral.testing.fault_proxy import CutAfterForwarding, Fault, FaultProxy, Seen
from tests.training.operator.asked_rights import Use, use_of
from tests.training.stage import Stage

CLUSTER_ROLE = ApiResource("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", namespaced=False)
CLUSTER_ROLE_BINDING = ApiResource(
    "rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", namespaced=False
)
ACCOUNT = "restricted"


@contextmanager
def restricted_way(access: Access, stage: Stage, rights: Sequence[Right]) -> Iterator[FaultProxy]:
    """Yields a proxy behind which everybody has these rights and no others."""
    name = stage.namespace
    stage.make(SERVICE_ACCOUNT, ACCOUNT)
    stage.client.create(CLUSTER_ROLE, cluster_role(name, rights))
    account = {"kind": "ServiceAccount", "name": ACCOUNT, "namespace": name}
    given = {"apiGroup": CLUSTER_ROLE.group, "kind": CLUSTER_ROLE.kind, "name": name}
    stage.client.create(CLUSTER_ROLE_BINDING, {"metadata": {"name": name}, "roleRef": given, "subjects": [account]})
    with proxy_thread(restricted(access, stage)) as proxy:
        yield proxy
    for resource in (CLUSTER_ROLE_BINDING, CLUSTER_ROLE):
        stage.client.delete(resource, ObjectKey("", name))


def restricted(access: Access, stage: Stage) -> Access:
    """Returns the access of the account."""
    asked = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "metadata": {"name": ACCOUNT, "namespace": stage.namespace},
        "spec": {"expirationSeconds": 3600},
    }
    token = stage.client.create(SERVICE_ACCOUNT, asked, subresource="token")["status"]["token"]
    trust = msgspec.structs.replace(access.tls, certificate_data=b"", certificate_file="", key_data=b"", key_file="")
    return Access(access.server, tls=trust, token=token, context="restricted")


@contextmanager
def proxy_thread(upstream: Access) -> Iterator[FaultProxy]:
    """Runs a proxy beside a test that has no loop."""
    proxy = FaultProxy(upstream)
    proxy.fault_for = first_creations_lose_their_answers()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(proxy.accept(), loop).result(10)
        yield proxy
        asyncio.run_coroutine_threadsafe(proxy.refuse(), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def first_creations_lose_their_answers() -> Callable[[Seen], Fault]:
    known: set[Use] = set()

    def rule(seen: Seen) -> Fault:
        use = use_of(seen)
        if use is None or use.verb != "create" or use in known or use.resource in ("events", "leases"):
            return None
        known.add(use)
        return CutAfterForwarding()

    return rule
