"""No answer, in words: what a failed connection means and what the user can do about it."""

from corral.adapters.kubernetes.access import Access
from corral.adapters.kubernetes.calls import Call
from corral.ports.refusals import UnreachableError


def no_connection(call: Call, access: Access, error: BaseException) -> UnreachableError:
    """The server was not reached, so nothing happened."""
    return UnreachableError(
        f"the API server {access.server} cannot be reached: {_reason(error)}",
        what=call.what,
        hint=_hint(access, error),
        delivered=False,
        timed_out=isinstance(error, TimeoutError),
    )


def no_answer(call: Call, access: Access, error: BaseException) -> UnreachableError:
    """The request was on its way and the answer did not come: it may have been carried out."""
    return UnreachableError(
        f"the API server {access.server} did not answer ({call.what}): {_reason(error)}",
        what=call.what,
        hint="it may have been done nevertheless; look before you repeat it" if call.method != "GET" else "",
        delivered=True,
        timed_out=isinstance(error, TimeoutError),
    )


def dead_stream(call: Call, access: Access, error: BaseException) -> UnreachableError:
    """A stream ended without its end, or fell silent."""
    return UnreachableError(
        f"the stream from {access.server} broke ({call.what}): {_reason(error)}",
        what=call.what,
        delivered=True,
        timed_out=isinstance(error, TimeoutError),
    )


def _reason(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if getattr(error, "reason", None) == "WRONG_VERSION_NUMBER":
        return "it does not speak TLS, so its address should begin with http:"
    strerror = getattr(error, "strerror", None)
    text = str(getattr(error, "verify_message", "") or strerror or error) or type(error).__name__
    return text.splitlines()[0]


def _hint(access: Access, error: BaseException) -> str:
    if getattr(error, "verify_message", ""):
        return "the server's certificate is not one that the kubeconfig trusts"
    if access.context:
        return f'is it running, and is "{access.context}" the context you mean? (corral status, --context)'
    return "is it running? (corral status)"
