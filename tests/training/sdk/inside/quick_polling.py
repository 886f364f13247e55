"""A pytest plugin: the SDK looks at a job every half second instead of every fifteen, unless a caller says otherwise."""

from kubeflow.training import TrainingClient  # type: ignore[import-not-found]

SECONDS = 0.5


def _quickened() -> None:
    function = TrainingClient.wait_for_job_conditions
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = list(function.__defaults__)
    position = names.index("polling_interval") - (len(names) - len(defaults))
    assert defaults[position] == 15, "the SDK has changed"
    defaults[position] = SECONDS
    function.__defaults__ = tuple(defaults)


_quickened()
