"""Strategic merge patch: a merge patch that knows, from the schema, which lists merge by key and which are replaced.

Directives inside the patch: `$patch` (replace, delete; in lists of maps per item), `$retainKeys`,
`$setElementOrder/<list>` and `$deleteFromPrimitiveList/<list>`. A problem that the real server does not expect is a
500 there without a reason, and so it is here: clients of both must see the same.
"""

from typing import Any

from corral.engine.apiserver.failures import bad_request
from corral.engine.apiserver.patch.go_values import printed, type_name
from corral.engine.apiserver.patch.list_order import merge_key_of, rearranged
from corral.engine.apiserver.patch.merge_patch import without_nulls
from corral.engine.apiserver.patch.refusals import not_an_object, rejected, unexpected
from corral.engine.apiserver.schema.node import Schema

_ORDER = "$setElementOrder"
_DELETE = "$deleteFromPrimitiveList"
_RETAIN = "$retainKeys"
_DIRECTIVE = "$patch"
_ANY = Schema()
_ABSENT: Any = object()


def apply(original: dict[str, Any], patch: Any, schema: Schema) -> dict[str, Any]:
    """Returns the original with the patch merged in, guided by the schema's patch strategies and merge keys."""
    if patch is None:
        return original
    if not isinstance(patch, dict):
        raise not_an_object(patch, "")
    return _merged_map(original, patch, schema)


def _merged_map(original: dict[str, Any], patch: dict[str, Any], schema: Schema) -> dict[str, Any]:
    if _DIRECTIVE in patch:
        return _directed(patch)
    result = _retained(original, patch)
    done = {_RETAIN}
    for key in patch:
        if key.startswith(_ORDER):
            done |= {key, _order_list(result, patch, key, schema)}
    for key, value in patch.items():
        if key not in done:
            _merge_field(result, key, value, schema)
    return result


def _directed(patch: dict[str, Any]) -> dict[str, Any]:
    match patch[_DIRECTIVE]:
        case "replace":
            return {key: value for key, value in patch.items() if key != _DIRECTIVE}
        case "delete":
            return {}
    raise unexpected(f"unknown patch type: {printed(patch[_DIRECTIVE])} in map: {printed(patch)}")


def _retained(original: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    if _RETAIN not in patch:
        return dict(original)
    keys = patch[_RETAIN]
    if not isinstance(keys, list):
        raise bad_request("invalid patch format of retainKeys")
    for key, value in patch.items():
        if value is not None and key != _RETAIN and not key.startswith((_ORDER, _DELETE)) and key not in keys:
            raise bad_request("invalid patch format of retainKeys")
    return {key: value for key, value in original.items() if key in keys}


def _merge_field(result: dict[str, Any], key: str, value: Any, schema: Schema) -> None:
    deletes = key.startswith(_DELETE)
    if deletes:
        key = _list_of(key, _DELETE, "primitive list")
    if value is None:
        result.pop(key, None)
        return
    current = result.get(key, _ABSENT)
    if type(current) is not type(value):
        if not deletes:
            _put(result, key, without_nulls(value))
    elif isinstance(value, dict):
        field = _field(schema, key)
        result[key] = value if "replace" in field.patch_strategies else _merged_map(current, value, field)
    elif isinstance(value, list):
        result[key] = _merged_list(current, value, _field(schema, key), deletes=deletes)
    else:
        result[key] = value


def _put(result: dict[str, Any], key: str, value: Any) -> None:
    kept = _without_directives(value)
    if kept is _ABSENT:
        result.pop(key, None)
    else:
        result[key] = kept


def _without_directives(value: Any) -> Any:
    """Returns an added value without the parts that only say what to do with something that is not there."""
    if isinstance(value, dict):
        if _DIRECTIVE in value:
            return _ABSENT
        kept = {key: _without_directives(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item is not _ABSENT}
    if isinstance(value, list):
        return [item for item in map(_without_directives, value) if item is not _ABSENT]
    return value


def _list_of(key: str, prefix: str, what: str) -> str:
    directive, _, name = key.partition("/")
    if directive != prefix or not name:
        raise bad_request(f"invalid patch format of {what}")
    return name


def _field(schema: Schema, key: str) -> Schema:
    if key in schema.properties:
        return schema.properties[key]
    if schema.properties and schema.additional is None and not schema.preserve_unknown:
        struct = schema.ref.rsplit(".", 1)[-1]
        raise unexpected(f'unable to find api field in struct {struct} for the json field "{key}"')
    return schema.additional or _ANY


def _order_list(result: dict[str, Any], patch: dict[str, Any], key: str, schema: Schema) -> str:
    """Merges the list that an order directive speaks about, puts it into that order, and returns its name."""
    order = patch[key]
    if not isinstance(order, list):
        raise unexpected(f"expected a []interface {{}}, but received a {type_name(order)}")
    name = _list_of(key, _ORDER, "setElementOrder list")
    lists = [holder[name] for holder in (result, patch) if name in holder]
    for found in lists:
        if not isinstance(found, list):
            raise unexpected(f"expected a []interface {{}}, but received a {type_name(found)}")
    field = _field(schema, name)
    if not lists:
        return name
    live, wanted = result.get(name), patch.get(name)
    if wanted is not None:
        _check_order(wanted, order, field.patch_merge_key)
    if live is None:
        merged = _without_directives(wanted)
    else:
        merged = live if wanted is None else _merged_list(live, wanted, field, deletes=False)
    result[name] = rearranged(merged, order, live or [], field.patch_merge_key)
    return name


def _check_order(wanted: list[Any], order: list[Any], merge_key: str) -> None:
    """Refuses a patch whose list does not follow its own order directive."""
    if not order or not wanted:
        return
    places = iter(order)
    for item in wanted:
        if isinstance(item, dict) and _DIRECTIVE in item:
            continue
        key = merge_key_of(item, merge_key) if merge_key else item
        if not any((merge_key_of(place, merge_key) if merge_key else place) == key for place in places):
            raise unexpected(
                f"The order in patch list:\n{printed(wanted)}\n doesn't match {_ORDER} list:\n{printed(order)}\n"
            )


def _merged_list(live: list[Any], wanted: list[Any], field: Schema, *, deletes: bool) -> list[Any]:
    if not deletes and "merge" not in field.patch_strategies:
        return wanted
    if not live and not wanted:
        return live
    _check_elements(live, wanted)
    if isinstance((live or wanted)[0], dict):
        return _merged_maps(live, wanted, field)
    if deletes:
        return [item for item in live if item not in wanted]
    return rearranged(list(dict.fromkeys([*live, *wanted])), wanted, live, "")


def _check_elements(live: list[Any], wanted: list[Any]) -> None:
    first, *others = [*live, *wanted]
    if isinstance(first, list):
        raise rejected()
    if any(type(item) is not type(first) for item in others):
        raise unexpected(f"list element types are not identical: {printed([live, wanted])}")


def _merged_maps(live: list[Any], wanted: list[Any], field: Schema) -> list[Any]:
    key = field.patch_merge_key
    items = field.items or _ANY
    if not key:
        raise unexpected(f"cannot merge lists without merge key for {items.ref.rsplit('.', 1)[-1]}")
    live, wanted = _without_special(live, wanted, key)
    result = list(live)
    for item in wanted:
        value = merge_key_of(item, key)
        place = next((i for i, other in enumerate(result) if key in other and other[key] == value), None)
        if place is None:
            result.append(item)
        else:
            result[place] = _merged_map(result[place], item, items)
    return rearranged(result, wanted, live, key)


def _without_special(live: list[Any], wanted: list[Any], key: str) -> tuple[list[Any], list[Any]]:
    """Carries out the `$patch` items of a list; returns what is left of both lists."""
    plain = [item for item in wanted if _DIRECTIVE not in item]
    replaces = False
    for item in wanted:
        match item.get(_DIRECTIVE, _ABSENT):
            case "delete":
                value = merge_key_of(item, key)
                live = [other for other in live if key not in other or other[key] != value]
            case "replace":
                replaces = True
            case "merge":
                raise unexpected("merging lists cannot yet be specified in the patch")
            case directive if directive is not _ABSENT:
                raise unexpected(f"unknown patch type: {printed(directive)} in map: {printed(item)}")
    return (plain, []) if replaces else (live, plain)
