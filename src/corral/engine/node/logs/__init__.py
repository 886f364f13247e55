"""What was said: files that containers append to, an index of times beside each, readers, and what outlives the pod.

    LiveLogs    notes times and gives back old blocks, for the runs that are under way
    read        yields the part of a run's log that was asked for, and waits for more
    Archive     the logs of pods that are gone, found by job, up to a limit

A log is written by the container alone; everything here only looks at it, so that nothing here can hold a container up.
"""
