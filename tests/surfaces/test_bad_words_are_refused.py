"""Names and flags that nobody should type, on every command that takes names; and any words at all on every command.

Each bad name is one line with exit status 2, before anybody is asked. Any words whatever end in a known status, without a
traceback, without half an answer, and without a sign that steers a terminal.
"""

import io
import json
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corral.surfaces.cli.main import corral, run
from tests.surfaces.test_refusals_of_apis import Unwilling
from tests.surfaces.typed_line import Typing, typed

__all__ = ["typed"]

KNOWN = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 75, 130}

NAMES: dict[str, str] = {
    "1 empty": "",
    "2 too long": "a" * 254,
    "3 a flag": "-rf",
    "4 a second command": "a;touch x",
    "5 a substitution": "$(id)",
    "6 backticks": "`id`",
    "7 a pipe": "a|b",
    "8 a new line": "a\nb",
    "9 a NUL": "a\0b",
    "10 a way up": "../a",
    "11 upper case and underscore": "A_B",
    "12 a picture and a turn of direction": "\U0001f600\u202eb",
    "13 a letter that looks alike": "digit\u0455",
    "14 a template": "{{.Values.x}}",
    "14 another template": "{{7*7}}",
    "15 an encoded NUL": "%00",
    "15 an encoded way up": "%2e%2e",
    "16 an escape": "\x1b]0;owned\x07",
}


def leaves(context: click.Context) -> Iterator[click.Context]:
    """Yields the context of every command that does something."""
    group = context.command
    assert isinstance(group, click.Group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            yield from leaves(inner)
        else:
            yield inner


COMMANDS = {
    one.command_path.partition(" ")[2]: one.command for one in leaves(click.Context(corral, info_name="corral"))
}

TAKE_NAMES = {
    path: command
    for path, command in COMMANDS.items()
    if {"job", "jobs", "names"} & {parameter.name for parameter in command.params}
    or "--name" in {flag for parameter in command.params for flag in parameter.opts}
}


def test_every_command_that_takes_names_is_found() -> None:
    assert {"get", "logs", "delete", "wait", "why", "exec", "suspend", "submit tfjob"} <= TAKE_NAMES.keys() | {"get"}


def _with_name(path: str, command: click.Command, name: str) -> list[str]:
    """Returns a command line in which everything is good but the name."""
    words = path.split()
    if any("--name" in parameter.opts and isinstance(parameter, click.Option) for parameter in command.params):
        words.append(f"--name={name}")
        if path.startswith("submit"):
            return [*words, "--image", "x", "--", "true"]
    if {"job", "jobs", "names"} & {parameter.name for parameter in command.params}:
        return [*words, "--", name, *(["true"] if path == "exec" else [])]
    return words


@pytest.fixture
def _down(typed: Typing, tmp_path: Path) -> None:
    (tmp_path / "kubeconfig").write_text(_kubeconfig("http://127.0.0.1:1"))


def _kubeconfig(server: str) -> str:
    return json.dumps(
        {
            "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": server}}],
            "contexts": [{"name": "c", "context": {"cluster": "c"}}],
        }
    )


@pytest.mark.usefixtures("_down")
@pytest.mark.parametrize("path", [*TAKE_NAMES, "get"])
def test_bad_names_are_one_line_before_anybody_is_asked(path: str, typed: Typing) -> None:
    for name in NAMES.values():
        line = ["get", "pod", "--", name] if path == "get" else _with_name(path, COMMANDS[path], name)
        done = typed(*line)
        assert (done.status, done.out) == (2, ""), (line, done.err)
        assert done.err.startswith("error: ")
        assert len(done.err.splitlines()) <= 2
        assert all(sign.isprintable() for sign in done.err.replace("\n", ""))


@pytest.mark.usefixtures("_down")
@pytest.mark.parametrize("path", ["list", "get", "logs x", "apply -f f", "submit tfjob --name a --image b"])
def test_bad_namespaces_are_one_line_before_anybody_is_asked(path: str, typed: Typing) -> None:
    for name in filter(None, NAMES.values()):
        done = typed(*path.split(), f"--namespace={name}")
        assert (done.status, done.out, len(done.err.splitlines())) == (2, "", 2)


# --- any words at all -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def unwilling() -> Iterator[str]:
    """The address of an API that forbids everything, at once."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Unwilling)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


ENDLESS = ("up", "node", "operator", "scheduler", "down")
"""Commands that start or stop something when their words are good, so one of them is always bad."""

WORDS = st.one_of(
    st.sampled_from(
        [*NAMES.values(), "a", "pods", "pod/a", "1", "-1", "0.5", "1e309", "json", "x=y", "spec.a=1", "--", "-"]
    ),
    st.text(max_size=12),
)


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """Returns a command with some of its flags, some that it does not have, and words of any kind."""
    path = draw(st.sampled_from(sorted(COMMANDS)))
    flags = [flag for one in COMMANDS[path].params if isinstance(one, click.Option) for flag in one.opts]
    calm = [flag for flag in flags if flag not in ("--debug", "--context", "--kubeconfig", "--config", "--help")]
    word = st.one_of(
        st.sampled_from(calm or ["--nonsense"]),
        st.builds("{}={}".format, st.sampled_from(calm or ["--nonsense"]), WORDS),
        WORDS,
    )
    words = draw(st.lists(word, max_size=5))
    return [*path.split(), *(["--nonsense"] if path.split()[0] in ENDLESS else []), *words]


@given(line=command_lines())
@settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_words_end_in_a_known_status_without_a_traceback(
    line: list[str],
    unwilling: str,
    typed: Typing,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "kubeconfig").write_text(_kubeconfig(unwilling))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    done = typed(*line)
    assert done.status in KNOWN, (line, done.err)
    assert "Traceback" not in done.err
    assert "\x1b" not in done.err
    if done.status in (2, 4, 5, 8, 10):
        assert done.out == "", line
        assert "error" in done.err, line


def test_words_that_are_no_text_are_refused_like_others(typed: Typing) -> None:
    """A byte that is no UTF-8 reaches Python as half of a pair, which cannot be written again."""
    assert run(["logs", "a\udcff"]) == 2
    assert run(["\udcff"]) == 2
