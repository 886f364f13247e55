"""Makes the Python environments of this checkout: `python3 tools/environment.py FOLDER LOCK [--editable]`.

Run by `make` with whatever `python3` the machine has, so it stays readable for old interpreters until it has said in
one line what is missing. A stamp holding the hash of the inputs makes the second run free, and an interrupted first
run is simply repeated.
"""

import hashlib
import os
import signal
import subprocess
import sys

OLDEST = (3, 11)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main(folder: str, lock: str, editable: bool) -> int:
    """Creates or refreshes one environment and returns the exit status."""
    problem = missing()
    if problem:
        sys.stderr.write(problem + "\n")
        return 1
    stamp, wanted = os.path.join(folder, ".corral-stamp"), fingerprint(lock, editable)
    if read(stamp) == wanted and works(folder):
        os.utime(stamp)
        return 0
    create(folder)
    install(folder, lock, editable)
    with open(stamp, "w") as file:
        file.write(wanted)
    return 0


def missing() -> str:
    """Returns one line on what this interpreter lacks, or an empty text."""
    if sys.version_info < OLDEST:
        seen = ".".join(str(number) for number in sys.version_info[:2])
        return f"this python3 is {seen}; Corral needs 3.11 or newer. hint: make PYTHON=python3.12 ..."
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        return "python3 has no venv module. hint: on Debian or Ubuntu: apt install python3-venv"
    return ""


def fingerprint(lock: str, editable: bool) -> str:
    """Returns a hash over everything that the environment is made from."""
    digest = hashlib.sha256(repr((sys.version_info[:3], sys.base_prefix, os.path.abspath(ROOT), editable)).encode())
    for path in [lock] + ([os.path.join(ROOT, "pyproject.toml")] if editable else []):
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def read(path: str) -> str:
    """Returns the text of a file, or an empty text when it is absent."""
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def interpreter(folder: str) -> str:
    """Returns the path of the environment's Python."""
    return os.path.join(folder, "bin", "python")


def works(folder: str) -> bool:
    """Tells whether the environment's Python starts and has pip; a moved checkout or a removed Python breaks it."""
    try:
        done = subprocess.run([interpreter(folder), "-c", "import pip"], stderr=subprocess.DEVNULL)
    except OSError:
        return False
    return done.returncode == 0


def create(folder: str) -> None:
    """Creates an empty environment unless a working one is there."""
    if not works(folder):
        say("creating " + os.path.relpath(folder, ROOT))
        run([sys.executable, "-m", "venv", "--clear", folder])


def install(folder: str, lock: str, editable: bool) -> None:
    """Installs exactly the locked releases, checked by hash, then this checkout when asked to; all byte-compiled."""
    say("installing " + os.path.basename(lock) + " (once)")
    python = interpreter(folder)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-warn-script-location"]
    run(pip + ["--require-hashes", "-r", lock])
    if editable:
        run(pip + ["--no-deps", "--no-build-isolation", "--editable", ROOT])
    run([python, "-m", "compileall", "-q", os.path.join(ROOT, "src")])


def run(command: "list[str]", env: "dict[str, str] | None" = None, seconds: "float | None" = None) -> None:
    """Runs a program to its end; Ctrl-C, or its time, ends it and all that it started, without their tracebacks."""
    program = subprocess.Popen(command, env=env, start_new_session=True)
    try:
        status = program.wait(seconds)
    except (KeyboardInterrupt, subprocess.TimeoutExpired):
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()
        raise
    if status:
        raise subprocess.CalledProcessError(status, command)


def say(text: str) -> None:
    """Prints one line of progress on stderr."""
    sys.stderr.write("environment: " + text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], sys.argv[2], "--editable" in sys.argv[3:]))
    except KeyboardInterrupt:
        say("interrupted; the same command tries again")
        sys.exit(130)
    except subprocess.CalledProcessError as error:
        sys.exit("environment: failed: " + " ".join(str(word) for word in error.cmd))
