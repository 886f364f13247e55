"""The shape checks find what they promise to find, and leave the rest alone.

Forbidden words are assembled from halves here, because this file is checked too.
"""

import pytest

from tools.shape import complaints_about

LONG_FUNCTION = "def long():\n" + "    x = 1\n" * 80
WIDE = "a, b, c, d, e, f, g"

BAD = {
    "a file over the limit": ("src/x.py", "x = 1\n" * 601, "601 lines"),
    "a function over the limit": ("src/x.py", LONG_FUNCTION, "`long` has 81 lines"),
    "eight parameters": ("src/x.py", f"def wide({WIDE}, *, h): ...\n", "8 parameters"),
    "a file named for nothing": ("src/corral/utils.py", "", "`utils` names nothing"),
    "a folder named for nothing": ("src/corral/common/pods.py", "", "`common` names nothing"),
    "unfinished work": ("docs/x.md", "TO" + "DO: later\n", "line 1"),
    "a registry": ("README.md", "see https://pypi" + ".org/x\n", "package registry"),
    "a path of one machine": ("Makefile", "cd /ro" + "ot/project\n", "path of one machine"),
    "a swallowed error": ("src/x.py", "try:\n    x()\nexcept Exception:\n    pass\n", "drops it"),
    "a swallowed bare error": ("src/x.py", "try:\n    x()\nexcept:\n    pass\n", "drops it"),
    "one broad error of two": ("src/x.py", "try:\n    x()\nexcept (OSError, Exception):\n    pass\n", "drops it"),
    "a stand-in": ("src/x.py", "def f():\n    raise NotImplementedError\n", "NotImplementedError"),
    "a shell": ("src/x.py", "run('x', shell=True)\n", "shell"),
    "a pickle": ("src/x.py", "import pickle\n", "loader"),
    "a question of its own": ("src/corral/x.py", "click.confirm('sure?')\n", "line 1: asks by itself"),
    "a select": ("src/x.py", "import select\nselect.select([1], [], [])\n", "line 2: `select.select`"),
    "a select, from": ("src/x.py", "from select import select\n", "use poll"),
    "a pickle, from": ("src/x.py", "from pickle import loads\n", "loader"),
}

GOOD = {
    "seven parameters and self": ("src/x.py", f"class C:\n    def f(self, {WIDE}): ...\n"),
    "options of a command": ("src/x.py", f"@click.option('-x')\ndef f({WIDE}, h, i): ...\n"),
    "a question where they belong": ("src/corral/surfaces/cli/speech/asking.py", "click.prompt('which?')\n"),
    "a select outside of the product": ("tests/x.py", "select.select([1], [], [])\n"),
    "a poll": ("src/x.py", "import select\nselect.poll().poll(1)\n"),
    "a narrow error": ("src/x.py", "try:\n    x()\nexcept OSError:\n    pass\n"),
    "a generated list": ("requirements.lock", "pypi" + ".org\n"),
    "a path that an API names": ("job.yaml", "sshAuthMountPath: /ro" + "ot/.ssh\n"),
    "a path inside of images, in a file that is exempt by name": (
        "src/corral/kinds/submission/submission.py",
        'WORKING_DIR = "/ro' + 'ot"\n',
    ),
    "a path inside a home": ("README.md", "~/.corral and $HOME/x and tests/workshop/x\n"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_fault_is_named(case: str) -> None:
    name, text, want = BAD[case]
    complaints = list(complaints_about(name, text))
    assert len(complaints) == 1
    assert want in complaints[0]


@pytest.mark.parametrize("case", GOOD)
def test_what_is_fine_passes(case: str) -> None:
    assert list(complaints_about(*GOOD[case])) == []
