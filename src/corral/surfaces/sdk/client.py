"""The client for programs that wait for each answer."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from types import ModuleType
from typing import Any, TypeVar, Unpack

from corral.control.desk.jobs.looking import Wanted
from corral.control.desk.logs.sources import Choice
from corral.control.desk.session import Session
from corral.control.desk.waiting import Goal
from corral.kinds.reasons import Reason
from corral.kinds.submission.submission import Submission
from corral.surfaces.sdk import making, verbs
from corral.surfaces.sdk.functions.packing import Call
from corral.surfaces.sdk.job_views import JobView, jobs_html
from corral.surfaces.sdk.log_stream import LogLine
from corral.surfaces.sdk.making import Function, RunOptions
from corral.surfaces.sdk.sessions import Place, Sessions
from corral.surfaces.sdk.verbs import Events, Seen, Work

T = TypeVar("T")


def opened(place: Place, notes: Callable[[str], None]) -> Session:
    """Opens the API that a client talks to, by the rules of the command line; on one machine it is started if needed."""
    from corral import assembly

    return assembly.open_session(place.context, place.namespace, kubeconfig=place.kubeconfig, on_start=notes)


def to_stderr(text: str) -> None:
    """Tells what a command would tell there."""
    sys.stderr.write(f"{text}\n")


def asked(job: "str | JobView") -> "str | Seen":
    """Returns what a verb takes for a job."""
    return job if isinstance(job, str) else job._seen


class Job(JobView):
    """A job, and what can be done with it."""

    def __init__(self, client: "Client", seen: Seen) -> None:
        super().__init__(seen)
        self._client = client

    def refresh(self) -> "Job":
        """Looks at it again, and returns it."""
        self._seen = self._client._do(verbs.looked_at(self._seen))
        return self

    def logs(self, *, follow: bool = False, rank: int | None = None, tail: int | None = None) -> Iterator[LogLine]:
        """Yields what its pods have printed, all or one rank; with `follow` until it ends."""
        return self._client.logs(self, follow=follow, rank=rank, tail=tail)

    def wait(self, until: Goal = "succeeded", *, timeout: float | None = None) -> "Job":
        """Returns it when it is so; raises JobFailedError when it never will be."""
        self._seen = self._client._do(verbs.waited_for(self._seen, until, timeout, self._client.notes))
        return self

    def events(self) -> Events:
        """Returns what was said about it and its pods, oldest first."""
        return self._client.events(self)

    def why(self) -> Reason:
        """Returns why it waits, runs or has failed, by which evidence, and what helps."""
        return self._client.why(self)

    def result(self, *, timeout: float | None = None) -> Any:
        """Waits until its function has succeeded, and returns what the first rank returned."""
        return self._client._do(making.result_of(self._seen, timeout, self._client.notes))

    def scale(self, workers: int) -> "Job":
        """Gives it so many workers, if it is elastic, and returns it."""
        self._seen = self._client._do(verbs.scaled(self._seen, workers))
        return self

    def suspend(self) -> "Job":
        """Takes its pods from it until it is resumed, and returns it."""
        self._seen = self._client._do(verbs.set_aside(self._seen, suspended=True))
        return self

    def resume(self) -> "Job":
        """Lets it go on, and returns it."""
        self._seen = self._client._do(verbs.set_aside(self._seen, suspended=False))
        return self

    def delete(self) -> None:
        """Deletes it, and what belongs to it."""
        self._client.delete(self)


class Jobs(list[Job]):
    """Several jobs; a notebook shows them as one table."""

    def _repr_html_(self) -> str:
        return jobs_html((job.line for job in self), time.time())


class Client:
    """Talks to the API that the command line would talk to, or to the one that is named; may be used by several threads.

    Opened by the first call. Use it as a context manager, or `close` it.
    """

    def __init__(
        self,
        context: str = "",
        namespace: str = "",
        *,
        kubeconfig: str = "",
        notes: Callable[[str], None] = to_stderr,
    ) -> None:
        self.notes = notes
        """Takes remarks, such as that Corral was started on this machine; by default they go to stderr."""
        place = Place(context, namespace, kubeconfig)
        self._sessions = Sessions(lambda: opened(place, notes))

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends its connections; jobs go on."""
        self._sessions.close()

    def __repr__(self) -> str:
        first = self._sessions.first
        return f"<Client of {first.target}>" if first is not None else "<Client, not opened yet>"

    def _do(self, work: Work[T]) -> T:
        with self._sessions.borrowed() as session:
            return work(session)

    def list(self, *, type: str = "", labels: str = "", everywhere: bool = False) -> Jobs:  # noqa: A002 - a flag's name
        """Returns the training jobs, the newest first, whoever made them."""
        return Jobs(Job(self, one) for one in self._do(verbs.listed(Wanted(type, labels, everywhere), self.notes)))

    def submit(self, what: Submission | Mapping[str, Any] | Function) -> Job:
        """Makes a job from a submission or from a manifest; a function is run without arguments, as `run` does."""
        if isinstance(what, Submission | Mapping):
            return Job(self, self._do(making.submitted(what, self.notes)))
        return self.run(what)

    def run(
        self,
        function: Function,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        modules: Sequence[ModuleType] = (),
        **options: Unpack[RunOptions],
    ) -> Job:
        """Runs a function in each worker, with arguments that JSON can tell; `result` of the job returns what it returned.

        Its module, or its own source, goes along with the modules of one's own that it imports; `modules` names further ones.
        """
        call = Call(function, args, kwargs or {}, modules)
        return Job(self, self._do(making.function_run(call, options, self.notes)))

    def run_script(self, script: str, args: Sequence[str] = (), **options: Unpack[RunOptions]) -> Job:
        """Runs a script as `corral run` does, by default with the python that runs this."""
        return Job(self, self._do(making.script_run(script, args, options, self.notes)))

    def get(self, name: str) -> Job:
        """Returns the job of this name, also as `KIND/NAME`."""
        return Job(self, self._do(verbs.looked_at(name)))

    def logs(
        self, job: str | Job, *, follow: bool = False, rank: int | None = None, tail: int | None = None
    ) -> Iterator[LogLine]:
        """Yields what the pods of a job have printed, all or one rank; with `follow` until it ends."""
        with self._sessions.borrowed() as session:
            # A stream that is left half-way has a connection that nobody else can use.
            own = session._replace(store=session.open_store())
        with closing(own.store):
            stream = verbs.printed(asked(job), Choice(rank=rank, tail=tail), follow=follow)(own)
            try:
                for lines in stream.batches():
                    yield from lines
            finally:
                stream.leave()

    def wait(self, job: str | Job, until: Goal = "succeeded", *, timeout: float | None = None) -> Job:
        """Returns a job when it is so; raises JobFailedError when it never will be."""
        return Job(self, self._do(verbs.waited_for(asked(job), until, timeout, self.notes)))

    def events(self, job: str | Job) -> Events:
        """Returns what was said about a job and its pods, oldest first."""
        return self._do(verbs.events(asked(job), self.notes))

    def why(self, job: str | Job) -> Reason:
        """Returns why a job waits, runs or has failed, by which evidence, and what helps."""
        return self._do(verbs.why(asked(job), self.notes))

    def scale(self, job: str | Job, workers: int) -> Job:
        """Gives an elastic job so many workers, and returns it."""
        return Job(self, self._do(verbs.scaled(asked(job), workers)))

    def suspend(self, job: str | Job) -> Job:
        """Takes the pods of a job from it until it is resumed, and returns it."""
        return Job(self, self._do(verbs.set_aside(asked(job), suspended=True)))

    def resume(self, job: str | Job) -> Job:
        """Lets a suspended job go on, and returns it."""
        return Job(self, self._do(verbs.set_aside(asked(job), suspended=False)))

    def delete(self, job: str | Job) -> None:
        """Deletes a job, and what belongs to it."""
        self._do(verbs.deleted(asked(job)))
