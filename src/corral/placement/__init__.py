"""WHERE: pure functions from a snapshot and pending gangs to a decision with reasons. No I/O, no clock, no asyncio."""
