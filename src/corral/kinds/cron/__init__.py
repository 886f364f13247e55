"""Training jobs on a schedule: the kind Cron, how its times are read, and the rules by which a wrong one is refused.

A cron is a training job of any kind as a template, and a timetable. Time zones come from outside as values, since their
data lives on disks; nothing here reads a clock.
"""
