"""The HTTP client of a Kubernetes API, real or embedded: one transport-free core, two thin transports."""
