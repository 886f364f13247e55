"""`corral exec` and `corral attach`: words go in as they are, outputs and exit statuses come back, a terminal is whole again."""

import os
import signal
from hashlib import sha256

import pytest

from tests.surfaces.inside.process_stage import ProcessStage, Terminal


def test_a_command_runs_in_the_pod_that_leads_and_its_exit_status_is_ours(stage: ProcessStage) -> None:
    done = stage.cli("exec", "digits", "--", "sh", "-c", "echo $RANK; echo oh >&2; exit 37")
    assert (done.returncode, done.stdout, done.stderr) == (37, "0\n", "oh\n")


@pytest.mark.parametrize(
    ("words", "want"),
    {
        ("-i", "worker-1"): "2",
        ("-i", "digits-worker-0"): "1",
        ("--rank", "2"): "2",
        ("-T", "pytorch", "-c", "pytorch"): "0",
    }.items(),
)
def test_other_pods_are_named_by_instance_or_rank(stage: ProcessStage, words: tuple[str, ...], want: str) -> None:
    done = stage.cli("exec", "digits", *words, "--", "printenv", "RANK")
    assert (done.returncode, done.stdout) == (0, f"{want}\n"), done.stderr


def test_words_are_words_and_no_shell_reads_them(stage: ProcessStage) -> None:
    words = ["a b", "$(id)", "`id`", "'", '"', "*", "-n", "--rank", "é\n", ""]
    done = stage.cli("exec", "digits", "--", "printf", "[%s]", *words)
    assert done.stdout == "".join(f"[{word}]" for word in words), done.stderr


@pytest.mark.parametrize(
    ("words", "want"),
    {
        ("digits", "-i", "chief-0", "--", "true"): (2, "instances are master-0, worker-0, worker-1"),
        ("digits", "--rank", "3", "--", "true"): (2, "ranks are 0 to 2"),
        ("digits", "-c", "sidecar", "--", "true"): (2, "its containers are pytorch"),
        ("digts", "--", "true"): (3, 'did you mean "digits"?'),
        ("digits", "-T", "tfjob", "--", "true"): (3, 'no tfjob "digits"'),
        ("digits", "-T", "sparkjob", "--", "true"): (2, "SparkApplications"),
        ("digits",): (2, "missing argument"),
        ("digits", "--", "no-such-program"): (1, "could not be run"),
        ("digits", "--", "echo", "\udcff"): (2, "not UTF-8"),
    }.items(),
)
def test_what_cannot_be_run_says_why(stage: ProcessStage, words: tuple[str, ...], want: tuple[int, str]) -> None:
    done = stage.cli("exec", *words)
    assert (done.returncode, done.stdout) == (want[0], "")
    assert want[1] in done.stderr


@pytest.mark.parametrize("flag", ["--stdin", "-i"])
def test_input_is_passed_on_to_its_end(stage: ProcessStage, flag: str) -> None:
    """kubectl's users write `-i --`; there is nothing behind it, so no instance can be meant."""
    text = "".join(f"line {number}\n" for number in range(200_000))
    done = stage.cli("exec", "digits", flag, "--", "sha256sum", text=text)
    assert (done.returncode, done.stdout.split()[0]) == (0, sha256(text.encode()).hexdigest())


def test_a_command_that_does_not_read_ends_all_the_same(stage: ProcessStage) -> None:
    done = stage.cli("exec", "digits", "--stdin", "--", "sh", "-c", "exit 5", text="x" * 2_000_000)
    assert done.returncode == 5, done.stderr


def test_attach_is_a_shell_also_without_a_terminal(stage: ProcessStage) -> None:
    done = stage.cli("attach", "digits", "-i", "digits-worker-0", text="echo rank $RANK; exit 6\n")
    assert (done.returncode, done.stdout) == (6, "rank 1\n"), done.stderr
    assert stage.cli("attach", "digits", "--", "printenv", "RANK").stdout == "0\n"


def test_a_shell_has_our_terminal_its_size_and_its_keys(stage: ProcessStage) -> None:
    with Terminal(stage.home, "attach", "digits") as terminal:
        terminal.type("until stty size | grep -q '30 100'; do :; done; tty -s && echo is-a-$((1))-terminal\n")
        terminal.until("is-a-1-terminal")
        terminal.resize(123, 45)
        os.kill(terminal.process.pid, signal.SIGWINCH)
        terminal.type("until stty size | grep -q '45 123'; do :; done; echo grown-$((1))\n")
        terminal.until("grown-1")
        terminal.type("trap 'echo inter''rupted' INT; sed -u s/aslee/awak/\n")
        terminal.type("asleep\n")
        terminal.until("awakp")  # only now it is sed that gets the key, and the shell goes on after it
        terminal.type("\x03")
        terminal.until("interrupted")
        assert not terminal.is_as_before
        terminal.type("exit 7\n")
        assert terminal.end() == 7
        assert terminal.is_as_before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_terminal_is_put_back_when_we_are_ended(stage: ProcessStage, number: signal.Signals) -> None:
    with Terminal(stage.home, "exec", "-it", "digits", "--", "sh") as terminal:
        terminal.type("echo rea''dy\n")
        terminal.until("ready")
        terminal.process.send_signal(number)
        assert terminal.end() == 128 + number
        assert terminal.is_as_before


def test_a_terminal_that_is_not_there_is_noted(stage: ProcessStage) -> None:
    done = stage.cli("exec", "-it", "digits", "--", "cat", text="hello")
    assert (done.returncode, done.stdout) == (0, "hello")
    assert done.stderr == "note: there is no terminal here, so the command has none\n"
