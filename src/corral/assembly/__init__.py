"""The only place that chooses adapters, and the door through which surfaces reach the embedded engine.

One module for each use. Imports of what only one use case needs stand inside it: `corral up` must not pay for SQLite, nor
`status` for the checks of `doctor`.
"""

from corral.assembly.access import is_this_machine
from corral.assembly.contexts import forget_used, known_contexts, use, where_set
from corral.assembly.desk import open_glance, open_session
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
from corral.assembly.log_pages import serve_log_page, signed_log_link
from corral.assembly.node import NodeFlags, image_orders, run_node
from corral.assembly.operator import OperatorFlags, run_operator
from corral.assembly.scheduler import SchedulerFlags, run_scheduler
from corral.assembly.settings import arena_settings, image_pull_secrets, keep_setting, read_settings
from corral.assembly.simulation import TraceFlags, simulate_trace
from corral.engine.doctor.finding import Finding
from corral.engine.overview import Overview

__all__ = [
    "Finding",
    "NodeFlags",
    "OperatorFlags",
    "Overview",
    "SchedulerFlags",
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
    "refuse_missing_kubeconfig",
    "run_node",
    "run_operator",
    "run_scheduler",
    "salvage_embedded",
    "serve_log_page",
    "signed_log_link",
    "simulate_trace",
    "start_embedded",
    "stop_embedded",
    "unpacker",
    "use",
    "where_set",
]
