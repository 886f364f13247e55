"""The words of refusals: how amounts are said, and the sentence for each code."""

from collections.abc import Mapping

from corral.placement.asks import WHOLE, Gang, GpuAsk, PodAsk


def pods_of(number: int) -> str:
    """Returns so many pods in words."""
    return "1 pod" if number == 1 else f"{number} pods"


def gpus_of(milli: int) -> str:
    """Returns thousandths of GPUs in words."""
    if milli == WHOLE:
        return "1 GPU"
    return f"{milli // WHOLE} GPUs" if milli % WHOLE == 0 else f"{milli / WHOLE:g} GPUs"


def share_of(ask: GpuAsk) -> str:
    """Returns what one pod asks of GPUs in words; "" when it asks for none."""
    if not ask.number:
        return ""
    if ask.memory:
        each = f"{ask.memory} MiB of a GPU"
        return each if ask.number == 1 else f"{ask.number} times {each}"
    if ask.milli < WHOLE and ask.number > 1:
        return f"{ask.number} times {ask.milli / WHOLE:g} of a GPU"
    return gpus_of(ask.total) if ask.milli == WHOLE else f"{ask.milli / WHOLE:g} of a GPU"


def make_of(gpus: int, model: str) -> str:
    """Returns the make of a node: how many GPUs of which model."""
    return f"{gpus} x {model or 'GPU'}" if gpus else "no GPU"


def fit_of(number: int) -> str:
    """Returns that so many fit."""
    return "1 fits" if number == 1 else f"{number} fit"


def sentence_about(gang: Gang, ask: PodAsk, count: int, code: str, missing: int, free: Mapping[str, int]) -> str:
    """Returns why a gang goes nowhere, as a sentence."""
    share = share_of(ask.gpu)
    each = f" of {share}" if share and missing == 1 else f" of {share} each" if share else ""
    head = (
        f"{pods_of(missing)}{each} must start together and {fit_of(free['pods'])}"
        if missing > 1
        else f"1 pod{each} does not fit"
    )
    return f"{head}: {_because(gang, ask, count, code, free)}."


def _because(gang: Gang, ask: PodAsk, count: int, code: str, free: Mapping[str, int]) -> str:
    where = "1 node" if free["nodes"] == 1 else f"{free['nodes']} nodes"
    sentences = {
        "no-nodes": "there are no nodes",
        "no-node-allowed": "its selector, affinity or tolerations allow no node",
        "no-such-model": "no node that it allows has a GPU of a model that will do",
        "too-large": f"even with nothing else on them, the {where} where it may go are too small",
        "closed-nodes": "nodes that would do are cordoned or not ready",
        "device-taken": "the GPUs that it names are taken",
        "wrong-neighbours": "nodes with room hold pods that it must not be with, or lack those that it must be with",
        "short-of-gpus": f"{gpus_of(free['gpu_milli'])} are free on the {where} where it may go, and it needs "
        f"{gpus_of(ask.gpu.total * count)}",
        "scattered-gpus": f"{gpus_of(free['gpu_milli'])} are free on the {where} where it may go, and at most "
        f"{free['idle_gpus_on_one_node']} whole ones of them on one node",
        "short-of-cpu": "nodes with room for it otherwise have too little processor left",
        "short-of-memory": "nodes with room for it otherwise have too little memory left",
        "short-of-pods": "nodes with room for it otherwise run as many pods as they may",
        "short-of-model": "only models that it does not allow are free",
        "short-of-rules": "only nodes that its selector, affinity or tolerations do not allow have room",
        "no-common-domain": f"there is room, but not within one {gang.within}",
        "kept-for-larger": "what has room is kept for pods of several GPUs, of which more are expected",
        "does-not-fit": "no way was found to place them side by side",
    }
    return (
        sentences.get(code) or f"nodes with room for it otherwise have too little {code.removeprefix('short-of-')} left"
    )
