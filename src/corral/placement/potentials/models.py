"""Which models of GPUs an ask allows.

People write `A100` for what a driver calls `NVIDIA-A100-SXM4-80GB`: a model is meant by its name, or by words of it in their order.
"""

import re

import numpy as np

from corral.placement.asks import GpuAsk
from corral.placement.fleet.columns import Bools
from corral.placement.fleet.fleet import Fleet

_words = re.compile(r"[^0-9a-z]+").split


def names_model(wanted: str, model: str) -> bool:
    """Whether a name that somebody wrote means a model."""
    asked, said = _words(wanted.lower()), _words(model.lower())
    return any(said[start : start + len(asked)] == asked for start in range(len(said) - len(asked) + 1))


def allowed_models(fleet: Fleet, ask: GpuAsk) -> Bools | None:
    """Returns by number of model whether it will do; None when every one will."""
    if not ask.models and not ask.refused_models:
        return None
    models = len(fleet.models)
    return fleet.kept(("models", models, ask.models, ask.refused_models), lambda: _allowed(fleet, ask))


def _allowed(fleet: Fleet, ask: GpuAsk) -> Bools:
    return np.array(
        [
            (not ask.models or any(names_model(one, model) for one in ask.models))
            and not any(names_model(one, model) for one in ask.refused_models)
            for model in fleet.models
        ],
        np.bool_,
    )
