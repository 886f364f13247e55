"""What Kubernetes takes for a name, a label, a variable, an amount: each question answered with a sentence, "" when all is well."""

import re
from collections.abc import Callable
from typing import Final

from corral.kinds.quantities import QuantityError, parse_quantity
from corral.kinds.submission.spelling import shown

Asking = Callable[[str], str]
"""A question about a text."""

LONGEST_NAME: Final = 52
"""So that the names of pods and services, which have the job's in front, stay within 63."""
LONGEST_LABEL: Final = 63
_MOST: Final = (2**63 - 1) * 10**9

_JOB_NAME: Final = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_QUALIFIED: Final = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?", re.ASCII)
_VARIABLE: Final = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*", re.ASCII)
_IMAGE: Final = re.compile(r"[A-Za-z0-9][^\s\x00-\x1f\x7f]*", re.ASCII)
_SECRET_KEY: Final = re.compile(r"[-._a-zA-Z0-9]{1,253}", re.ASCII)


def job_name_fault(name: str, longest_child: int) -> str:
    """Returns what is wrong with the name of a job whose children have up to so many letters more."""
    if not name:
        return "a job needs a name"
    if not _JOB_NAME.fullmatch(name):
        return f"{shown(name)} is no name: lower case letters, digits and dashes, from a letter on, no dash at the end"
    limit = min(LONGEST_NAME, LONGEST_LABEL - longest_child)
    return f"{shown(name)} has {len(name)} letters, {limit} are the most" if len(name) > limit else ""


def label_fault(name: str) -> str:
    """Returns what is wrong with a name without dots, such as that of a namespace."""
    if len(name) <= LONGEST_LABEL and _LABEL.fullmatch(name):
        return ""
    return f"{shown(name)} is no name: up to {LONGEST_LABEL} lower case letters, digits and dashes"


def object_name_fault(name: str) -> str:
    """Returns what is wrong with the name of an object, in which dots may stand."""
    if name and len(name) <= 253 and all(_LABEL.fullmatch(part) for part in name.split(".")):
        return ""
    return f"{shown(name)} is no name of an object: lower case letters, digits, dashes and dots"


def label_key_fault(key: str) -> str:
    """Returns what is wrong with the key of a label, an annotation or a device: `name` or `domain/name`."""
    prefix, slash, name = key.rpartition("/")
    if slash and object_name_fault(prefix):
        return f"{shown(key)} is no key: what stands before the / must be a domain, and there may be only one /"
    if len(name) > LONGEST_LABEL or not _QUALIFIED.fullmatch(name):
        return f"{shown(key)} is no key: up to {LONGEST_LABEL} letters, digits, dashes, dots and underscores"
    return ""


def label_value_fault(value: str) -> str:
    """Returns what is wrong with the value of a label."""
    if not value or (len(value) <= LONGEST_LABEL and _QUALIFIED.fullmatch(value)):
        return ""
    return f"{shown(value)} is no value of a label: up to {LONGEST_LABEL} letters, digits, dashes, dots and underscores"


def variable_fault(name: str, value: str = "") -> str:
    """Returns what is wrong with a variable of the environment."""
    if not _VARIABLE.fullmatch(name):
        return f"{shown(name)} is no name of a variable"
    return f"the value of {name} has a zero byte" if "\0" in value else ""


def image_fault(image: str) -> str:
    """Returns what is wrong with the name of an image."""
    return "" if _IMAGE.fullmatch(image) else f"{shown(image)} is no name of an image"


def secret_key_fault(key: str) -> str:
    """Returns what is wrong with a key of a Secret."""
    return "" if _SECRET_KEY.fullmatch(key) else f"{shown(key)} is no key of a Secret"


def amount_fault(text: str, *, whole: bool = False) -> str:
    """Returns what is wrong with an amount such as 500m or 8Gi."""
    try:
        amount = parse_quantity(text)
    except QuantityError:
        return f"{shown(text)} is no amount: write it as 2, 500m or 8Gi"
    if amount.nanos < 0:
        return f"{shown(text)} is below zero"
    if amount.nanos > _MOST:
        return f"{shown(text)} is more than any node has"
    return f"{shown(text)} is not whole, and this cannot be divided" if whole and not amount.is_whole else ""


def path_fault(path: str) -> str:
    """Returns what is wrong with a path inside a container."""
    if not path.startswith("/"):
        return f"{shown(path)} is not absolute: it must begin with /"
    if ".." in path.split("/") or ":" in path or not path.isprintable():
        return f"{shown(path)} is no path of a container: no .., no :, nothing that cannot be printed"
    return "" if path.strip("/") else "/ is the whole container: choose a folder in it"
