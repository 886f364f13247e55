"""The loop around crons: it looks when a time has come, and whenever a cron or one of its jobs has changed."""
