"""Objects for programs: JSON, YAML, names or what a template takes out of them, the same data as the API's."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from corral.errors import PermanentError
from corral.surfaces.cli.render.output import say

if TYPE_CHECKING:
    from corral.surfaces.cli.words.json_template import JsonTemplate
    from corral.surfaces.cli.words.output_form import OutputForm


def list_of(items: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Returns objects as the List that kubectl makes of them."""
    return {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": list(items)}


def written(value: Any, form: str) -> str:
    """Returns a value as JSON or YAML."""
    if form == "json":
        return _json(value, indent=2)
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return str(yaml.dump(value, Dumper=dumper, sort_keys=False, allow_unicode=True)).rstrip("\n")


def _json(value: Any, *, indent: int | None = None) -> str:
    import json  # tables do without

    return json.dumps(value, indent=indent, ensure_ascii=False)


def say_data(
    value: Any, names: Sequence[str], form: "OutputForm", *, is_stream: bool = False, with_managers: bool = False
) -> None:
    """Writes data in the form that was asked for; `names` are what `-o name` shows, a stream has one value a line.

    Who wrote which field is left out of JSON and YAML, as kubectl does, unless `with_managers` asks for it.
    """
    if form.name in ("json", "yaml") and not with_managers:
        value = _without_managers(value)
    if form.name == "name":
        say("\n".join(names), end="\n" if names else "")
    elif form.template is not None:
        say(_taken_out(value, form.template), end="\n" if is_stream else "")
    elif is_stream:
        say(_json(value) if form.name == "json" else f"---\n{written(value, form.name)}")
    else:
        say(written(value, form.name))


def _without_managers(value: Any) -> Any:
    """Returns an object, or a List of them, without `metadata.managedFields`; anything else as it is."""
    if not isinstance(value, dict):
        return value
    metadata, items = value.get("metadata"), value.get("items")
    if isinstance(metadata, dict) and "managedFields" in metadata:
        value = value | {"metadata": {key: one for key, one in metadata.items() if key != "managedFields"}}
    if value.get("kind") == "List" and isinstance(items, list):
        value = value | {"items": [_without_managers(one) for one in items]}
    return value


def _taken_out(value: Any, template: "JsonTemplate") -> str:
    from corral.kinds.json_path import JsonPathError

    try:
        return template.write(value)
    except JsonPathError as error:
        raise PermanentError("bad-template", f"the template cannot be carried out: {error}") from error
