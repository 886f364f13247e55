"""What a cron needs next: which of its times is due, which jobs are made for it, and what is told about them.

Begin with `decision.py`. `reckoning.py` says which times have passed, `history.py` what became of the jobs.
"""
