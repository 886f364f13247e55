"""Metrics are written in the text form of Prometheus, byte for byte."""

from corral.control.metrics import Counter, Histogram, Metrics, Reading


def test_counters_histograms_and_readings_in_their_text_form() -> None:
    metrics = Metrics()
    jobs, times = Counter("jobs_total", "Jobs.", ("ns",)), Histogram("seconds", "Time.", ("kind",), (0.5, 2.0))
    metrics.add(jobs, times, Reading("age", "Age.", lambda: [((), 1.5)]))
    jobs.add("a")
    jobs.add('od"d\n', by=2)
    for value in (0.1, 0.5, 1.0, 7.0):
        times.observe(value, "X")
    assert metrics.text() == (
        "# HELP jobs_total Jobs.\n"
        "# TYPE jobs_total counter\n"
        'jobs_total{ns="a"} 1\n'
        'jobs_total{ns="od\\"d\\n"} 2\n'
        "# HELP seconds Time.\n"
        "# TYPE seconds histogram\n"
        'seconds_bucket{kind="X",le="0.5"} 2\n'
        'seconds_bucket{kind="X",le="2"} 3\n'
        'seconds_bucket{kind="X",le="+Inf"} 4\n'
        'seconds_sum{kind="X"} 8.6\n'
        'seconds_count{kind="X"} 4\n'
        "# HELP age Age.\n"
        "# TYPE age gauge\n"
        "age 1.5\n"
    )


def test_a_counter_without_labels_is_there_from_the_start() -> None:
    assert Counter("x_total", "X.").lines()[-1] == "x_total 0"
