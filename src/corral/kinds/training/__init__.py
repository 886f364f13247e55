"""What users declare to train: the Kubeflow kinds as typed objects, with their defaults and their rules."""
