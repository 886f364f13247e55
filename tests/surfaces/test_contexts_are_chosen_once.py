"""`corral use`: a context and a namespace for later commands, kept in Corral's home and nowhere else."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.typed_line import Typing, typed

__all__ = ["typed"]

KUBECONFIG = {
    "current-context": "prod",
    "clusters": [
        {"name": "p", "cluster": {"server": "https://prod.example:6443"}},
        {"name": "l", "cluster": {"server": "http://127.0.0.1:1"}},
    ],
    "contexts": [
        {"name": "prod", "context": {"cluster": "p", "namespace": "serving"}},
        {"name": "lab", "context": {"cluster": "l"}},
    ],
}


@pytest.fixture(autouse=True)
def _two_contexts(tmp_path: Path) -> None:
    (tmp_path / "kubeconfig").write_text(json.dumps(KUBECONFIG))


def chosen(typed: Typing) -> tuple[str, str]:
    """Returns the context and the namespace that count."""
    found = json.loads(typed("config", "view", "-o", "json").out)
    return found["context"]["value"], found["namespace"]["value"]


def test_without_a_choice_the_current_context_counts(typed: Typing) -> None:
    shown = typed("use")
    assert shown.out.splitlines() == [
        "   CONTEXT   NAMESPACE  SERVER",
        "   lab       default    http://127.0.0.1:1",
        "*  prod      serving    https://prod.example:6443",
        "   embedded  default    -",
    ]
    assert shown.err == "chosen by current kube context\n"


def test_a_choice_counts_for_later_commands_and_leaves_the_kubeconfig_alone(typed: Typing, tmp_path: Path) -> None:
    before = (tmp_path / "kubeconfig").read_bytes()
    assert typed("use", "lab", "-n", "vision") == (0, "using lab, namespace vision\n", "")
    assert chosen(typed) == ("lab", "vision")
    refused = typed("get")
    assert refused.status == 8
    assert "http://127.0.0.1:1" in refused.err
    assert (tmp_path / "kubeconfig").read_bytes() == before
    assert os.stat(tmp_path / "home" / "used.json").st_mode & 0o077 == 0


def test_a_namespace_alone_keeps_the_context_that_counts(typed: Typing) -> None:
    assert typed("use", "-n", "vision").out == "using prod, namespace vision\n"
    assert chosen(typed) == ("prod", "vision")


def test_a_namespace_counts_only_with_its_context(typed: Typing, monkeypatch: pytest.MonkeyPatch) -> None:
    typed("use", "lab", "-n", "vision")
    monkeypatch.setenv("CORRAL_CONTEXT", "prod")
    assert chosen(typed) == ("prod", "serving")
    assert typed("use", "lab").err == "note: here prod counts, chosen by CORRAL_CONTEXT\n"


@pytest.mark.parametrize("words", [("use", "-"), ("use", "--clear")])
def test_a_choice_can_be_forgotten(typed: Typing, words: tuple[str, ...]) -> None:
    typed("use", "lab")
    assert typed(*words).out == "forgotten; commands talk to prod (chosen by current kube context)\n"
    assert chosen(typed) == ("prod", "serving")


def test_a_context_that_is_not_there_is_refused_and_changes_nothing(typed: Typing) -> None:
    typed("use", "lab")
    assert typed("use", "labb") == (
        2,
        "",
        'error: there is no context "labb"\nhint: known contexts: lab, prod, embedded\n',
    )
    assert chosen(typed)[0] == "lab"


def test_a_chosen_context_that_went_away_is_an_error_and_never_skipped(typed: Typing, tmp_path: Path) -> None:
    typed("use", "lab")
    (tmp_path / "kubeconfig").write_text(json.dumps({**KUBECONFIG, "contexts": KUBECONFIG["contexts"][:1]}))
    refused = typed("get")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith('error: there is no context "lab" (chosen by corral use)')
    assert 'note: there is no context "lab"' in typed("use").err
    assert typed("use", "--clear").status == 0


@pytest.mark.parametrize("words", [("use", "lab", "-n", "A_B"), ("use", "--clear", "lab"), ("use", "-", "-n", "x")])
def test_what_makes_no_sense_is_a_usage_error(typed: Typing, words: tuple[str, ...]) -> None:
    refused = typed(*words)
    assert (refused.status, refused.out, len(refused.err.splitlines())) == (2, "", 2)


def test_a_damaged_note_is_told_and_can_be_forgotten(typed: Typing, tmp_path: Path) -> None:
    typed("use", "lab")
    (tmp_path / "home" / "used.json").write_text("[]")
    assert typed("get").err.splitlines()[-1] == "hint: `corral use --clear` makes it good again"
    assert typed("use", "--clear").status == 0
    assert chosen(typed)[0] == "prod"


def test_many_at_once_leave_one_whole_choice(tmp_path: Path) -> None:
    """Whoever changes a small file sees what the others wrote, and nobody sees half of it."""
    import threading

    from corral.engine.small_files import change_private

    path = tmp_path / "count"
    adding: Callable[[str], str] = lambda text: str(int(text or 0) + 1)  # noqa: E731

    def add() -> None:
        for _ in range(20):
            change_private(str(path), adding)

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() == "80"
