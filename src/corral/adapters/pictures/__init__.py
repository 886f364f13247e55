"""Pictures of figures, drawn by matplotlib, which is there only for those who asked for it."""
