"""The grammar of names: which strings may stand as names, label keys, label values, ports and variables.

Every rule is a function from a value to its faults, each a sentence of the wire protocol; no faults means valid. The
common case (a good value) costs one regular expression, and keys that return again and again are remembered.
"""

import re
from collections.abc import Callable
from functools import lru_cache

Faults = tuple[str, ...]
"""What is wrong with one value, in the words of kube-apiserver; empty when nothing is."""

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = _LABEL + r"(\." + _LABEL + ")*"
_LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE = f"({_QUALIFIED})?"
_CONFIG_KEY = "[-._a-zA-Z0-9]+"
_HEADER = "[-A-Za-z0-9]+"
_PERCENT = "[0-9]+%"
_PROTOCOL_NAME = "[-a-z0-9]+"

_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"

_match_label = re.compile(_LABEL).fullmatch
_match_subdomain = re.compile(_SUBDOMAIN).fullmatch
_match_label_1035 = re.compile(_LABEL_1035).fullmatch
_match_qualified = re.compile(_QUALIFIED).fullmatch
_match_label_value = re.compile(_LABEL_VALUE).fullmatch
_match_config_key = re.compile(_CONFIG_KEY).fullmatch
_match_header = re.compile(_HEADER).fullmatch
_match_percent = re.compile(_PERCENT).fullmatch
_match_port_name = re.compile(_PROTOCOL_NAME).fullmatch
_match_variable = re.compile("[ -<>-~]+").fullmatch
_match_path = re.compile(_PATH).fullmatch
_has_letter = re.compile("[a-z]").search


def between(low: int, high: int) -> str:
    """Returns the sentence for a number out of an inclusive range."""
    return f"must be between {low} and {high}, inclusive"


def size(value: str) -> int:
    """Returns the length in bytes, which is what the limits of the protocol count."""
    return len(value) if value.isascii() else len(value.encode("utf-8", "surrogatepass"))


def subdomain_faults(value: str) -> Faults:
    """Checks an RFC 1123 subdomain, the name of most objects."""
    if len(value) <= 253 and _match_subdomain(value):
        return ()
    faults = _length_faults(value, 253)
    if not _match_subdomain(value):
        faults += (
            _grammar(
                "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
                "and must start and end with an alphanumeric character",
                _SUBDOMAIN,
                "example.com",
            ),
        )
    return faults


def label_faults(value: str) -> Faults:
    """Checks an RFC 1123 label, the name of namespaces, containers and volumes."""
    if len(value) <= 63 and _match_label(value):
        return ()
    faults = _length_faults(value, 63)
    if not _match_label(value):
        if _match_subdomain(value):
            return faults + ("must not contain dots",)
        faults += (
            _grammar(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "
                "start and end with an alphanumeric character",
                _LABEL,
                "my-name",
                "123-abc",
            ),
        )
    return faults


def label1035_faults(value: str) -> Faults:
    """Checks an RFC 1035 label, the name of services."""
    if len(value) <= 63 and _match_label_1035(value):
        return ()
    faults = _length_faults(value, 63)
    if not _match_label_1035(value):
        faults += (
            _grammar(
                "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
                "alphabetic character, and end with an alphanumeric character",
                _LABEL_1035,
                "my-name",
                "abc-123",
            ),
        )
    return faults


def path_faults(value: str) -> Faults:
    """Checks that a name can be one segment of a path, all that RBAC objects ask for."""
    if value in (".", ".."):
        return (f"may not be '{value}'",)
    return path_prefix_faults(value)


def path_prefix_faults(value: str) -> Faults:
    """Checks the start of a path segment, to which a random end will be added."""
    return tuple(f"may not contain '{bad}'" for bad in ("/", "%") if bad in value)


_QUALIFIED_FAULT = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)


@lru_cache(maxsize=4096)
def qualified_name_faults(value: str) -> Faults:
    """Checks a qualified name (`name` or `example.com/name`), the key of labels, annotations and finalizers."""
    grammar = _grammar(_QUALIFIED_FAULT, _QUALIFIED, "MyName", "my.name", "123-abc")
    parts = value.split("/")
    if len(parts) > 2:
        return (
            f"a qualified name {grammar} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
        )
    faults: Faults = ()
    if len(parts) == 2:
        if not parts[0]:
            faults = ("prefix part must be non-empty",)
        else:
            faults = tuple(f"prefix part {fault}" for fault in subdomain_faults(parts[0]))
    name = parts[-1]
    if not name:
        faults += ("name part must be non-empty",)
    elif size(name) > 63:
        faults += ("name part must be no more than 63 characters",)
    if not _match_qualified(name):
        faults += (f"name part {grammar}",)
    return faults


def label_value_faults(value: str) -> Faults:
    """Checks the value of a label."""
    if len(value) <= 63 and _match_label_value(value):
        return ()
    faults = _length_faults(value, 63)
    if not _match_label_value(value):
        faults += (
            _grammar(
                "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and "
                "must start and end with an alphanumeric character",
                _LABEL_VALUE,
                "MyValue",
                "my_value",
                "12345",
            ),
        )
    return faults


def port_name_faults(value: str) -> Faults:
    """Checks the name of a port (an IANA service name)."""
    faults = _length_faults(value, 15)
    if not _match_port_name(value):
        faults += ("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",)
    if not _has_letter(value):
        faults += ("must contain at least one letter (a-z)",)
    if "--" in value:
        faults += ("must not contain consecutive hyphens",)
    if value.startswith("-") or value.endswith("-"):
        faults += ("must not begin or end with a hyphen",)
    return faults


def port_number_faults(value: int) -> Faults:
    """Checks a port number."""
    return () if 1 <= value <= 65535 else (between(1, 65535),)


@lru_cache(maxsize=4096)
def variable_name_faults(value: str) -> Faults:
    """Checks the name of an environment variable: any printable ASCII but the equals sign."""
    if not value:
        return ("environment variable name must be non-empty",)
    if _match_variable(value):
        return ()
    return ("a valid environment variable name must consist only of printable ASCII characters other than '='",)


def config_key_faults(value: str) -> Faults:
    """Checks a key of a ConfigMap or Secret."""
    faults = _length_faults(value, 253)
    if not _match_config_key(value):
        what = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
        faults += (_grammar(what, _CONFIG_KEY, "key.name", "KEY_NAME", "key-name"),)
    if value in (".", ".."):
        faults += (f"must not be '{value}'",)
    elif value.startswith(".."):
        faults += ("must not start with '..'",)
    return faults


def header_name_faults(value: str) -> Faults:
    """Checks the name of an HTTP header."""
    if _match_header(value):
        return ()
    return (_grammar("a valid HTTP header must consist of alphanumeric characters or '-'", _HEADER, "X-Header-Name"),)


def percent_faults(value: str) -> Faults:
    """Checks a percentage such as `25%`."""
    if _match_percent(value):
        return ()
    what = "a valid percent string must be a numeric string followed by an ending '%'"
    return (_grammar(what, _PERCENT, "1%", "93%"),)


def prefixed_path_faults(value: str) -> tuple[tuple[str, str], ...]:
    """Checks a path behind a domain, such as `acme.io/foo`; each fault comes with the part that it speaks of."""
    domain, _, path = value.partition("/")
    if not domain or not path:
        return ((value, 'must be a domain-prefixed path (such as "acme.io/foo")'),)
    faults = tuple((domain, fault) for fault in subdomain_faults(domain))
    if not _match_path(path):
        faults += ((path, f"Invalid path (regex used for validation is '{_PATH}')"),)
    return faults


def is_qualified_name(value: str) -> bool:
    """Tells whether the value is a qualified name."""
    return not qualified_name_faults(value)


def is_label_value(value: str) -> bool:
    """Tells whether the value can be the value of a label."""
    return not label_value_faults(value)


NAME_RULES: dict[str, Callable[[str], Faults]] = {
    "subdomain": subdomain_faults,
    "label": label_faults,
    "label1035": label1035_faults,
    "path": path_faults,
}
"""The rules that a kind can choose for metadata.name (`Strategy.name_rule`)."""


def name_faults(rule: str, value: str) -> Faults:
    """Checks a full name against one of NAME_RULES."""
    return NAME_RULES[rule](value)


def generate_name_faults(rule: str, value: str) -> Faults:
    """Checks the fixed start of a generated name; a dash at its end is fine, because more follows."""
    if rule == "path":
        return path_prefix_faults(value)
    if len(value) > 1 and value.endswith("-"):
        value = value[:-2] + "a"
    return NAME_RULES[rule](value)


def _length_faults(value: str, limit: int) -> Faults:
    return () if size(value) <= limit else (f"must be no more than {limit} characters",)


def _grammar(what: str, pattern: str, *examples: str) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{what} (e.g. {shown}regex used for validation is '{pattern}')"
