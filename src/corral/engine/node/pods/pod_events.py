"""Events about pods, in the name of this node."""

from corral.control.event_recorder import EventRecorder
from corral.engine.node.pods.live_pod import LivePod
from corral.kinds.well_known import POD
from corral.reconcile.plan import EmitEvent


class PodEvents:
    """Tells of what happens to pods."""

    def __init__(self, recorder: EventRecorder) -> None:
        self._recorder = recorder

    def tell(self, live: LivePod, reason: str, message: str) -> None:
        """Makes an event about something usual."""
        self._recorder.emit(EmitEvent(POD, live.pod, reason, message, "Normal"))

    def warn(self, live: LivePod, reason: str, message: str) -> None:
        """Makes an event about something that somebody may want to change."""
        self._recorder.emit(EmitEvent(POD, live.pod, reason, message, "Warning"))
