"""Settings of this user at this place: read from flags, variables and files, and written for `corral use` and `config`."""

import os
from typing import TYPE_CHECKING, NamedTuple

from corral.adapters.system.project_file import project_file
from corral.control.settings.layers import Layer, Said, Settings, file_layer, flags_layer, variables_layer
from corral.control.settings.texts import ArenaSettings, arena_values, values_in
from corral.engine.small_files import read_text
from corral.engine.supervisor.home import Home, default_home
from corral.engine.supervisor.unusable_home import examine, refusals_told
from corral.errors import PermanentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from corral.control.settings.table import Setting

BY_USE = "corral use"
"""How the origin of what `corral use` chose is called."""


class Used(NamedTuple):
    """What `corral use` chose; the namespace counts only with its context."""

    context: str = ""
    namespace: str = ""


def read_settings(**flags: str) -> Settings:
    """Returns everything that is set for a command with these flags, nearest first."""
    home = default_home()
    near = [flags_layer(flags), variables_layer(os.environ), _project_layer()]
    used, own = _used_layer(read_used(home), near), _own_layer(home)
    layers = [*near, used, own]
    if flags.get("kubeconfig"):
        # Contexts that were chosen for other files mean nothing in this one.
        layers = [layers[0], *({name: said for name, said in one.items() if name != "context"} for one in layers[1:])]
    return Settings(tuple(layers), file_layer(arena_settings().values, arena_file()))


def image_pull_secrets() -> tuple[str, ...]:
    """Returns the secrets with which images are pulled when a command line names none."""
    return read_settings().list_of("image-pull-secrets")


def _project_layer() -> Layer:
    try:
        here = os.getcwd()
    except FileNotFoundError:
        return {}  # the folder of the command was removed: then no project is around it
    found = project_file(here, os.getuid(), os.path.expanduser("~"))
    return file_layer(values_in(found.text, found.path, of_project=True), found.path) if found is not None else {}


def _own_layer(home: Home) -> Layer:
    text = _text_below(home, home.settings_file)
    return file_layer(values_in(text, home.settings_file), home.settings_file) if text else {}


def _text_below(home: Home, path: str) -> str:
    """Returns the text of a file of the home; what stands at the place of a home and is none says nothing."""
    try:
        with refusals_told(home):
            return read_text(path)
    except PermanentError as error:
        if isinstance(error.__cause__, NotADirectoryError):
            return ""
        raise


def _used_layer(used: Used, near: list[Layer]) -> Layer:
    if not used.context:
        return {}
    chosen = Settings(tuple(near)).of("context").value
    layer = {"context": Said(used.context, BY_USE)}
    if used.namespace and chosen in ("", used.context):
        layer["namespace"] = Said(used.namespace, BY_USE)
    return layer


def read_used(home: Home | None = None) -> Used:
    """Returns what `corral use` chose."""
    home = home or default_home()
    text = _text_below(home, home.used_file)
    if not text:
        return Used()
    import json  # only who has chosen pays for it

    try:
        fields = json.loads(text)
        return Used(str(fields["context"]), str(fields.get("namespace", "")))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        message = f"{home.used_file} does not say which context to use"
        raise PermanentError("bad-config", message, hint="`corral use --clear` makes it good again") from error


def keep_used(used: Used) -> None:
    """Keeps the choice of `corral use`; an empty one forgets it."""
    import json

    _change(default_home().used_file, lambda _: json.dumps(used._asdict()) + "\n" if used.context else "")


def keep_setting(setting: "Setting", value: str) -> str:
    """Sets something for the user, or takes it back by ""; returns the file."""
    from corral.control.settings.table import checked
    from corral.control.settings.texts import with_value

    path = default_home().settings_file
    if value:
        checked(setting, value)
    _change(path, lambda text: with_value(text, setting, value, path))
    return path


def _change(path: str, change: "Callable[[str], str]") -> None:
    from corral.engine.small_files import change_private

    home = default_home()
    examine(home)
    with refusals_told(home):
        os.makedirs(home.root, mode=0o700, exist_ok=True)
        change_private(path, change)


def arena_file() -> str:
    """Returns where Arena's settings are, if there are any."""
    return os.environ.get("ARENA_CONFIG") or os.path.expanduser("~/.arena/config")


def arena_settings() -> ArenaSettings:
    """Returns what Arena's file means here; one that cannot be read says nothing: it is not ours."""
    try:
        text = read_text(arena_file())
    except (OSError, UnicodeDecodeError):
        return ArenaSettings({}, ())
    return arena_values(text) if text else ArenaSettings({}, ())
