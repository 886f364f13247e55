"""The loops: list-watch cache, work queue, controller, plan executor, leadership. They know ports, never adapters."""
