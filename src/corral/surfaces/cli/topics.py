"""What `corral help` explains besides commands."""

from corral.surfaces.cli.speech import exit_codes

_CONTEXTS = """\
Which API a command talks to, and in which namespace. The first of these that says something counts:

  1. --context NAME, -n NAME
  2. CORRAL_CONTEXT, CORRAL_NAMESPACE
  3. .corral.yaml in this folder or in one above it: the namespace, never the API
  4. `corral use NAME -n NAMESPACE`
  5. config.yaml in Corral's home (`corral config set context NAME`)
  6. namespace in Arena's file (not for the API of this machine)
  7. the current context of the kubeconfig, and its namespace; in a pod, its own cluster
  8. the API of this machine ("embedded"), which is started when it is needed

A context that was asked for by name and is not there is an error (2). Commands that write name their target on stderr.
`corral use` shows all contexts, `corral config view --show-origin` what counts and why."""

_OUTPUT = """\
Answers go to stdout; notes, progress, hints and errors go to stderr. So pipes get data only.

  -o wide             more columns
  -o json, -o yaml    the objects of the API, as they are
  -o name             KIND/NAME, one a line
  -o jsonpath=...     parts of the objects

Tables have Arena's columns in Arena's order; what Corral adds stands to the right. With -o json errors are objects too, one a
line: {"error": {"code", "message", "hint", "retryable"}}; codes are stable.

Colours are for terminals: --color=auto|always|never, NO_COLOR, FORCE_COLOR and TERM=dumb are honoured, and nothing is told by
colour alone. What others wrote cannot steer a terminal: control characters are shown by name."""

_ENVIRONMENT = """\
  CORRAL_CONTEXT              the context to talk to
  CORRAL_NAMESPACE            the namespace
  CORRAL_HOME                 Corral's folder; ~/.corral by default
  CORRAL_IMAGE_PULL_SECRETS   secrets for images, with commas between
  CORRAL_OUTPUT               the form in which `corral list` answers
  CORRAL_COLOR                auto, always or never
  CORRAL_NO_INPUT             never ask a question
  CORRAL_DEBUG                show requests, and where errors come from
  KUBECONFIG                  files with contexts; ~/.kube/config by default
  ARENA_CONFIG                Arena's file; ~/.arena/config by default
  NO_COLOR, FORCE_COLOR       colours: never, always"""

TOPICS: dict[str, tuple[str, str]] = {
    "contexts": ("Which API and which namespace count.", _CONTEXTS),
    "output": ("Forms of answers, errors and colours.", _OUTPUT),
    "environment": ("Variables that are honoured.", _ENVIRONMENT),
    "exit-codes": ("Numbers for scripts.", (exit_codes.__doc__ or "").partition("\n\n")[2].strip()),
}
"""Topics: a line on each, and its text."""
