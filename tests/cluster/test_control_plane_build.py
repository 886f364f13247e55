"""How the binaries of the real control plane come to be: found, built once, resumed, or refused in one line.

The compiler here is a script that writes the name of what it was asked for, so these tests need no Go and no network.
"""

import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from time import sleep

import pytest

from corral.testing.control_plane.binaries import cache, find_binaries
from corral.testing.control_plane.building import build
from corral.testing.control_plane.errors import ControlPlaneError
from corral.testing.control_plane.recipes import ETCD_VERSION, KUBERNETES_VERSION, recipes

NAMES = [recipe.name for recipe in recipes()]
COMMAND = [sys.executable, "-m", "corral.testing.control_plane"]

FAKE_GO = """\
    #!{python} -IS
    import os, sys, time
    if sys.argv[1] == "env":
        print("{version}")
        sys.exit()
    target = sys.argv[sys.argv.index("-o") + 1]
    with open("{calls}", "a") as calls:
        print(os.path.basename(target), file=calls, flush=True)
    if os.path.basename(target) in os.environ.get("FAKE_GO_HANGS", "").split(","):
        time.sleep(60)
    if os.path.basename(target) in os.environ.get("FAKE_GO_FAILS", "").split(","):
        sys.exit("go: downloading one\\n# heading\\nchecksum mismatch\\n\\nFor more information, see elsewhere")
    os.makedirs(os.environ["GOCACHE"], exist_ok=True)
    with open(target, "w") as binary:
        binary.write("built")
    """


class Bench:
    """A private cache, and a PATH on which the only Go is a fake."""

    def __init__(self, directory: Path, version: str = "go1.26.1") -> None:
        self.calls = directory / "calls"
        self.path = directory / "path"
        self.path.mkdir()
        go = self.path / "go"
        go.write_text(dedent(FAKE_GO.format(python=sys.executable, version=version, calls=self.calls)))
        go.chmod(go.stat().st_mode | stat.S_IXUSR)
        self.environment = {"CORRAL_CACHE": str(directory / "cache"), "PATH": str(self.path), "HOME": str(directory)}
        self.cache = cache(self.environment)

    def run(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        """The command line, in a process of its own."""
        return subprocess.run([*COMMAND, *words], env=self.environment | more, capture_output=True, text=True)

    def start(self, *words: str, **more: str) -> subprocess.Popen[str]:
        """The same, left running."""
        return subprocess.Popen(
            [*COMMAND, *words],
            env=self.environment | more,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # Whoever runs the tests in the background of a shell has SIGINT ignored, and children would inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def built(self) -> list[str]:
        """What the compiler was asked for, in order."""
        return self.calls.read_text().split() if self.calls.exists() else []


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_build_makes_every_binary_and_tells_where(bench: Bench) -> None:
    run = bench.run("build")
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == str(bench.cache.bin)
    assert sorted(path.name for path in bench.cache.bin.iterdir()) == sorted(NAMES)
    for name in NAMES:
        assert re.search(rf"^{name} v\S+: built in \d+ s, \d+ MB$", run.stderr, re.MULTILINE)


def test_build_removes_the_compilers_cache_when_all_is_built(bench: Bench) -> None:
    assert bench.run("build").returncode == 0
    assert not bench.cache.scratch.exists()


def test_second_build_compiles_nothing(bench: Bench) -> None:
    bench.run("build")
    again = bench.run("build")
    assert again.returncode == 0
    assert bench.built() == NAMES


def test_second_build_needs_no_go(bench: Bench) -> None:
    bench.run("build")
    (bench.path / "go").unlink()
    assert bench.run("build").returncode == 0


def test_failed_build_is_one_line_with_the_compilers_reason(bench: Bench) -> None:
    run = bench.run("build", FAKE_GO_FAILS="kubectl")
    assert run.returncode == 2
    [problem] = [line for line in run.stderr.splitlines() if line.startswith("error:")]
    assert "kubectl did not build: checksum mismatch; hint: read " in problem
    assert not (bench.cache.bin / "kubectl").exists()


def test_build_goes_on_where_a_failed_one_stopped(bench: Bench) -> None:
    bench.run("build", FAKE_GO_FAILS="kubectl")
    assert bench.cache.scratch.exists()
    assert bench.run("build").returncode == 0
    assert bench.built() == ["etcd", "kube-apiserver", "kubectl", "kubectl", *NAMES[3:]]


def test_killed_build_leaves_no_binary_behind(bench: Bench) -> None:
    """SIGKILL of the whole session, as when a machine goes away, in the middle of the second binary."""
    with bench.start("build", FAKE_GO_HANGS="kube-apiserver") as running:
        assert running.stderr is not None
        assert any("kube-apiserver" in line for line in running.stderr), "it said nothing and ended"
        os.killpg(running.pid, signal.SIGKILL)
    assert [path.name for path in bench.cache.bin.iterdir()] == ["etcd"]
    assert bench.run("build").returncode == 0


def test_concurrent_builds_compile_each_binary_once(bench: Bench) -> None:
    runs = [bench.start("build") for _ in range(3)]
    for run in runs:
        output, complaint = run.communicate(timeout=60)
        assert run.returncode == 0, complaint
        assert output.strip() == str(bench.cache.bin)
    assert bench.built() == NAMES


def test_new_pin_makes_an_old_binary_stale(bench: Bench) -> None:
    bench.run("build")
    (bench.cache.root / "recipe" / "etcd").write_text("what an older go.sum gave")
    assert bench.cache.missing() == ["etcd"]
    bench.run("build")
    assert bench.built() == [*NAMES, "etcd"]


@pytest.mark.parametrize(
    ("version", "want_said"),
    {
        "no Go at all": ("", "error: Go is not installed; hint: install Go 1.24.0 or newer"),
        "a Go from before modules were pruned": ("go1.16", "error: Go 1.16 is too old, 1.24.0 is needed; hint:"),
        "a Go one minor version too old": ("go1.23.12", "error: Go 1.23.12 is too old, 1.24.0 is needed; hint:"),
    }.values(),
)
def test_missing_or_old_go_is_one_line_and_exit_code_two(tmp_path: Path, version: str, want_said: str) -> None:
    bench = Bench(tmp_path, version)
    if not version:
        (bench.path / "go").unlink()
    run = bench.run("build")
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.count("\n") == 1
    assert run.stderr.startswith(want_said)


def test_release_candidate_of_go_counts_as_its_version(tmp_path: Path) -> None:
    assert Bench(tmp_path, "go1.27rc1").run("build").returncode == 0


def test_path_without_binaries_is_one_line_and_exit_code_two(bench: Bench) -> None:
    run = bench.run("path")
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert "`make kubernetes` builds them" in run.stderr


def test_path_prefers_the_callers_own_binaries(bench: Bench, tmp_path: Path) -> None:
    assets = tmp_path / "assets"
    assets.mkdir()
    for name in ("etcd", "kube-apiserver"):
        (assets / name).touch(mode=0o755)
    assert bench.run("path", KUBEBUILDER_ASSETS=str(assets)).stdout.strip() == str(assets)


def test_callers_own_binaries_must_be_complete(tmp_path: Path) -> None:
    """Falling back to the cache here would test another version than the caller asked for."""
    (tmp_path / "etcd").touch(mode=0o755)
    with pytest.raises(ControlPlaneError, match="has no kube-apiserver"):
        find_binaries({"KUBEBUILDER_ASSETS": str(tmp_path)})


@pytest.mark.parametrize(
    ("environment", "want"),
    {
        "said outright": ({"CORRAL_CACHE": "/a", "XDG_CACHE_HOME": "/b"}, Path("/a")),
        "said for all programs": ({"XDG_CACHE_HOME": "/b"}, Path("/b/corral")),
        "an empty word says nothing": ({"XDG_CACHE_HOME": ""}, Path.home() / ".cache" / "corral"),
        "nothing said": ({}, Path.home() / ".cache" / "corral"),
    }.values(),
)
def test_cache_is_where_the_environment_says(environment: dict[str, str], want: Path) -> None:
    assert cache(environment).root == want / f"kubernetes-{KUBERNETES_VERSION}"


def test_waiting_build_says_that_it_waits(bench: Bench, tmp_path: Path) -> None:
    with bench.start("build", FAKE_GO_HANGS="etcd") as first:
        assert first.stderr is not None
        assert "building" in first.stderr.readline()
        with bench.start("build") as second:
            assert second.stderr is not None
            assert second.stderr.readline() == "waiting for another build of the same binaries\n"
            os.killpg(first.pid, signal.SIGKILL)
            second.communicate(timeout=60)
            assert second.returncode == 0


def test_interrupted_build_ends_its_compiler(bench: Bench) -> None:
    with bench.start("build", FAKE_GO_HANGS="etcd") as running:
        assert running.stderr is not None
        assert running.stderr.readline() == f"etcd {ETCD_VERSION}: building, 1 of {len(NAMES)}\n"
        while not bench.built():
            sleep(0.01)
        running.send_signal(signal.SIGINT)
        assert running.wait(10) == 130


def test_versions_named_in_python_are_the_ones_pinned_for_go() -> None:
    for recipe in recipes():
        pinned = f"{recipe.package.split('/cmd/')[0]} {recipe.version}"
        assert pinned in (recipe.module / "go.mod").read_text()
        assert f"{pinned} h1:" in (recipe.module / "go.sum").read_text()
    assert {recipe.version for recipe in recipes()} == {ETCD_VERSION, KUBERNETES_VERSION}


def test_every_staging_module_has_the_release_of_its_server() -> None:
    text = (recipes()[1].module / "go.mod").read_text()
    twins = re.findall(r"^\t(k8s\.io/\S+) => (\S+) (\S+)$", text, re.MULTILINE)
    assert len(twins) == 29
    assert all(old == new and version == KUBERNETES_VERSION.replace("v1.", "v0.") for old, new, version in twins)


def test_build_reports_through_the_caller(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in bench.environment.items():
        monkeypatch.setenv(name, value)
    said: list[str] = []
    build(bench.cache, said.append)
    assert said[0] == f"etcd {ETCD_VERSION}: building, 1 of {len(NAMES)}"
