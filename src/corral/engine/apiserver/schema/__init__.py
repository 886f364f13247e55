"""The shape of every kind: structural schemas, and what they decide (types, unknown fields, defaults, validity)."""
