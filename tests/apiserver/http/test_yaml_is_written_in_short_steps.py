"""Answers in YAML say what the JSON says, and neither they nor bodies in YAML hold up other clients (invariant A5)."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from corral.engine.apiserver.http.negotiation import Form
from corral.engine.apiserver.http.parts import Parts
from corral.engine.apiserver.http.response import STEP_BYTES, encoded
from corral.engine.apiserver.http.yaml_text import yaml_text
from corral.engine.apiserver.rest.body import parsed_yaml
from corral.kinds.documents import load_document

YAML = Form(yaml=True)

texts = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["yes", "NULL", "~", "1e3", "0x1f", "12:30", "a: b", "a #b", "- x", "a:", "\x7f\x85\u2028", "😀", ""]
    ),
)
numbers = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | texts
values = st.recursive(scalars, lambda v: st.lists(v, max_size=4) | st.dictionaries(texts, v, max_size=4), max_leaves=30)


@given(values)
def test_what_is_written_is_read_back(value: Any) -> None:
    text = yaml_text(value)
    assert load_document("[" + text + "]" if not isinstance(value, dict | list) else text) == (
        value if isinstance(value, dict | list) else [value]
    )


@given(texts, scalars)
def test_readers_of_older_yaml_read_the_same(key: str, value: Any) -> None:
    assert yaml.safe_load(yaml_text({key: [value]})) == {key: [value]}


def test_a_key_may_be_longer_than_yaml_likes() -> None:
    value = {"k" * 3000: {"a": 1}, "l" * 3000: [1], "m" * 3000: "n"}
    assert load_document(yaml_text(value)) == value


async def _sent(body: bytes | Parts) -> tuple[bytes, list[dict[str, Any]]]:
    messages: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        messages.append(message)

    await encoded(200, body, YAML).send(send)
    return b"".join(m.get("body", b"") for m in messages), messages


async def _turns_during(work: Coroutine[Any, Any, Any]) -> tuple[Any, int]:
    task = asyncio.ensure_future(work)
    turns = 0
    while not task.done():
        await asyncio.sleep(0)
        turns += 1
    return task.result(), turns


@pytest.mark.anyio
@pytest.mark.parametrize("count", [0, 1, 3, 5000])
async def test_a_list_in_yaml_is_the_list_in_json(count: int) -> None:
    items = [{"metadata": {"name": f"p{n}", "labels": {"on": "yes"}}, "n": [n, []]} for n in range(count)]
    pieces: list[bytes] = [b'{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[']
    for index, item in enumerate(items):
        pieces += [b",{" if index else b"{", msgspec.json.encode(item)[1:]]
    parts = Parts([*pieces, b"]}"])
    body, messages = await _sent(parts)
    assert load_document(body) == msgspec.json.decode(parts.joined())
    assert dict(messages[0]["headers"])[b"content-type"] == b"application/yaml"


@pytest.mark.anyio
async def test_other_work_goes_on_while_a_long_list_is_written() -> None:
    item = msgspec.json.encode({"data": {f"key-{n}": "value" for n in range(20)}})
    parts = Parts([b'{"items":[', *[b"", item], *[b",", item] * 20_000, b"]}"])
    (body, _), turns = await _turns_during(_sent(parts))
    assert turns >= len(body) // (2 * STEP_BYTES)


@pytest.mark.anyio
async def test_other_work_goes_on_while_one_long_object_is_written_or_read() -> None:
    value = {"data": {f"key-{n}": "some value" for n in range(40_000)}}
    (body, _), turns = await _turns_during(_sent(msgspec.json.encode(value)))
    assert turns > 3
    read, turns = await _turns_during(parsed_yaml(body))
    assert read == value
    assert turns > 3
