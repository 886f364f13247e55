"""The verbs: what get, list, watch, create, update, patch and delete do to the objects of any resource.

Decisions live in the strategies and in pure modules (lifecycle, patch, apply, schema); here they meet the store.
"""
