"""Fresh keys for jobs whose pods reach each other over ssh."""
