"""Custom resources: what a CustomResourceDefinition may say, and the resources that it makes."""
