"""WHAT users declare: typed objects, defaults and validation. No I/O, no clock, no random source, no asyncio."""
