"""What a terminal and a notebook show of a job; whatever a job is called stays text."""

from corral.control.desk.jobs.lines import JobLine
from corral.control.desk.naming.finding import Found
from corral.kinds.references import ApiResource
from corral.sdk import Client, Job, Jobs
from corral.surfaces.sdk.job_views import job_text, jobs_html
from corral.surfaces.sdk.verbs import Seen

RUNNING = JobLine(
    "vision", "digits", "PyTorchJob", "Running", "RUNNING", "pytorchjob", 3, 4, 1, 10.0, 20.0, None, "12% 120/1000"
)
FAILED = RUNNING._replace(name="<b>x</b>", state="Failed", ended=65.0, progress="", failure="oom & more")
WAITING = RUNNING._replace(name="later", state="Created", started=None, ready=0, restarts=0, progress="")


def test_a_terminal_shows_a_line() -> None:
    assert job_text(RUNNING, 83.4) == "PyTorchJob vision/digits: Running, 3/4 pods, 63 s, 12% 120/1000"
    assert job_text(FAILED, 99.0) == "PyTorchJob vision/<b>x</b>: Failed, 3/4 pods, 45 s, oom & more"
    assert job_text(WAITING, 99.0) == "PyTorchJob vision/later: Created, 0/4 pods"


def test_a_notebook_shows_a_table() -> None:
    cell = 'style="text-align:left;padding:2px 12px 2px 0"'
    heads = ("Name", "Kind", "State", "Pods", "Restarts", "Seconds", "Progress", "Failure")
    rows = (
        (
            "vision/digits",
            "PyTorchJob",
            '<span style="color:#1a66b3">▶ Running</span>',
            "3/4",
            "1",
            "63",
            "12% 120/1000",
            "",
        ),
        (
            "vision/&lt;b&gt;x&lt;/b&gt;",
            "PyTorchJob",
            '<span style="color:#b3261e">✗ Failed</span>',
            "3/4",
            "1",
            "45",
            "",
            "oom &amp; more",
        ),
        ("vision/later", "PyTorchJob", '<span style="color:#8a6d00">… Created</span>', "0/4", "0", "", "", ""),
    )
    head = "".join(f"<th {cell}>{name}</th>" for name in heads)
    body = "".join("<tr>" + "".join(f"<td {cell}>{one}</td>" for one in row) + "</tr>" for row in rows)
    want = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    assert jobs_html([RUNNING, FAILED, WAITING], 83.4) == want


def test_handles_show_themselves() -> None:
    found = Found(ApiResource("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs"), {"metadata": {"name": "x"}})
    done = FAILED._replace(name="x", state="Succeeded", failure="")
    job = Job(Client(), Seen(found, done))
    assert repr(job) == "<PyTorchJob vision/x: Succeeded, 3/4 pods, 45 s>"
    assert job._repr_html_() == Jobs([job])._repr_html_() == jobs_html([done], 0.0)
