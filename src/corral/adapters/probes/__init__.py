"""Plain HTTP for those who watch over a process: health, readiness and numbers."""
