"""Asking a program over HTTP whether it is well."""
