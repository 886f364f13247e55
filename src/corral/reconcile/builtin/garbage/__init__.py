"""Who owns whom, and what becomes of objects whose owners go."""
