"""When tests against the real control plane run, when they are skipped, and when they must fail instead.

Each case runs pytest on a small test module in a process of its own, and reads the counts it ends with.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = """\
pytest_plugins = ["corral.testing.control_plane.pytest_fixture"]

def test_binaries(control_plane_binaries):
    assert (control_plane_binaries / "etcd").exists()

def test_way_in(real_control_plane):
    assert real_control_plane.kubeconfig.read_text() == "a kubeconfig"

def test_that_breaks_things(real_control_plane):
    real_control_plane.must_own()
"""
SETTINGS = ("CI", "CORRAL_CACHE", "CORRAL_TEST_KUBECONFIG", "KUBEBUILDER_ASSETS", "XDG_CACHE_HOME")
NO_GO = {"PATH": "/nowhere"}


@pytest.fixture
def bystander(tmp_path: Path) -> Path:
    """A directory with the test module, far from any binaries."""
    (tmp_path / "test_small.py").write_text(MODULE)
    (tmp_path / "kubeconfig").write_text("a kubeconfig")
    return tmp_path


def run_tests(directory: Path, *names: str, **environment: str) -> str:
    """What pytest prints for `names`, with nothing in the environment but `environment` and an empty cache."""
    passed_on = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    command = [sys.executable, "-m", "pytest", "-ra", "-p", "no:cacheprovider", "--rootdir=.", "-c", os.devnull]
    run = subprocess.run(
        [*command, *(f"test_small.py::{name}" for name in names)],
        cwd=directory,
        env=passed_on | {"CORRAL_CACHE": str(directory / "cache")} | environment,
        capture_output=True,
        text=True,
    )
    return run.stdout + run.stderr


def test_without_binaries_tests_are_skipped_with_one_line(bystander: Path) -> None:
    output = run_tests(bystander, "test_binaries", "test_way_in")
    assert "2 skipped" in output
    assert "passed" not in output
    assert "real control plane: not run, because etcd, kube-apiserver" in output
    assert "not built in" in output
    assert "`make kubernetes` builds it" in output


def test_in_ci_missing_binaries_are_an_error_and_never_a_skip(bystander: Path) -> None:
    output = run_tests(bystander, "test_binaries", CI="true", **NO_GO)
    assert "1 error" in output
    assert "skipped" not in output
    assert "error: Go is not installed; hint: install Go" in output


def test_in_ci_nothing_is_built_for_tests_that_do_not_ask(bystander: Path) -> None:
    (bystander / "test_small.py").write_text("def test_apart(): pass")
    output = run_tests(bystander, "test_apart", CI="true", **NO_GO)
    assert "1 passed" in output
    assert "Go is not installed" not in output


def test_incomplete_binaries_of_the_caller_are_an_error(bystander: Path) -> None:
    output = run_tests(bystander, "test_binaries", KUBEBUILDER_ASSETS=str(bystander))
    assert "1 error" in output
    assert "has no etcd and no kube-apiserver" in output


def test_given_cluster_is_used_and_never_broken(bystander: Path) -> None:
    given = str(bystander / "kubeconfig")
    output = run_tests(bystander, "test_way_in", "test_that_breaks_things", CORRAL_TEST_KUBECONFIG=given)
    assert "1 passed, 1 skipped" in output
    assert "this test needs one of its own; unset CORRAL_TEST_KUBECONFIG" in output


def test_given_cluster_that_is_not_there_is_an_error(bystander: Path) -> None:
    output = run_tests(bystander, "test_way_in", CORRAL_TEST_KUBECONFIG="nowhere")
    assert "1 error" in output
    assert "CORRAL_TEST_KUBECONFIG=nowhere is not a file" in output
