"""The client for programs with an event loop: the same verbs, none of which holds the loop up."""

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import closing
from types import ModuleType
from typing import Any, TypeVar, Unpack

from corral.control.desk.jobs.looking import Wanted
from corral.control.desk.logs.sources import Choice
from corral.control.desk.waiting import Goal
from corral.kinds.reasons import Reason
from corral.kinds.submission.submission import Submission
from corral.surfaces.sdk import making, verbs
from corral.surfaces.sdk.beside_the_loop import beside_the_loop
from corral.surfaces.sdk.client import asked, opened, to_stderr
from corral.surfaces.sdk.errands import Errand
from corral.surfaces.sdk.functions.packing import Call
from corral.surfaces.sdk.job_views import JobView, jobs_html
from corral.surfaces.sdk.log_stream import LogLine
from corral.surfaces.sdk.making import Function, RunOptions
from corral.surfaces.sdk.sessions import Place, Sessions
from corral.surfaces.sdk.verbs import Events, Seen, Work

T = TypeVar("T")


class AsyncJob(JobView):
    """A job, and what can be done with it."""

    def __init__(self, client: "AsyncClient", seen: Seen) -> None:
        super().__init__(seen)
        self._client = client

    async def refresh(self) -> "AsyncJob":
        """Looks at it again, and returns it."""
        self._seen = await self._client._do(verbs.looked_at(self._seen))
        return self

    def logs(self, *, follow: bool = False, rank: int | None = None, tail: int | None = None) -> AsyncIterator[LogLine]:
        """Yields what its pods have printed, all or one rank; with `follow` until it ends."""
        return self._client.logs(self, follow=follow, rank=rank, tail=tail)

    async def wait(self, until: Goal = "succeeded", *, timeout: float | None = None) -> "AsyncJob":  # noqa: ASYNC109
        """Returns it when it is so; raises JobFailedError when it never will be."""
        self._seen = await self._client._do(verbs.waited_for(self._seen, until, timeout, self._client.notes))
        return self

    async def events(self) -> Events:
        """Returns what was said about it and its pods, oldest first."""
        return await self._client.events(self)

    async def why(self) -> Reason:
        """Returns why it waits, runs or has failed, by which evidence, and what helps."""
        return await self._client.why(self)

    async def result(self, *, timeout: float | None = None) -> Any:  # noqa: ASYNC109
        """Waits until its function has succeeded, and returns what the first rank returned."""
        return await self._client._do(making.result_of(self._seen, timeout, self._client.notes))

    async def scale(self, workers: int) -> "AsyncJob":
        """Gives it so many workers, if it is elastic, and returns it."""
        self._seen = await self._client._do(verbs.scaled(self._seen, workers))
        return self

    async def suspend(self) -> "AsyncJob":
        """Takes its pods from it until it is resumed, and returns it."""
        self._seen = await self._client._do(verbs.set_aside(self._seen, suspended=True))
        return self

    async def resume(self) -> "AsyncJob":
        """Lets it go on, and returns it."""
        self._seen = await self._client._do(verbs.set_aside(self._seen, suspended=False))
        return self

    async def delete(self) -> None:
        """Deletes it, and what belongs to it."""
        await self._client.delete(self)


class AsyncJobs(list[AsyncJob]):
    """Several jobs; a notebook shows them as one table."""

    def _repr_html_(self) -> str:
        return jobs_html((job.line for job in self), time.time())


class AsyncClient:
    """Talks to the API that the command line would talk to, or to the one that is named.

    Opened by the first call. Use it as an asynchronous context manager, or `close` it. Each call under way has a thread; one
    that is cancelled ends it.
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

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends its connections; jobs go on."""
        self._sessions.close()

    def __repr__(self) -> str:
        first = self._sessions.first
        return f"<AsyncClient of {first.target}>" if first is not None else "<AsyncClient, not opened yet>"

    async def _do(self, work: Work[T]) -> T:
        errand = Errand(self._sessions, work)
        return await beside_the_loop(errand.run, errand.give_up)

    async def list(self, *, type: str = "", labels: str = "", everywhere: bool = False) -> AsyncJobs:  # noqa: A002
        """Returns the training jobs, the newest first, whoever made them."""
        found = await self._do(verbs.listed(Wanted(type, labels, everywhere), self.notes))
        return AsyncJobs(AsyncJob(self, one) for one in found)

    async def submit(self, what: Submission | Mapping[str, Any] | Function) -> AsyncJob:
        """Makes a job from a submission or from a manifest; a function is run without arguments, as `run` does."""
        if isinstance(what, Submission | Mapping):
            return AsyncJob(self, await self._do(making.submitted(what, self.notes)))
        return await self.run(what)

    async def run(
        self,
        function: Function,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        modules: Sequence[ModuleType] = (),
        **options: Unpack[RunOptions],
    ) -> AsyncJob:
        """Runs a function in each worker, with arguments that JSON can tell; `result` of the job returns what it returned.

        Its module, or its own source, goes along with the modules of one's own that it imports; `modules` names further ones.
        """
        call = Call(function, args, kwargs or {}, modules)
        return AsyncJob(self, await self._do(making.function_run(call, options, self.notes)))

    async def run_script(self, script: str, args: Sequence[str] = (), **options: Unpack[RunOptions]) -> AsyncJob:
        """Runs a script as `corral run` does, by default with the python that runs this."""
        return AsyncJob(self, await self._do(making.script_run(script, args, options, self.notes)))

    async def get(self, name: str) -> AsyncJob:
        """Returns the job of this name, also as `KIND/NAME`."""
        return AsyncJob(self, await self._do(verbs.looked_at(name)))

    async def logs(
        self, job: str | AsyncJob, *, follow: bool = False, rank: int | None = None, tail: int | None = None
    ) -> AsyncIterator[LogLine]:
        """Yields what the pods of a job have printed, all or one rank; with `follow` until it ends."""
        own = await self._do(lambda session: session._replace(store=session.open_store()))
        opening = verbs.printed(asked(job), Choice(rank=rank, tail=tail), follow=follow)
        with closing(own.store):
            stream = await beside_the_loop(lambda: opening(own), own.store.cut)
            batches = stream.batches()
            try:
                while lines := await beside_the_loop(lambda: next(batches, None), stream.leave):
                    for line in lines:
                        yield line
            finally:
                stream.leave()

    async def wait(
        self,
        job: str | AsyncJob,
        until: Goal = "succeeded",
        *,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> AsyncJob:
        """Returns a job when it is so; raises JobFailedError when it never will be."""
        return AsyncJob(self, await self._do(verbs.waited_for(asked(job), until, timeout, self.notes)))

    async def events(self, job: str | AsyncJob) -> Events:
        """Returns what was said about a job and its pods, oldest first."""
        return await self._do(verbs.events(asked(job), self.notes))

    async def why(self, job: str | AsyncJob) -> Reason:
        """Returns why a job waits, runs or has failed, by which evidence, and what helps."""
        return await self._do(verbs.why(asked(job), self.notes))

    async def scale(self, job: str | AsyncJob, workers: int) -> AsyncJob:
        """Gives an elastic job so many workers, and returns it."""
        return AsyncJob(self, await self._do(verbs.scaled(asked(job), workers)))

    async def suspend(self, job: str | AsyncJob) -> AsyncJob:
        """Takes the pods of a job from it until it is resumed, and returns it."""
        return AsyncJob(self, await self._do(verbs.set_aside(asked(job), suspended=True)))

    async def resume(self, job: str | AsyncJob) -> AsyncJob:
        """Lets a suspended job go on, and returns it."""
        return AsyncJob(self, await self._do(verbs.set_aside(asked(job), suspended=False)))

    async def delete(self, job: str | AsyncJob) -> None:
        """Deletes a job, and what belongs to it."""
        await self._do(verbs.deleted(asked(job)))
