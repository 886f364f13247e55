"""The lock of the controllers lies where nobody else can put a file first: in the home, or beside the kubeconfig."""

from pathlib import Path

from corral.engine.controllers.turn import lock_path
from corral.engine.supervisor.home import Home


def test_the_lock_of_a_home_lies_in_its_private_folder(tmp_path: Path) -> None:
    home = Home(str(tmp_path / "home"))
    home.make_folders()
    folder = Path(home.controllers_lock_file).parent
    assert folder == tmp_path / "home" / "run"
    assert folder.stat().st_mode & 0o077 == 0


def test_without_a_home_the_lock_lies_beside_the_kubeconfig(tmp_path: Path) -> None:
    assert Path(lock_path(str(tmp_path / "config"))).parent == tmp_path
    assert lock_path("a/config") != lock_path("b/config")
