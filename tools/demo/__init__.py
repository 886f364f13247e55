"""What Corral does, shown: `make demo` trains a network across processes, `make demo-durability` kills the API server."""
