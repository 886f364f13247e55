"""docs/guides/python.md is run as it stands, on this machine."""

import doctest
import re
from pathlib import Path

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "python.md"


def test_every_example_of_the_guide_says_what_happens(home: Path) -> None:
    text = "\n".join(re.findall(r"^```pycon\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL))
    example = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, "python.md", str(GUIDE), 0)
    assert len(example.examples) > 15
    told: list[str] = []
    flags = doctest.ELLIPSIS
    failed = doctest.DocTestRunner(optionflags=flags).run(example, out=told.append).failed
    assert failed == 0, "".join(told)
