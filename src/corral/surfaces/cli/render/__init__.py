"""Turns results into text or JSON. No colour is needed to read any of it."""
