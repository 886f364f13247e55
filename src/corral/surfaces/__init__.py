"""Surfaces only translate between people or programs and the use cases below; no decision is taken here."""
