"""A stop under way gets shorter when somebody asks for less grace, also while its hook still works."""

import asyncio
import signal
import time
from pathlib import Path

import pytest

from corral.adapters.system.clock import SystemClock
from corral.engine.node.containers.record import Run
from corral.engine.node.pods.stopping import Stopping
from tests.node.containers.launching import launched
