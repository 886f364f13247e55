"""The shipped test kit: real control plane, builders, manual clock and conformance suites. No product code imports it."""
