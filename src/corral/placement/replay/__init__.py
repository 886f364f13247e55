"""Traces as arrivals and departures, what became of them, bounds, reports: what `corral simulate` and the benchmarks run.

Texts, seeds and clocks are arguments; nothing here reads a file or the time.
"""
