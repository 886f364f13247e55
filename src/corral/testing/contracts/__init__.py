"""Conformance suites: one set of cases, run unchanged against every implementation of a port or protocol."""
