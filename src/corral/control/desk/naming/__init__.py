"""Which object is meant: from the words of people to kinds, types of jobs and objects."""
