"""Which files of a folder go along with a run, and how they are found again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.errors import PermanentError
from corral.kinds.script_run.run_name import name_of_run
from corral.kinds.submission.code_bundle import (
    LARGEST_TEXT,
    MOST_BYTES,
    MOST_FILES,
    CodeBundle,
    CodeFile,
    SeenFile,
    bundled,
    config_map,
    is_code_folder,
    volume,
)


def bundle(**files: bytes) -> CodeBundle:
    named = {name.replace("__", "/").replace("_", "."): content for name, content in files.items()}
    return bundled([SeenFile(path, len(content)) for path, content in named.items()], named.__getitem__)


def paths(found: CodeBundle) -> list[str]:
    return [one.path for one in found.files]


def test_python_and_small_texts_go_along() -> None:
    found = bundle(
        train_py=b"import torch", conf__lr_yaml=b"lr: 1", README_md=b"# x", model_pt=b"\0\1", note_txt=b"\xff"
    )
    assert paths(found) == ["README.md", "conf/lr.yaml", "train.py"]
    assert [one.path for one in found.left_out] == ["model.pt", "note.txt"]


def test_large_texts_are_data_and_large_scripts_are_code() -> None:
    found = bundle(data_csv=b"1" * (LARGEST_TEXT + 1), big_py=b"#" * (LARGEST_TEXT + 1))
    assert (paths(found), [one.path for one in found.left_out]) == (["big.py"], ["data.csv"])


def test_what_is_hidden_or_a_key_is_not_even_read() -> None:
    seen = [SeenFile(path, 1) for path in (".env", "conf/.netrc", "server.pem", "id.key", "a.pyc")]

    def read(path: str) -> bytes:
        raise AssertionError(path)

    assert bundled(seen, read) == CodeBundle(())


@pytest.mark.parametrize("name", [".git", ".venv", "__pycache__", "venv", "node_modules", "x.egg-info", "wandb"])
def test_folders_of_tools_are_left_out(name: str) -> None:
    assert not is_code_folder(name)


@pytest.mark.parametrize("name", ["src", "models", "data", "conf"])
def test_folders_of_people_are_looked_into(name: str) -> None:
    assert is_code_folder(name)


def test_too_much_code_is_refused_with_the_largest_files() -> None:
    half = b"#" * (MOST_BYTES // 2)
    with pytest.raises(PermanentError) as refused:
        bundle(a_py=half, b_py=half, c_py=b"#" * 2048)
    assert refused.value.code == "code-too-large"
    assert refused.value.message == (
        "the code has 902 KiB, more than 900 KiB; the largest files: a.py (450 KiB), b.py (450 KiB), c.py (2 KiB)"
    )
    with pytest.raises(PermanentError, match=r"huge\.py \(3000 KiB\)"):
        bundled([SeenFile("huge.py", 3000 * 1024)], lambda _: b"")


def test_too_many_files_are_refused() -> None:
    seen = [SeenFile(f"{number}.py", 1) for number in range(MOST_FILES + 1)]
    with pytest.raises(PermanentError, match="401 files, more than 400"):
        bundled(seen, lambda _: b"#")


SEGMENT = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=60)
PATH = st.lists(SEGMENT.filter(lambda one: not one.startswith(".")), min_size=1, max_size=4).map("/".join)


@given(st.sets(PATH, max_size=30))
def test_every_path_has_a_key_of_its_own_that_a_config_map_takes(names: set[str]) -> None:
    found = CodeBundle(tuple(CodeFile(path, path[::-1]) for path in sorted(names)))
    data = config_map("x-code", found)["data"]
    items = volume("code", "x-code", found)["configMap"]["items"]
    assert {item["path"]: data[item["key"]] for item in items} == {path: path[::-1] for path in names}
    for key in data:
        assert 0 < len(key) <= 253
        assert set(key) <= set("-._abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        assert not key.startswith(".")


@pytest.mark.parametrize(
    ("script", "want"),
    [
        ("train.py", "train-x7k2p"),
        ("src/Train_Model.v2.py", "train-model-v2-x7k2p"),
        ("__main__.py", "main-x7k2p"),
        ("2nd.py", "run-2nd-x7k2p"),
        ("训练.py", "run-x7k2p"),
        ("a" * 80 + ".py", "a" * 40 + "-x7k2p"),
    ],
)
def test_a_run_is_named_after_its_script(script: str, want: str) -> None:
    assert name_of_run(script, "x7k2pqq") == want
