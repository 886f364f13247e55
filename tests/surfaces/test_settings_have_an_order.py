"""Settings: a flag, a variable, the project's file, `corral use`, the user's file, Arena's file; the first counts."""

import json
import os
from pathlib import Path

import pytest

from corral.control.settings.table import SETTINGS, setting_named
from corral.control.settings.texts import arena_values, values_in, with_value
from corral.errors import PermanentError
from tests.surfaces.typed_line import Typing, typed

__all__ = ["typed"]


def view(typed: Typing, *flags: str) -> dict[str, dict[str, str]]:
    """Returns every setting with its origin."""
    shown = typed("config", "view", "-o", "json", *flags)
    assert shown.status == 0, shown.err
    found: dict[str, dict[str, str]] = json.loads(shown.out)
    return found


def test_each_place_counts_more_than_those_behind_it(
    typed: Typing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the last place to the first, each is added, and each wins."""
    arena = tmp_path / ".arena" / "config"
    arena.parent.mkdir()
    (tmp_path / "kubeconfig").write_text(
        '{"current-context": "c", "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],'
        ' "contexts": [{"name": "c", "context": {"cluster": "c", "namespace": "of-context"}}]}'
    )
    assert view(typed)["namespace"] == {"value": "of-context", "origin": "context"}
    arena.write_text("namespace = of-arena\n")
    assert view(typed)["namespace"] == {"value": "of-arena", "origin": str(arena)}
    typed("config", "set", "namespace", "of-user")
    assert view(typed)["namespace"] == {"value": "of-user", "origin": str(tmp_path / "home" / "config.yaml")}
    typed("use", "c", "-n", "of-use")
    assert view(typed)["namespace"] == {"value": "of-use", "origin": "corral use"}
    project = tmp_path / ".corral.yaml"
    project.write_text("namespace: of-project\n")
    assert view(typed)["namespace"] == {"value": "of-project", "origin": str(project)}
    monkeypatch.setenv("CORRAL_NAMESPACE", "of-variable")
    assert view(typed)["namespace"] == {"value": "of-variable", "origin": "CORRAL_NAMESPACE"}
    assert view(typed, "-n", "of-flag")["namespace"] == {"value": "of-flag", "origin": "--namespace"}


def test_every_setting_is_shown_and_told_where_it_comes_from(typed: Typing) -> None:
    assert list(view(typed)) == [one.name for one in SETTINGS]
    head, *rows = typed("config", "view", "--show-origin").out.splitlines()
    assert head.split() == ["SETTING", "VALUE", "ORIGIN"]
    assert len(rows) == len(SETTINGS)


def test_arenas_namespace_does_not_count_on_one_machine(
    typed: Typing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names a namespace of a cluster; the API of this machine has none of that name."""
    (tmp_path / "arena").write_text("namespace=research\n")
    monkeypatch.setenv("ARENA_CONFIG", str(tmp_path / "arena"))
    assert view(typed)["namespace"] == {"value": "default", "origin": "default"}


def test_what_arena_sets_and_nobody_can_honour_is_told() -> None:
    read = arena_values('# mine\nimagePullSecrets = "a,b"\ntfjob_role_sequence = w,p\nprometheus_address=http://x\n')
    assert read.values == {"image-pull-secrets": "a,b"}
    assert [note.split()[0] for note in read.notes] == ["tfjob_role_sequence", "prometheus_address"]


def test_secrets_for_images_come_from_wherever_they_are_set(
    typed: Typing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from corral import assembly

    assert assembly.image_pull_secrets() == ()
    (tmp_path / "folder" / ".corral.yaml").write_text("image-pull-secrets: [team, mirror]\n")
    assert assembly.image_pull_secrets() == ("team", "mirror")
    monkeypatch.setenv("CORRAL_IMAGE_PULL_SECRETS", "mine, other")
    assert assembly.image_pull_secrets() == ("mine", "other")


@pytest.mark.parametrize(
    ("text", "told", "hint"),
    [
        ("namspace: x\n", 'there is no setting "namspace"', 'did you mean "namespace"?'),
        ("color: red\n", "", ""),
        ("home: /elsewhere\n", "home cannot be set in a file", "set the variable CORRAL_HOME"),
        ("kubeconfig: ./other\n", "kubeconfig cannot be set by a project", "`corral config set kubeconfig VALUE`"),
        ("context: prod\n", "context cannot be set by a project", "`corral config set context VALUE`"),
        ("- context\n", "is not a mapping of settings to values", ""),
        ("namespace: [a]\n", "namespace must be text", ""),
        ("namespace: a\nnamespace: b\n", "", ""),
    ],
)
def test_a_file_with_a_fault_is_refused_with_its_place(
    typed: Typing, tmp_path: Path, text: str, told: str, hint: str
) -> None:
    path = tmp_path / "folder" / ".corral.yaml"
    path.write_text(text)
    refused = typed("config", "view")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith("error: " + str(path))
    assert told in refused.err
    assert hint in refused.err


def test_a_project_cannot_choose_what_is_run_or_read_or_spoken_to() -> None:
    """Its file came with somebody else's folder, and a kubeconfig may name programs to run."""
    assert {one.name for one in SETTINGS if one.in_projects} == {"namespace", "image-pull-secrets"}


def test_a_cloned_folder_does_not_send_commands_to_another_cluster(typed: Typing, tmp_path: Path) -> None:
    """What was chosen by `corral use` counts, and a project that would choose otherwise is refused, not overruled."""
    cluster = '{"name": "%s", "cluster": {"server": "http://127.0.0.1:1"}}'
    context = '{"name": "%s", "context": {"cluster": "%s"}}'
    (tmp_path / "kubeconfig").write_text(
        f'{{"clusters": [{cluster % "a"}, {cluster % "b"}], "contexts": [{context % ("a", "a")}, {context % ("b", "b")}]}}'
    )
    assert typed("use", "a").status == 0
    project = tmp_path / "folder" / ".corral.yaml"
    project.write_text("context: b\n")
    refused = typed("list")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith(f"error: {project}: context cannot be set by a project\n")
    project.unlink()
    assert view(typed)["context"] == {"value": "a", "origin": "corral use"}


def test_the_file_of_a_project_must_belong_to_who_uses_it(tmp_path: Path) -> None:
    from corral.adapters.system.project_file import project_file

    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / ".corral.yaml").write_text("namespace: x\n")
    me = os.getuid()
    found = project_file(str(inner), me)
    assert found is not None
    assert found.path == str(tmp_path / "a" / ".corral.yaml")
    assert project_file(str(inner), me, stop_at=str(inner)) is None
    if me == 0:
        os.chown(found.path, 12345, -1)
    assert project_file(str(inner), me if me == 0 else me + 1) is None


def test_setting_and_taking_back_keeps_everything_else_of_a_file() -> None:
    color, namespace = setting_named("color"), setting_named("namespace")
    text = "# mine\ncolor: always   # for the projector\ncontext: lab\n"
    changed = with_value(text, namespace, "vision", "f")
    assert changed == text + "namespace: vision\n"
    assert with_value(changed, color, "", "f") == "# mine\ncontext: lab\nnamespace: vision\n"


def test_a_value_on_several_lines_is_replaced_whole() -> None:
    secrets = setting_named("image-pull-secrets")
    text = "image-pull-secrets:\n- a\n- b\ncontext: lab\n"
    assert values_in(with_value(text, secrets, "c", "f"), "f") == {"image-pull-secrets": "c", "context": "lab"}


@pytest.mark.parametrize("value", ["a b", "x: y", "#", "'", '"', "1", "yes", "-", "[a", "näm\u2028e", "null"])
def test_any_value_is_read_as_it_was_written(value: str) -> None:
    context = setting_named("context")
    assert values_in(with_value("", context, value, "f"), "f") == {"context": value}


def test_what_is_written_is_read_without_a_yaml_parser(typed: Typing) -> None:
    """It takes longer to load than all the rest of a quick command."""
    import subprocess
    import sys

    for key, value in (("namespace", "vision"), ("image-pull-secrets", "a,b"), ("color", "never")):
        assert typed("config", "set", key, value).status == 0
    program = "import sys, corral.assembly as a; a.read_settings(); sys.exit('yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], timeout=60).returncode == 0


def test_unknown_and_misplaced_settings_are_refused_before_a_file_is_made(typed: Typing, tmp_path: Path) -> None:
    assert typed("config", "set", "colour", "never").err.splitlines()[-1] == 'hint: did you mean "color"?'
    assert typed("config", "set", "color", "allways") == (
        2,
        "",
        'error: color cannot be "allways"\nhint: did you mean "always"?\n',
    )
    assert typed("config", "set", "home", "x").status == 2
    assert not (tmp_path / "home" / "config.yaml").exists()


def test_an_unusable_value_in_a_variable_names_the_variable(typed: Typing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORRAL_COLOR", "blue")
    refused = typed("config", "view")
    assert (refused.status, refused.err.splitlines()[0]) == (2, 'error: CORRAL_COLOR: color cannot be "blue"')


def test_a_text_that_is_no_mapping_is_refused() -> None:
    with pytest.raises(PermanentError, match="not a mapping"):
        values_in("just words\n", "f")
