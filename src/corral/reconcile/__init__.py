"""WHAT NEXT: pure functions from an observed world and a time to a plan. No I/O, no clock, no asyncio."""
