"""What nodes and jobs use: GPUs by what pods ask for, processors and memory by what is measured, without Prometheus."""
