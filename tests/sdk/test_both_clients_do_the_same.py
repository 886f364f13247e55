"""Every verb of the SDK, by the client that waits and by the one that does not."""

import inspect
import json
import os
import threading
import time
from typing import Any

import pytest

from corral.kinds.well_known import EVENT, POD
from corral.ports.object_store import Scope
from corral.sdk import (
    AlreadyExistsError,
    AsyncClient,
    AsyncJob,
    Client,
    Job,
    JobFailedError,
    LogLine,
    NotFoundError,
    PermanentError,
    Submission,
)
from corral.testing.hollow_node import Part
from tests.surfaces.hollow_stage import HollowStage, until

LINES = ("one", "two", "three")


def name_for(client: Any, word: str) -> str:
    return f"{word}-{'sync' if isinstance(client, Client) else 'async'}"


@pytest.mark.parametrize(("plain", "awaited"), [(Client, AsyncClient), (Job, AsyncJob)])
def test_the_clients_have_the_same_verbs_with_the_same_words(plain: type, awaited: type) -> None:
    def verbs(kind: type) -> dict[str, list[tuple[str, Any]]]:
        found = inspect.getmembers(kind, inspect.isfunction)
        public = [(name, one) for name, one in found if not name.startswith("_")]
        return {name: [(p.name, p.default) for p in inspect.signature(one).parameters.values()] for name, one in public}

    assert verbs(plain) == verbs(awaited)


def test_jobs_are_listed_and_found_whoever_made_them(client: Any, stage: HollowStage) -> None:
    name = name_for(client, "seen")
    stage.submit(name, workers=1, master=Part(lines=LINES), worker=Part())
    job = client.wait(name, timeout=60)
    assert (job.name, job.namespace, job.kind, job.state) == (name, "default", "PyTorchJob", "Succeeded")
    assert job.is_finished
    assert job.has_succeeded
    assert name in [one.name for one in client.list()]
    assert name in [one.name for one in client.list(type="pytorchjob", everywhere=True)]
    assert client.list(type="tfjob") == []
    assert client.list(labels="nobody=has-it") == []
    assert client.get(f"pytorchjob/{name}").object["metadata"]["name"] == name
    assert client.get(name).refresh().line.total == 2


def test_what_is_not_there_is_told_with_what_is_near(client: Any, stage: HollowStage) -> None:
    name = name_for(client, "digits")
    stage.submit(name, workers=0)
    with pytest.raises(NotFoundError, match="there is no job") as refused:
        client.get(f"{name}x")
    assert name in refused.value.hint


def test_logs_are_lines_with_their_ranks(client: Any, stage: HollowStage) -> None:
    name = name_for(client, "logged")
    stage.submit(name, workers=1, master=Part(lines=LINES), worker=Part(lines=("four",)))
    client.wait(name, timeout=60)
    lines = list(client.logs(name))
    assert sorted(map(str, lines)) == ["[master-0] one", "[master-0] three", "[master-0] two", "[worker-0] four"]
    assert all(isinstance(one, LogLine) and one.time is not None for one in lines)
    assert [one.text for one in client.get(name).logs(rank=0, tail=1)] == ["three"]
    with pytest.raises(PermanentError, match="there is no rank 7"):
        list(client.logs(name, rank=7))


def test_a_job_is_followed_from_before_its_pods_to_its_end(client: Any, stage: HollowStage) -> None:
    name = name_for(client, "followed")
    stage.submit(name, workers=0, master=Part(pending=0.5, lines=LINES))
    assert [one.text for one in client.get(name).logs(follow=True)] == ["one", "two", "three"]


def test_who_stops_following_leaves_no_thread_behind(client: Any, stage: HollowStage) -> None:
    name = name_for(client, "left")
    before = set(threading.enumerate())
    stage.submit(name, workers=0, master=Part(seconds=None, lines=LINES))
    lines = client.logs(name, follow=True)
    assert next(lines).text == "one"
    lines.close()
    until(lambda: set(threading.enumerate()) <= before, "the end of the threads", lambda: str(threading.enumerate()))
    client.delete(name)


def test_waiting_ends_with_the_goal_or_with_the_reason_why_not(client: Any, stage: HollowStage) -> None:
    name = name_for(client, "broken")
    stage.submit(name, workers=0, master=Part(exit_codes=(3,), lines=("ValueError: boo",)))
    with pytest.raises(JobFailedError, match=f"{name} has not succeeded") as failed:
        client.wait(name, timeout=60)
    assert failed.value.message.endswith(f"the last words of {name}-master-0:\nValueError: boo")
    assert failed.value.code == "job-failed"
    job = client.wait(name, "failed")
    assert (job.state, job.is_finished, job.has_succeeded) == ("Failed", True, False)
    assert job.wait("finished").state == "Failed"


def test_a_type_or_a_goal_that_does_not_exist_is_refused(client: Any, stage: HollowStage) -> None:
    with pytest.raises(PermanentError, match='"foo" is no type of training jobs'):
        client.list(type="foo")
    with pytest.raises(PermanentError, match='"nonsense" is no goal'):
        client.wait("any", "nonsense")


def test_waiting_too_long_is_told(client: Any, stage: HollowStage) -> None:
    name = name_for(client, "endless")
    stage.submit(name, workers=0, master=Part(seconds=None))
    job = client.wait(name, "running", timeout=60)
    began = time.monotonic()
    with pytest.raises(PermanentError, match=r"has not succeeded after 0\.2 s: it is Running"):
        job.wait(timeout=0.2)
    assert time.monotonic() - began < 10
    job.delete()


def test_events_tell_what_happened(client: Any, stage: HollowStage) -> None:
    name = name_for(client, "told")
    stage.submit(name, workers=0)
    job = client.wait(name, timeout=60)
    uid = job.object["metadata"]["uid"]
    until(lambda: stage.client.list(EVENT, Scope("default", fields=f"involvedObject.uid={uid}")), "an event")
    assert "SuccessfulCreatePod" in {one.reason for one in job.events()}


def test_a_job_is_suspended_and_goes_on(client: Any, stage: HollowStage) -> None:
    name = name_for(client, "paused")
    stage.submit(name, workers=0, master=Part(seconds=None))
    job = client.wait(name, "running", timeout=60).suspend()
    assert job.object["spec"]["runPolicy"]["suspend"] is True
    until(lambda: job.refresh().state == "Suspended", "the pause")
    assert client.resume(name).wait("running", timeout=60).state == "Running"
    client.suspend(name)
    job.delete()


def test_a_submission_and_a_manifest_become_jobs(client: Any, stage: HollowStage) -> None:
    name = name_for(client, "asked")
    job = client.submit(Submission(type="pytorchjob", name=name, image="none", workers=2, command="true"))
    assert (job.name, job.kind, job.line.total) == (name, "PyTorchJob", 2)
    (container,) = job.object["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]["containers"]
    assert container["workingDir"] == os.getcwd()
    with pytest.raises(AlreadyExistsError):
        client.submit(Submission(type="pytorchjob", name=name, image="none"))
    manifest = json.loads(stage.job(f"{name}-too", workers=0).read_text())
    assert client.submit(manifest).wait(timeout=60).state == "Succeeded"
    with pytest.raises(PermanentError, match=r"name: .*image: ") as refused:
        client.submit(Submission(type="tfjob", name="Not A Name"))
    assert refused.value.code == "bad-submission"
    with pytest.raises(PermanentError, match="ConfigMap is no job"):
        client.submit({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}})
    with pytest.raises(PermanentError, match="a manifest has apiVersion"):
        client.submit({"kind": "PyTorchJob"})
    job.delete()


def test_a_job_says_why_it_is_as_it_is(client: Any, stage: HollowStage) -> None:
    name = name_for(client, "asked-why")
    stage.submit(name, workers=0, master=Part(exit_codes=(3,)))
    job = client.wait(name, "failed", timeout=60)
    assert job.why() == client.why(name)
    assert "failed" in job.why().sentence


def test_only_elastic_jobs_are_scaled(client: Any, stage: HollowStage) -> None:
    name = name_for(client, "grown")
    manifest = json.loads(stage.job(name, workers=1, worker=Part(seconds=None)).read_text())
    manifest["spec"]["pytorchReplicaSpecs"].pop("Master")
    manifest["spec"]["elasticPolicy"] = {"minReplicas": 1, "maxReplicas": 3}
    job = client.submit(manifest).wait("running", timeout=60)
    assert job.scale(3).line.total == 3
    assert client.scale(name, 2).line.total == 2
    with pytest.raises(PermanentError, match="outside of 1 to 3"):
        job.scale(9)
    job.delete()


def test_a_deleted_job_is_gone_and_another_of_its_name_is_another(client: Any, stage: HollowStage) -> None:
    name = name_for(client, "gone")
    stage.submit(name, workers=0, master=Part(seconds=None))
    job = client.wait(name, "running", timeout=60)
    job.delete()
    pods = Scope("default", labels=f"training.kubeflow.org/job-name={name}")
    until(lambda: not stage.client.list(POD, pods), "the end of its pods")
    with pytest.raises(NotFoundError):
        job.refresh()
    stage.submit(name, workers=0)
    with pytest.raises(NotFoundError, match="another one of its name"):
        job.refresh()
    assert client.get(name).name == name


def test_a_closed_client_says_so(client: Any, home: object) -> None:
    assert "not opened yet" in repr(client)
    client.list()
    assert "http://127.0.0.1" in repr(client)
    client.close()
    with pytest.raises(PermanentError, match="the client is closed"):
        client.list()
