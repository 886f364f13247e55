"""The training operator: what it watches, which job each change concerns, and the loops around the decision."""
