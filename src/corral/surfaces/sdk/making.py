"""The verbs that make jobs: from a submission, a manifest, a script or a function."""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypedDict

from msgspec.structs import replace

from corral.control.desk.logs.sources import Choice
from corral.control.desk.making.needs import needs_of, unmet_need
from corral.control.desk.making.submitting import submit_objects
from corral.control.desk.naming.finding import Found
from corral.control.desk.naming.kinds import is_training, resource_of_manifest
from corral.control.desk.session import Session
from corral.errors import PermanentError
from corral.kinds.objects import Object, copied
from corral.kinds.references import ApiResource
from corral.kinds.submission.catalogue import job_type
from corral.kinds.submission.faults import faults_of
from corral.kinds.submission.objects import objects_of
from corral.kinds.submission.submission import Submission
from corral.kinds.well_known import JOB
from corral.surfaces.sdk.functions.packing import PROGRAM, Call, packed
from corral.surfaces.sdk.functions.rank_program import MARK
from corral.surfaces.sdk.log_stream import LogStream
from corral.surfaces.sdk.verbs import Notes, Seen, Work, found_of, seen_of, waited_for

_LAST_LINES: Final = 50
"""Where the result of a function is looked for first."""


class RunOptions(TypedDict, total=False):
    """How a script or a function is run; nothing said is decided as `corral run` does."""

    workers: int
    framework: str
    name: str
    image: str
    gpus: int
    cpu: str
    memory: str
    env: Mapping[str, str]
    nproc_per_node: str
    python: str
    """Another interpreter of this machine than the one that runs this."""


def submitted(what: Submission | Mapping[str, Any], notes: Notes) -> Work[Seen]:
    """Makes a job, and what belongs to it; faults are told before anything is sent."""

    def work(session: Session) -> Seen:
        if isinstance(what, Submission):
            return _submit(session, what, notes)
        manifest = copied(dict(what))
        resource = _resource(session, manifest)
        return _made(session, resource, [manifest])

    return work


def _submit(session: Session, submission: Submission, notes: Notes) -> Seen:
    placed = replace(submission, namespace=submission.namespace or session.namespace)
    if session.is_embedded and placed.may_start_here:
        placed = replace(placed, working_dir=os.getcwd())
    if faults := faults_of(placed):
        told = "; ".join(f"{fault.field}: {fault.sentence}" for fault in faults)
        raise PermanentError("bad-submission", told)
    there = session._replace(namespace=placed.namespace)
    needs = needs_of(placed)
    if (unmet := unmet_need(there, needs, on_note=notes)) is not None:
        raise unmet.error
    return _made(there, job_type(placed.type).facts.resource, objects_of(placed))


def _resource(session: Session, manifest: Object) -> ApiResource:
    kind, version = manifest.get("kind"), manifest.get("apiVersion")
    if not (isinstance(kind, str) and isinstance(version, str) and isinstance(manifest.get("metadata"), dict)):
        raise PermanentError("bad-object", "a manifest has apiVersion, kind and metadata")
    resource = resource_of_manifest(session.store.catalogue(), version, kind)
    if not is_training(resource) and resource != JOB:
        raise PermanentError("bad-object", f"{kind} is no job", hint="`corral apply -f` takes every kind")
    return resource


def _made(session: Session, resource: ApiResource, objects: Sequence[Object]) -> Seen:
    made = submit_objects(session, resource, objects)[0]
    return seen_of(session, Found(made.resource, made.object))


def script_run(script: str, args: Sequence[str], options: RunOptions, notes: Notes) -> Work[Seen]:
    """Runs a script as `corral run` does, by default with the python that runs this."""

    def work(session: Session) -> Seen:
        from corral.assembly.scripts import ScriptWish, prepare_script

        framework, python, fields = _parted(options, session)
        wish = ScriptWish(os.fspath(script), tuple(args), framework, python, fields=fields)
        prepared = prepare_script(wish, is_here=session.is_embedded)
        for note in prepared.notes:
            notes(f"note: {note}")
        return _submit(session, prepared.submission, notes)

    return work


def function_run(call: Call, options: RunOptions, notes: Notes) -> Work[Seen]:
    """Runs a function in every rank; what cannot be sent is refused at once."""
    files = packed(call)

    def work(session: Session) -> Seen:
        from corral.assembly.scripts import ScriptWish, prepare_function

        framework, python, fields = _parted(options, session)
        wish = ScriptWish(PROGRAM, framework=framework, python=python, fields={**fields, "function": files.name})
        prepared = prepare_function(wish, files.bundle, files.source, is_here=session.is_embedded)
        return _submit(session, prepared.submission, notes)

    return work


def _parted(options: RunOptions, session: Session) -> tuple[str, str, dict[str, Any]]:
    """Returns the framework, the interpreter and the fields of the submission."""
    fields: dict[str, Any] = dict(options)
    unknown = sorted(fields.keys() - RunOptions.__annotations__.keys())
    if unknown:
        raise TypeError(f"unexpected options: {', '.join(unknown)}")
    framework, python = str(fields.pop("framework", "")), str(fields.pop("python", ""))
    is_own = session.is_embedded and not python and not fields.get("image")
    return framework, sys.executable if is_own else python, fields


def result_of(job: "str | Seen", timeout: float | None, notes: Notes) -> Work[Any]:
    """Waits until a function has succeeded, and returns what its first rank returned."""
    wait = waited_for(job, "succeeded", timeout, notes)

    def work(session: Session) -> Any:
        found = found_of(session, wait(session))
        is_launched = found.resource.kind == "MPIJob"
        place: dict[str, Any] = {"role": "launcher"} if is_launched else {"rank": 0}
        for tail in (_LAST_LINES, None):
            told = _results(session, found, Choice(tail=tail, **place))
            if told:
                return _value(told, found.key.name)
        raise PermanentError("no-result", f"{found.key.name} has told no result", hint="it is no job of a function")

    return work


def _results(session: Session, found: Found, choice: Choice) -> list[dict[str, Any]]:
    lines = (
        line for batch in LogStream(session, found, choice, follow=False, with_results=True).batches() for line in batch
    )
    texts = [line.text.removeprefix(MARK) for line in lines if line.text.startswith(MARK)]
    results = [one for text in texts if isinstance(one := _read(text), dict)]
    return [one for one in results if one.get("rank") in (0, None)]


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None  # a line of the program itself that only looks like ours


def _value(told: Sequence[Mapping[str, Any]], name: str) -> Any:
    last = told[-1]
    if "error" in last:
        hint = "return what JSON can tell, or write it to a file and return its path"
        raise PermanentError("no-result", f"the result of {name} cannot be told: {last['error']}", hint=hint)
    return last.get("value")


Function = Callable[..., Any]
