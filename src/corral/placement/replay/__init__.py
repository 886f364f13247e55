"""Traces as arrivals and departures, bounds and reports: what simulations and benchmarks run."""
