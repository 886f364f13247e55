"""What pods and nodes of Kubernetes mean to placement: amounts, asks, offers, rules. Pure."""
