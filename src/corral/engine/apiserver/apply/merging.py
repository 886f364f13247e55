"""Merging an applied configuration into the live object: the configuration wins wherever it says something."""

from collections import deque
from typing import Any

from corral.engine.apiserver.apply.list_items import ANY, child_schema, indexed, is_atomic_list, item_step
from corral.engine.apiserver.schema.node import Schema


def merge(live: dict[str, Any], config: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """Returns the live object with the configuration merged in; it is `live` itself when nothing changes."""
    result = live
    for key, value in config.items():
        if key not in live:
            merged = value
        else:
            before = live[key]
            merged = _merged(before, value, child_schema(schema, key))
            if merged is before:
                continue
        if result is live:
            result = dict(live)
        result[key] = merged
    return result


def _merged(live: Any, config: Any, schema: Schema) -> Any:
    if live == config and type(live) is type(config):
        return live
    if isinstance(live, dict) and live and schema.map_type != "atomic":
        # Null takes nothing away from a map or list that is merged: it only says that the manager claims it.
        if config is None:
            return live
        if isinstance(config, dict):
            return merge(live, config, schema)
    if isinstance(live, list) and live and not is_atomic_list(schema):
        if config is None:
            return live
        if isinstance(config, list):
            return _merged_list(live, config, schema)
    return config


def _merged_list(live: list[Any], config: list[Any], schema: Schema) -> list[Any]:
    before, after = indexed(live, schema), indexed(config, schema)
    shape = schema.items or ANY
    result: list[Any] = []
    for step, item in _interleaved([(item_step(item, schema), item) for item in live], list(after)):
        if step not in after:
            result.append(item)
            continue
        was = before.get(step, [])
        # Duplicates of the live object give way to the one item that is applied.
        result.append(_merged(was[0], after[step][0], shape) if len(was) == 1 else after[step][0])
    return result


def _interleaved(live: list[tuple[str, Any]], config: list[str]) -> list[tuple[str, Any]]:
    """Returns the order of a merged list: applied items in their order, live ones where they stood between them."""
    applied, known = set(config), {step for step, _ in live}
    waiting = deque(config)
    shared = deque(step for step in config if step in known)
    result: list[tuple[str, Any]] = []
    at = 0
    while at < len(live) or waiting:
        step, item = live[at] if at < len(live) else ("", None)
        if at < len(live) and step not in applied:
            result.append((step, item))
            at += 1
        elif waiting and waiting[0] != step and shared and shared[0] != step and at < len(live):
            # Both lists have this item, but the configuration wants another one first: that one will come from there.
            at += 1
        else:
            if at < len(live) and (step not in waiting or step == waiting[0]):
                at += 1
            if waiting:
                due = waiting.popleft()
                result.append((due, None))
                if shared and shared[0] == due:
                    shared.popleft()
    return result
