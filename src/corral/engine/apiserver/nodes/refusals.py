"""How a node's refusal is told to the client: the words of a real server for each status. Pure."""

from corral.engine.apiserver import failures
from corral.engine.apiserver.failures import ApiFailure, quoted

_TOLD: dict[int, tuple[str, str]] = {
    401: ("Unauthorized", "the server has asked for the client to provide credentials"),
    404: ("NotFound", "the server could not find the requested resource"),
    405: ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
    409: ("Conflict", "the server reported a conflict"),
    429: ("TooManyRequests", "the server has received too many requests and has asked us to try again later"),
    503: ("ServiceUnavailable", "the server is currently unable to handle the request"),
    504: (
        "Timeout",
        "the server was unable to return a response in the time allotted, but may still be processing the request",
    ),
}
"""Reason and sentence of the statuses whose body a real server does not pass on."""


def refusal(status: int, said: str, pod: str, kind: str = "pods/log") -> ApiFailure:
    """Returns the failure for a node's answer that is no success; `said` is its body."""
    if status == 400:
        return failures.bad_request(said)
    if status == 500:
        return failures.internal(said)
    if status in _TOLD:
        reason, sentence = _TOLD[status]
    elif status == 403:
        reason, sentence = "Forbidden", said
    elif status > 500:
        reason = "InternalError"
        sentence = f"an error on the server ({quoted(said)}) has prevented the request from succeeding"
    else:
        reason = ""
        sentence = f"the server responded with the status code {status} but did not return more information"
    details = {"name": pod, "kind": kind}
    return ApiFailure(status, reason, f"{sentence} ( {kind} {pod})", details=details)


def unreachable(url: str, problem: str) -> ApiFailure:
    """500: the node's endpoint could not be asked; a real server gives such a failure no reason."""
    return ApiFailure(500, "", f"Get {quoted(url)}: {problem}")


def undialled(failure: ApiFailure) -> ApiFailure:
    """500: the node's endpoint could not be reached for a stream; told without the address that was asked for."""
    problem = failure.message.partition('": ')[2]
    return ApiFailure(500, "", f"error dialing backend: {problem}")
