"""Documents are part of the product: links lead somewhere, names are those of the code, nothing is undocumented."""

import re
from pathlib import Path

import pytest

from corral import __version__
from corral.kinds.documents import load_documents

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
METRICS_OF_PROGRAMS = (
    "training/telemetry",
    "training/operator",
    "operator_process",
    "scheduling/measures",
    "scheduling/process",
    "scheduling/queueing/readings",
)
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text())
    dead = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert dead == []


def test_the_readme_is_short_and_has_exactly_two_commands() -> None:
    assert 80 <= len(README.splitlines()) <= 150
    table = README.split("## Two commands")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(make [a-z]+)` \|", table, re.MULTILINE) == ["make demo", "make test"]


def test_every_make_target_that_a_page_names_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {name for page in PAGES for name in re.findall(r"`make ([a-z-]+)`", page.read_text())}
    assert named - targets == set()


def test_the_changelog_knows_this_version_and_keeps_a_place_for_the_next() -> None:
    headings = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[:2] == ["Unreleased", __version__]


def test_every_metric_is_documented() -> None:
    telling = ("engine/apiserver/metrics.py", *(f"control/{name}.py" for name in METRICS_OF_PROGRAMS))
    source = "".join((ROOT / "src/corral" / path).read_text() for path in telling)
    names = set(re.findall(r'"(?:# TYPE )?((?:apiserver|corral|training_operator)_[a-z_]+)', source))
    documented = set(re.findall(r"^\| `([a-z_]+)` \|", (ROOT / "docs/metrics.md").read_text(), re.MULTILINE))
    assert documented == names


def test_decisions_open_with_a_usage_example_and_are_numbered_in_a_row() -> None:
    pages = sorted((ROOT / "docs/design/decisions").glob("*.md"))
    assert [page.name[:4] for page in pages] == [f"{number:04}" for number in range(1, len(pages) + 1)]
    assert [page.name for page in pages if not re.match(r"# \d{4} [^\n]+\n\n```", page.read_text())] == []


def test_invariants_are_numbered_without_gaps() -> None:
    numbers = re.findall(r"^- \*\*([A-Z])(\d+)\*\*", (ROOT / "docs/design/invariants.md").read_text(), re.MULTILINE)
    for letter in {letter for letter, _ in numbers}:
        own = [int(number) for other, number in numbers if other == letter]
        assert own == list(range(1, len(own) + 1))


@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*/*.yaml")), ids=lambda path: path.parent.name)
def test_examples_are_named_in_a_page_and_readable(example: Path) -> None:
    assert any(str(example.relative_to(ROOT)) in page.read_text() for page in PAGES)
    assert all(document.value["kind"] for document in load_documents(example.read_bytes(), source=example.name))
