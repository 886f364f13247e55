"""The table of commands: names, other names, and one line of help for each, in the order of the help page.

It stands apart from the commands, so that `--help`, completion and a mistyped word import none of them.
"""

from typing import NamedTuple


class Entry(NamedTuple):
    """One command: its help in a line, and what else people call it."""

    help: str
    aliases: tuple[str, ...] = ()
    module: str = ""
    """Where it is, when that is not `verbs.NAME`; the function has the name of the command."""


Section = dict[str, Entry]


class Elsewhere(NamedTuple):
    """A command of Arena that is not here: why, and what to do instead."""

    why: str
    instead: str
    aliases: tuple[str, ...] = ()


SECTIONS: dict[str, Section] = {
    "Jobs": {
        "submit": Entry("Submit a job in one line, as with Arena."),
        "run": Entry("Run a Python script, on one worker or many."),
        "resubmit": Entry("Submit a job once more, as it was."),
        "cron": Entry("Make training jobs on a schedule."),
        "apply": Entry("Make the API hold what files say."),
        "diff": Entry("Show what applying files would change."),
        "delete": Entry("Delete jobs and other objects.", ("del",)),
        "prune": Entry("Delete jobs that have ended, and are history."),
        "suspend": Entry("Take the pods from jobs, until they are resumed."),
        "resume": Entry("Let suspended jobs go on."),
        "scale": Entry("Give an elastic job another number of workers."),
        "scalein": Entry("Take workers from elastic jobs, as with Arena."),
        "scaleout": Entry("Give workers to elastic jobs, as with Arena."),
        "wait": Entry("Wait until a job has succeeded, or otherwise is where you want it."),
    },
    "What happens": {
        "list": Entry("Show the training jobs, the newest first.", ("ls",)),
        "why": Entry("Tell why a job waits, runs or has failed, and what helps."),
        "get": Entry("Show one job in full, or anything else that the API holds."),
        "logs": Entry("Show what the pods of a job print.", ("log",)),
        "logviewer": Entry("Print the address of a page with the logs of a job."),
        "events": Entry("Show what was said about a job and its pods."),
        "top": Entry("Show what nodes, jobs and queues use."),
        "data": Entry("Show the data volumes that jobs can use."),
    },
    "Inside of jobs": {
        "exec": Entry("Run a command inside of a job."),
        "attach": Entry("Open a shell inside of a job."),
        "cp": Entry("Copy a file or a folder into a job or out of it."),
    },
    "This machine": {
        "up": Entry("Start Corral on this machine."),
        "down": Entry("Stop it; everything stored stays."),
        "status": Entry("Show what runs, and how it is."),
        "doctor": Entry("Check this machine and name what is wrong."),
        "kubeconfig": Entry("Print the path of the kubeconfig, for kubectl and other tools."),
        "image": Entry("Say what image names mean on this machine."),
    },
    "A cluster": {
        "install": Entry("Put the definitions of the training kinds on a cluster."),
        "operator": Entry("Look after training jobs of a cluster, until stopped."),
        "scheduler": Entry("Bind pods to the nodes of a cluster, gangs as a whole, until stopped."),
        "node": Entry("Join a cluster with this machine, until stopped."),
    },
    "Trying things out": {
        "simulate": Entry("Try how a policy places pods, without a cluster."),
    },
    "Corral itself": {
        "use": Entry("Choose the API and the namespace for later commands."),
        "config": Entry("Show and change settings."),
        "completion": Entry("Print the script that completes commands, flags and names in a shell."),
        "help": Entry("Explain a command or a topic."),
        "whoami": Entry("Tell who you are for the API."),
        "version": Entry("Print the version."),
    },
}

COMMANDS: dict[str, Entry] = {name: entry for section in SECTIONS.values() for name, entry in section.items()}
"""All of them, by name."""

_HUB = "the model hub, which comes later"
ELSEWHERE: dict[str, Elsewhere] = {
    "serve": Elsewhere("serving comes later", "until then, a Deployment and a Service: `corral apply -f serving.yaml`"),
    "model": Elsewhere(f"models are kept by {_HUB}", "until then, the `mlflow` command talks to the same registry"),
    "evaluate": Elsewhere(f"models are evaluated with {_HUB}", "until then, submit the evaluation as a job"),
    "llm": Elsewhere("it belongs to another program, arena-rbg", "call that program itself"),
}
"""Commands of Arena that are known by name only."""
