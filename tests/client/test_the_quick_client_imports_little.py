"""The command line pays for every import, so the synchronous client may load only what it needs."""

import subprocess
import sys

FORBIDDEN = (
    "aiohttp",
    "asyncio",
    "dataclasses",
    "email",
    "encodings.idna",
    "http.client",
    "importlib.metadata",
    "logging",
    "random",
    "ssl",
    "subprocess",
    "tempfile",
    "yaml",
)


def test_the_synchronous_client_loads_no_slow_module() -> None:
    program = (
        "import sys, corral.adapters.kubernetes.sync_client, corral.adapters.kubernetes.kubeconfig, "
        "corral.adapters.kubernetes.context_choice, corral.adapters.kubernetes.in_cluster\n"
        f"print([name for name in {FORBIDDEN!r} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
