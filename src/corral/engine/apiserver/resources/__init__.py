"""The built-in kinds as data plus small differences: names, defaults, preparation, validation, table columns."""
