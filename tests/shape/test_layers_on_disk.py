from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "corral"
LAYERS = {
    "adapters",
    "assembly",
    "autoscale",
    "control",
    "engine",
    "kinds",
    "placement",
    "ports",
    "reconcile",
    "surfaces",
    "testing",
}


def test_the_package_has_exactly_the_layers_of_the_architecture() -> None:
    assert {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()} == LAYERS


def test_every_package_says_what_it_is_for() -> None:
    silent = [str(path) for path in SOURCE.rglob("__init__.py") if not path.read_text().lstrip().startswith('"""')]
    assert silent == []


def test_every_layer_has_its_paragraph_in_the_architecture() -> None:
    page = (SOURCE.parents[1] / "docs" / "design" / "architecture.md").read_text()
    missing = [layer for layer in LAYERS if f"`{layer}/`" not in page]
    assert missing == []
