"""The folder that holds everything of one embedded cluster: `$CORRAL_HOME`, or `~/.corral`.

kubeconfig   0600  how kubectl and everybody else reaches the API
token        0600  256 bits; the only credential
port               kept, so that the address is the same after every restart
state/             the API server's SQLite file
logs/              one file per process, rotated by size
run/               locks, pids, the plan, and what the supervisor last said about its children
fake-nodes         which nodes are played, in the words of `corral up --fake-nodes`; kept until others are asked for
config.yaml        settings of the user, for all commands
used.json          the context that `corral use` chose
replaced/          what `corral resubmit --replace` has deleted and not made again
node/              pods, their logs, the directories behind claims, and what image names mean
"""

import os

from corral.engine.small_files import read_text, write_private

VARIABLE = "CORRAL_HOME"
TOKEN_LENGTH = 64
TOKEN_EXTRA = "corral-token"  # noqa: S105 - the name of a field, which the API server looks for


class Home:
    """Paths below one root folder, and the few files that every part of the engine agrees on."""

    def __init__(self, root: str) -> None:
        self.root = os.path.abspath(os.path.expanduser(root))
        self.kubeconfig = os.path.join(self.root, "kubeconfig")
        self.token_file = os.path.join(self.root, "token")
        self.port_file = os.path.join(self.root, "port")
        self.fake_nodes_file = os.path.join(self.root, "fake-nodes")
        self.state = os.path.join(self.root, "state")
        self.logs = os.path.join(self.root, "logs")
        self.run = os.path.join(self.root, "run")
        self.node = os.path.join(self.root, "node")
        self.settings_file = os.path.join(self.root, "config.yaml")
        self.used_file = os.path.join(self.root, "used.json")
        self.replaced = os.path.join(self.root, "replaced")
        self.lock_file = os.path.join(self.run, "supervisor.lock")
        self.start_lock_file = os.path.join(self.run, "start.lock")
        self.controllers_lock_file = os.path.join(self.run, "controllers.lock")
        self.plan_file = os.path.join(self.run, "plan.json")
        self.report_file = os.path.join(self.run, "report.json")

    def log_of(self, name: str) -> str:
        """Returns the log file of one process."""
        return os.path.join(self.logs, f"{name}.log")

    def pid_file_of(self, name: str) -> str:
        """Returns the file in which one child notes its pid and start mark."""
        return os.path.join(self.run, f"{name}.pid")

    def make_folders(self) -> None:
        """Creates the folders, private to the user."""
        for folder in (self.root, self.state, self.logs, self.run):
            os.makedirs(folder, mode=0o700, exist_ok=True)

    def ensure_token(self) -> bool:
        """Creates the token file unless there is one; tells whether the token is a new one, which nobody knows yet.

        A lost file is restored from the kubeconfig. The caller holds the start lock, so there is only ever one token.
        """
        if self.token():
            return False
        known = token_in(read_text(self.kubeconfig))
        write_private(self.token_file, (known or os.urandom(32).hex()) + "\n")
        return not known

    def token(self) -> str:
        """Returns the bearer token, empty when there is none."""
        return read_text(self.token_file).strip()

    def port(self) -> int | None:
        """Returns the port of the last start, None when it never started."""
        text = read_text(self.port_file).strip()
        return int(text) if text.isdigit() else None

    def remember_port(self, port: int) -> None:
        """Keeps the port for the next start and writes the kubeconfig that points at it."""
        if self.port() != port:
            write_private(self.port_file, f"{port}\n")
        wanted = kubeconfig_text(port, self.token())
        if read_text(self.kubeconfig) != wanted:
            write_private(self.kubeconfig, wanted)


def default_home() -> Home:
    """Returns the home that the environment names, or the one in the user's home folder."""
    return Home(os.environ.get(VARIABLE) or "~/.corral")


def kubeconfig_text(port: int, token: str) -> str:
    """Returns a kubeconfig with one cluster, user and context, all named `corral`; JSON, which is YAML and reads faster.

    client-go drops a bearer token when the server is plain HTTP, but sends for whom it acts; so the token stands in both
    places, and every client finds it in the one it looks at. It does not stand in the address, with which kubectl could
    run no commands in pods. See decision 0010.
    """
    import json  # whoever only looks a path up here does without

    server = f"http://127.0.0.1:{port}"
    user = {"token": token, "as": "corral", "as-user-extra": {TOKEN_EXTRA: [token]}}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "corral",
        "clusters": [{"name": "corral", "cluster": {"server": server}}],
        "users": [{"name": "corral", "user": user}],
        "contexts": [{"name": "corral", "context": {"cluster": "corral", "user": "corral", "namespace": "default"}}],
    }
    return json.dumps(document, indent=2) + "\n"


def token_in(kubeconfig: str) -> str:
    """Returns the token in a kubeconfig of ours, empty when there is none."""
    import json

    try:
        token = json.loads(kubeconfig)["users"][0]["user"]["token"]
    except (ValueError, LookupError, TypeError):
        return ""
    return token if isinstance(token, str) and len(token) == TOKEN_LENGTH and token.isalnum() else ""
