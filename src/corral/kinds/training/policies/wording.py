"""How a refusal is told: the words around the errors, the same from a policy and from the embedded server."""

from collections.abc import Sequence

from corral.kinds.training.validation.field_error import FieldError, summary

POLICY_PREFIX = "corral-"
WARNING_SUFFIX = "-warnings"
MOST_CHARACTERS = 4000
"""How much is told; Kubernetes throws a message of more than 5 KiB away."""
MOST_BYTES = 5 * 1024
CUT = " ... and more"
UNTOLD = "the job has errors that are too long to be told"

ERRORS = "variables.errors"
_JOINED = f'({ERRORS}.contains("\\n") ? "[" + {ERRORS}.replace("\\n", ", ") + "]" : {ERRORS})'
MESSAGE_EXPRESSION = (
    f'[{_JOINED}].map(all, size(all) > {MOST_CHARACTERS} ? all.substring(0, {MOST_CHARACTERS}) + "{CUT}" : all)[0]'
)
"""The errors of a policy, one per line in its variable, as one message."""


def policy_name(singular: str) -> str:
    """Returns the name of a kind's policy, which is that of its binding too."""
    return POLICY_PREFIX + singular


def message_of(errors: Sequence[FieldError]) -> str:
    """Returns the message of a policy for some errors."""
    told = summary(errors)
    if len(told) > MOST_CHARACTERS:
        told = told[:MOST_CHARACTERS] + CUT
    return told if len(told.encode("utf-8", "surrogatepass")) <= MOST_BYTES else UNTOLD


def refusal(singular: str, errors: Sequence[FieldError]) -> str:
    """Returns what a server says of a refused job, after its name."""
    name = policy_name(singular)
    return f"ValidatingAdmissionPolicy '{name}' with binding '{name}' denied request: {message_of(errors)}"


def warning(singular: str, text: str) -> str:
    """Returns what a server says of a job that it takes, but with a word of warning."""
    name = policy_name(singular) + WARNING_SUFFIX
    return f"Validation failed for ValidatingAdmissionPolicy '{name}' with binding '{name}': {text}"
