"""The answers to a patch that cannot be applied, in the real server's words."""

from typing import Any

from corral.engine.apiserver.failures import ApiFailure, bad_request
from corral.engine.apiserver.patch.go_values import type_word


def rejected() -> ApiFailure:
    """422: the patch does not fit the object; the real server does not say why, so chain the reason for the log."""
    text = "the server rejected our request due to an error in our request"
    return ApiFailure(422, "Invalid", text, details={})


def unexpected(message: str) -> ApiFailure:
    """500 without a reason: what the real server answers for errors that it does not classify."""
    return ApiFailure(500, "", message)


def not_an_object(patch: Any, prefix: str) -> ApiFailure:
    """400: the patch is valid JSON of another type than an object."""
    return bad_request(
        f"{prefix}json: cannot unmarshal {type_word(patch)} into Go value of type map[string]interface {{}}"
    )
