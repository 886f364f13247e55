"""The table of settings: their names, and where each may be set."""

from typing import Final, NamedTuple

from corral.control.desk.naming.suggestions import did_you_mean
from corral.errors import PermanentError


class Setting(NamedTuple):
    """One setting: what it says, and what else sets it."""

    name: str
    meaning: str
    variable: str = ""
    """The environment variable that sets it."""
    flag: str = ""
    """The option of commands that sets it."""
    arena: str = ""
    """Its name in Arena's file."""
    in_files: bool = True
    """Whether the user's own file may hold it."""
    in_projects: bool = False
    """Whether the file of a project may hold it: others wrote that one, so it may choose neither what is run or
    read nor which cluster is spoken to."""
    is_list: bool = False
    choices: tuple[str, ...] = ()


TRUTHS: Final = ("true", "false")

SETTINGS: Final = (
    Setting(
        "context",
        'The kube context that commands talk to, or "embedded".',
        "CORRAL_CONTEXT",
        "--context",
    ),
    Setting(
        "namespace",
        "The namespace in which names are looked up.",
        "CORRAL_NAMESPACE",
        "--namespace",
        "namespace",
        in_projects=True,
    ),
    Setting("kubeconfig", "The file that contexts are read from.", "KUBECONFIG", "--kubeconfig"),
    Setting(
        "image-pull-secrets",
        "Secrets with which the images of submitted jobs are pulled.",
        "CORRAL_IMAGE_PULL_SECRETS",
        "--image-pull-secret",
        "imagePullSecrets",
        in_projects=True,
        is_list=True,
    ),
    Setting(
        "output",
        "The form in which `corral list` answers when -o does not say.",
        "CORRAL_OUTPUT",
        "--output",
        choices=("wide", "json", "yaml", "name"),
    ),
    Setting(
        "color",
        "Whether answers are coloured; auto is on a terminal.",
        "CORRAL_COLOR",
        "--color",
        choices=("auto", "always", "never"),
    ),
    Setting("no-input", "Never ask a question: fail instead.", "CORRAL_NO_INPUT", "--no-input", choices=TRUTHS),
    Setting("home", "The folder of Corral on this machine.", "CORRAL_HOME", in_files=False),
    Setting("arena-config", "Arena's file, which counts last.", "ARENA_CONFIG", in_files=False),
)
"""All of them, in the order in which they are shown."""

BY_NAME: Final = {one.name: one for one in SETTINGS}


def setting_named(name: str, source: str = "") -> Setting:
    """Returns the setting of this name; an unknown one is told what is near."""
    if name in BY_NAME:
        return BY_NAME[name]
    where = f"{source}: " if source else ""
    near = did_you_mean(name, BY_NAME)
    hint = near or f"settings are {', '.join(one.name for one in SETTINGS if one.in_files)}"
    raise PermanentError("bad-config", f'{where}there is no setting "{name}"', hint=hint)


def checked(setting: Setting, value: str, source: str = "") -> str:
    """Returns a value if the setting can have it; `source` says where it stands."""
    if not setting.choices or value in setting.choices:
        return value
    message = f'{f"{source}: " if source else ""}{setting.name} cannot be "{value}"'
    hint = did_you_mean(value, setting.choices) or f"it is {' or '.join(setting.choices)}"
    raise PermanentError("bad-config", message, hint=hint)
