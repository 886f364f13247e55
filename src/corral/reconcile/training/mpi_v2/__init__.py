"""What an MPIJob of the second dialect needs next: workers that wait for ssh, and a Job that launches."""
