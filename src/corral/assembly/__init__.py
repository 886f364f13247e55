"""The only place that chooses adapters, and the door through which surfaces reach the embedded engine.

One module for each use. Imports of what only one use case needs stand inside it: `corral up` must not pay for SQLite, nor
`status` for the checks of `doctor`.
"""

from corral.assembly.desk import open_session
from corral.assembly.embedded import (
    Up,
    embedded_access,
    embedded_overview,
    kubeconfig_path,
    refuse_missing_kubeconfig,
    start_embedded,
    stop_embedded,
)
from corral.assembly.examination import diagnose, salvage_embedded
from corral.assembly.files import packer, unpacker
from corral.assembly.installing import install, install_manifests
from corral.assembly.node import NodeFlags, image_orders, run_node
from corral.assembly.operator import OperatorFlags, run_operator
from corral.engine.doctor.finding import Finding
from corral.engine.overview import Overview

__all__ = [
    "Finding",
    "NodeFlags",
    "OperatorFlags",
    "Overview",
    "Up",
    "diagnose",
    "embedded_access",
    "embedded_overview",
    "image_orders",
    "install",
    "install_manifests",
    "kubeconfig_path",
    "open_session",
    "packer",
    "refuse_missing_kubeconfig",
    "run_node",
    "run_operator",
    "salvage_embedded",
    "start_embedded",
    "stop_embedded",
    "unpacker",
]
