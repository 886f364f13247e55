"""The only place that chooses adapters, and the door through which surfaces reach the embedded engine.

One module for each use. A name is imported when it is first asked for: `corral up` must not pay for SQLite, nor `list` for the
checks of `doctor`.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from corral.assembly.access import is_this_machine
    from corral.assembly.cluster_part import PartFlags
    from corral.assembly.contexts import forget_used, known_contexts, use, where_set
    from corral.assembly.desk import open_glance, open_session
    from corral.assembly.embedded import (
        Up,
        embedded_overview,
        start_embedded,
        stop_embedded,
    )
    from corral.assembly.examination import diagnose, salvage_embedded
    from corral.assembly.files import packer, unpacker
    from corral.assembly.installing import install, install_manifests
    from corral.assembly.log_pages import serve_log_page, signed_log_link
    from corral.assembly.node import NodeFlags, image_orders, run_node
    from corral.assembly.operator import OperatorFlags, run_operator
    from corral.assembly.scheduler import SchedulerFlags, run_scheduler
    from corral.assembly.settings import arena_settings, image_pull_secrets, keep_setting, read_settings
    from corral.assembly.simulation import TraceFlags, simulate_trace
    from corral.assembly.snapshots import (
        SnapshotFlags,
        read_snapshot,
        simulate_snapshot,
        snapshot_text,
        write_snapshot,
    )
    from corral.assembly.this_machine import embedded_access, kubeconfig_path, refuse_missing_kubeconfig
    from corral.engine.doctor.finding import Finding
    from corral.engine.overview import Overview

__all__ = [
    "Finding",
    "NodeFlags",
    "OperatorFlags",
    "Overview",
    "PartFlags",
    "SchedulerFlags",
    "SnapshotFlags",
    "TraceFlags",
    "Up",
    "arena_settings",
    "diagnose",
    "embedded_access",
    "embedded_overview",
    "forget_used",
    "image_orders",
    "image_pull_secrets",
    "install",
    "install_manifests",
    "is_this_machine",
    "keep_setting",
    "known_contexts",
    "kubeconfig_path",
    "open_glance",
    "open_session",
    "packer",
    "read_settings",
    "read_snapshot",
    "refuse_missing_kubeconfig",
    "run_node",
    "run_operator",
    "run_scheduler",
    "salvage_embedded",
    "serve_log_page",
    "signed_log_link",
    "simulate_snapshot",
    "simulate_trace",
    "snapshot_text",
    "start_embedded",
    "stop_embedded",
    "unpacker",
    "use",
    "where_set",
    "write_snapshot",
]

_MODULES = {
    "corral.assembly.access": ("is_this_machine",),
    "corral.assembly.contexts": (
        "forget_used",
        "known_contexts",
        "use",
        "where_set",
    ),
    "corral.assembly.desk": (
        "open_glance",
        "open_session",
    ),
    "corral.assembly.embedded": ("Up", "embedded_overview", "start_embedded", "stop_embedded"),
    "corral.assembly.examination": (
        "diagnose",
        "salvage_embedded",
    ),
    "corral.assembly.files": (
        "packer",
        "unpacker",
    ),
    "corral.assembly.installing": (
        "install",
        "install_manifests",
    ),
    "corral.assembly.log_pages": (
        "serve_log_page",
        "signed_log_link",
    ),
    "corral.assembly.node": (
        "NodeFlags",
        "image_orders",
        "run_node",
    ),
    "corral.assembly.cluster_part": ("PartFlags",),
    "corral.assembly.operator": (
        "OperatorFlags",
        "run_operator",
    ),
    "corral.assembly.scheduler": ("SchedulerFlags", "run_scheduler"),
    "corral.assembly.settings": (
        "arena_settings",
        "image_pull_secrets",
        "keep_setting",
        "read_settings",
    ),
    "corral.assembly.simulation": (
        "TraceFlags",
        "simulate_trace",
    ),
    "corral.assembly.snapshots": (
        "SnapshotFlags",
        "read_snapshot",
        "simulate_snapshot",
        "snapshot_text",
        "write_snapshot",
    ),
    "corral.assembly.this_machine": ("embedded_access", "kubeconfig_path", "refuse_missing_kubeconfig"),
    "corral.engine.doctor.finding": ("Finding",),
    "corral.engine.overview": ("Overview",),
}
"""Where each name is."""
_WHERE = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Imports what is asked for, and keeps it."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(_WHERE[name]), name)
    globals()[name] = found
    return found
