"""`-o`: one option, and the same forms wherever a command shows something."""

import json

import click
import pytest
import yaml

from corral.surfaces.cli.main import corral
from corral.surfaces.cli.words.output_form import FormType, OutputForm
from tests.surfaces.conftest import Cli
from tests.surfaces.test_help_pages_fit_the_terminal import PAGES

LOCAL = ("version", "status", "doctor", "use", "config view", "image list")
"""What needs no API."""


def test_there_is_one_option_for_the_form_of_answers() -> None:
    """What writes objects before they are sent (submit, cron, run) has words of its own."""
    own = ("submit", "cron", "run", "resubmit", "apply")
    found = {
        name: [one.type for one in page.command.params if "-o" in one.opts]
        for name, page in PAGES.items()
        if not name.removeprefix("corral ").startswith(own)
    }
    assert {name: kinds for name, kinds in found.items() if any(not isinstance(kind, FormType) for kind in kinds)} == {}
    shown = {name.removeprefix("corral ") for name, kinds in found.items() if kinds}
    assert {"list", "get", "why", "events", "top node", "top job", "data list", "whoami", *LOCAL} <= shown


@pytest.mark.parametrize("command", LOCAL)
def test_data_is_json_yaml_names_or_what_a_template_takes_out(cli: Cli, command: str) -> None:
    words = command.split()
    as_json = json.loads(cli(*words, "-o", "json").stdout)
    assert type(yaml.safe_load(cli(*words, "-o", "yaml").stdout)) is type(as_json)
    assert cli(*words, "-o", "jsonpath={.nothing}{'end'}").stdout == "end"
    assert cli(*words, "-o", "name").stderr == cli(*words, "-o", "json").stderr
    assert cli(*words, "-o", "text").stdout != ""
    assert cli(*words, "-o", "wide").returncode == 2


def test_forms_are_completed() -> None:
    context = click.Context(corral)
    option = next(one for one in PAGES["corral list"].command.params if "-o" in one.opts)
    assert [one.value for one in option.shell_complete(context, "j")] == ["json", "jsonpath="]
    assert option.type.convert(OutputForm("json"), None, None) == OutputForm("json")
