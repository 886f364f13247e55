"""The words in which others ask for GPUs, gangs and queues; one small module for each. Pure."""
