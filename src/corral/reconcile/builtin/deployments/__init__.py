"""From one template to the next without losing more pods than allowed: revisions, rollouts, and what to tell."""
