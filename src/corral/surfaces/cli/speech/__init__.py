"""How this process speaks to people and scripts: its manner, errors, questions and exit statuses."""
