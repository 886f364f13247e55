"""HOW MANY: windows and deciders that take `now` as an argument. No I/O, no clock, no asyncio."""
