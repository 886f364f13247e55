"""A small world in which every order of events is tried: three nodes, three gangs of two, schedulers that die at any step.

The server holds pods and the ledger, and takes requests one at a time. A request that was sent may be taken at any later moment, also
after its sender has died. Each scheduler goes through the steps of a reign, one call of the server for each, and decides with the very
functions of `promises.py`; only the loop around them is written anew, without time.

What is a scheduler's own choice in truth (which gang next, whether an unfinished gang is finished or taken back) is every choice
here, so what holds does not rest on a lucky choice.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from corral.control.scheduling.promises import (
    Judgement,
    PodNow,
    Promises,
    State,
    can_close,
    judged,
    raised,
    state_now,
)
from corral.kinds.references import ObjectKey
from corral.kinds.scheduling.ledger import Decision, Ledger

NODES = ("n0", "n1", "n2")
GANGS = ("g0", "g1", "g2")
SIZE = 2
PODS = tuple(f"{gang}/{index}" for gang in GANGS for index in range(SIZE))
"""Each takes a whole node."""


class Pod(NamedTuple):
    """A pod as the server has it; `life` counts how often it was made anew."""

    node: str = ""
    version: int = 0
    life: int = 0

    def uid(self, name: str) -> str:
        """Returns its uid."""
        return f"{name}#{self.life}"


class Request(NamedTuple):
    """A bind on its way."""

    sender: str
    pod: str
    uid: str
    version: int
    node: str


class Row(NamedTuple):
    """A decision as a scheduler remembers it."""

    decision: Decision
    state: State
    version: int
    """The version of the pod that a bind will name."""
    is_written: bool = False
    is_sent: bool = False
    must_confirm: bool = False
    """Whether the version was seen after the ledger was last found to be ours."""


class Reign(NamedTuple):
    """A scheduler that lives, and the step it is at."""

    name: str
    step: str = "read"
    """read, raise, list, confirm, work."""
    ledger: Ledger = Ledger()
    ledger_version: int = 0
    rows: tuple[Row, ...] = ()
    view: tuple[Pod, ...] = ()
    inherited: frozenset[str] = frozenset()
    """The gangs that somebody before it has promised places to."""


class World(NamedTuple):
    """Everything there is."""

    pods: tuple[Pod, ...] = (Pod(),) * len(PODS)
    ledger: Ledger = Ledger()
    ledger_version: int = 0
    sent: frozenset[Request] = frozenset()
    reigns: tuple[Reign, ...] = ()
    begun: int = 0
    crashes: int = 0
    taken_back: int = 0

    def with_pod(self, name: str, pod: Pod) -> "World":
        """Returns the world with another state of a pod."""
        index = PODS.index(name)
        return self._replace(pods=(*self.pods[:index], pod, *self.pods[index + 1 :]))

    def with_reign(self, reign: Reign) -> "World":
        """Returns the world with another state of a scheduler."""
        return self._replace(reigns=tuple(reign if one.name == reign.name else one for one in self.reigns))

    def without(self, reign: Reign) -> "World":
        """Returns the world without a scheduler; what it has sent stays on its way."""
        return self._replace(reigns=tuple(one for one in self.reigns if one.name != reign.name))


class Limits(NamedTuple):
    """How much may go wrong in one history."""

    crashes: int = 2
    at_once: int = 2
    """So many schedulers may believe at the same time that it is their turn."""
    reigns: int = 4
    taken_back: int = 1
    """So often a gang that somebody else has promised places to is taken back, though it might be finished."""
    gangs: int = len(GANGS)
    """So many gangs have their turn."""
    are_versions_named: bool = True
    """Whether binds name the version of their pod; without that something must go wrong, or nothing here is proven."""
    is_ledger_checked: bool = True
    """Whether the ledger is looked at once more after the pods were listed; the same holds."""


def steps(world: World, limits: Limits) -> Iterator[World]:
    """Yields every world that may come next."""
    yield from _arrivals(world, limits)
    for reign in world.reigns:
        yield from _steps_of(world, reign, limits)
        if world.crashes < limits.crashes:
            yield world.without(reign)._replace(crashes=world.crashes + 1)
    if len(world.reigns) < limits.at_once and (world.begun < limits.reigns or not world.reigns):
        fresh = Reign(f"s{world.begun}")
        yield world._replace(reigns=(*world.reigns, fresh), begun=world.begun + 1)


def _arrivals(world: World, limits: Limits) -> Iterator[World]:
    """Requests are taken in any order and at any time; those of the dead may also never have been sent."""
    living = {reign.name for reign in world.reigns}
    for request in world.sent:
        pod = world.pods[PODS.index(request.pod)]
        left = world._replace(sent=world.sent - {request})
        is_taken = _is_taken(pod, request, limits)
        if is_taken:
            yield left.with_pod(request.pod, _bound(pod, request))
        if not is_taken or request.sender not in living:
            yield left


def _is_taken(pod: Pod, request: Request, limits: Limits) -> bool:
    is_version = pod.version == request.version or not limits.are_versions_named
    return not pod.node and pod.uid(request.pod) == request.uid and is_version


def _bound(pod: Pod, request: Request) -> Pod:
    return pod._replace(node=request.node, version=pod.version + 1)


def _steps_of(world: World, reign: Reign, limits: Limits) -> Iterator[World]:
    match reign.step:
        case "read":
            read = reign._replace(step="raise", ledger=world.ledger, ledger_version=world.ledger_version)
            yield world.with_reign(read)
        case "raise":
            if reign.ledger_version != world.ledger_version:
                yield world.with_reign(reign._replace(step="read"))
                return
            ledger = raised(reign.ledger, reign.name)
            version = world.ledger_version + 1
            begun = reign._replace(step="list", ledger=ledger, ledger_version=version)
            yield world._replace(ledger=ledger, ledger_version=version).with_reign(begun)
        case "list":
            yield world.with_reign(_listed(world, reign))
        case "confirm":
            if limits.is_ledger_checked and not _is_ours(world, reign):
                yield world.without(reign)
            else:
                yield world.with_reign(reign._replace(step="work"))
        case "work":
            yield from _work(world, reign, limits)


def _listed(world: World, reign: Reign) -> Reign:
    """Returns a reign that knows all pods, and how far each earlier decision is by that."""
    rows = tuple(
        Row(one, state_now(one, _now(world.pods, one)), _pod(world.pods, one).version, is_written=True)
        for one in reign.ledger.decisions
    )
    inherited = frozenset(one.gang for one in reign.ledger.decisions)
    return reign._replace(step="confirm", rows=rows, view=world.pods, inherited=inherited)


def _work(world: World, reign: Reign, limits: Limits) -> Iterator[World]:
    if not _is_ours(world, reign):
        yield world.without(
            reign
        )  # sooner or later it learns that its lease is another one's, though it has nothing to write
    if reign.view != world.pods:
        yield world.with_reign(_seen(world, reign))
    yield from _decisions(world, reign, GANGS[: limits.gangs])
    if _rows_to_write(reign) != reign.ledger.decisions:
        yield _written(world, reign)
    unsent = [row for row in reign.rows if _is_due(row) and not row.is_sent and not row.must_confirm]
    if unsent:
        yield _sent(world, reign, unsent)
    for row in reign.rows:
        if _is_due(row):
            yield from _answers(world, reign, row)
        elif row.is_written and row.state is State.PROMISED:
            yield from _taken_back(world, reign, row)
    for name, group in _promises(reign).groups():
        # A group that somebody else began may be taken back, though it might be finished: that must be safe as well.
        may_be = name in reign.inherited and world.taken_back < limits.taken_back
        if may_be and not group.is_undone and not group.is_settled:
            yield world.with_reign(_undone(reign, name))._replace(taken_back=world.taken_back + 1)
        elif group.is_settled and group.bound and not group.is_undone and group.reached < SIZE:
            yield world.with_reign(
                _undone(reign, name)
            )  # one of it went before it was bound: the others must not keep places
        elif group.is_undone and group.is_settled and group.bound and _is_written_down(reign, name):
            yield from (_evicted(world, reign, uid) for uid in group.bound)


def _undone(reign: Reign, gang: str) -> Reign:
    rows = (
        row._replace(decision=row.decision._replace(is_undone=True)) if row.decision.gang == gang else row
        for row in reign.rows
    )
    return reign._replace(rows=tuple(rows))


def _seen(world: World, reign: Reign) -> Reign:
    """Returns a reign whose cache has caught up; a decision whose pod was made anew is gone."""
    rows = tuple(
        row._replace(state=state_now(row.decision, _now(world.pods, row.decision)))
        if _pod(world.pods, row.decision).uid(_name(row.decision)) != row.decision.uid and row.state is State.BOUND
        else row
        for row in reign.rows
    )
    return reign._replace(view=world.pods, rows=rows)


def _decisions(world: World, reign: Reign, gangs: Sequence[str]) -> Iterator[World]:
    """Any gang of which everybody waits may get the first nodes that are free, as far as the scheduler knows."""
    held = {row.decision.node for row in reign.rows if row.state in (State.PROMISED, State.BOUND)}
    free = [node for node in NODES if node not in held | {pod.node for pod in reign.view}]
    seated = {row.decision.gang for row in reign.rows if row.state in (State.PROMISED, State.BOUND)}
    promises = _promises(reign)
    touched = _touched(world)
    untouched = [gang for gang in gangs if gang not in touched]
    for gang in gangs:
        members = [name for name in PODS if name.startswith(gang)]
        waiting = all(not reign.view[PODS.index(name)].node for name in members)
        if gang in seated or not promises.takes_more(gang) or not waiting or len(free) < SIZE:
            continue
        if gang in untouched[1:]:
            continue  # gangs that nothing ever happened to are alike
        fresh = tuple(
            Row(Decision(pod.uid(name), ObjectKey("ns", name), node, (), gang), State.PROMISED, pod.version)
            for name, node in zip(members, free, strict=False)
            for pod in [reign.view[PODS.index(name)]]
        )
        kept = (row for row in reign.rows if row.decision.uid not in {one.decision.uid for one in fresh})
        yield world.with_reign(reign._replace(rows=(*kept, *fresh)))


def _touched(world: World) -> set[str]:
    """Returns the gangs that anything ever happened to."""
    decided = {row.decision.gang for reign in world.reigns for row in reign.rows}
    promised = {one.gang for one in world.ledger.decisions} | {request.pod.partition("/")[0] for request in world.sent}
    known = {one.gang for reign in world.reigns for one in reign.ledger.decisions}
    seen = {name.partition("/")[0] for name, pod in zip(PODS, world.pods, strict=True) if pod != Pod()}
    return decided | promised | known | seen


def _written(world: World, reign: Reign) -> World:
    """One write to the ledger: all that is promised, without what can be forgotten."""
    rows = _rows_to_write(reign)
    wanted = reign.ledger._replace(decisions=rows)
    if reign.ledger_version != world.ledger_version:
        match judged(wanted, world.ledger):
            case Judgement.LOST:
                return world.without(reign)
            case _:
                return world.with_reign(reign._replace(ledger_version=world.ledger_version))
    kept = {one.uid for one in rows}
    version = world.ledger_version + 1
    known = tuple(row._replace(is_written=True) for row in reign.rows if row.decision.uid in kept)
    written = reign._replace(ledger=wanted, ledger_version=version, rows=known)
    return world._replace(ledger=wanted, ledger_version=version).with_reign(written)


def _is_due(row: Row) -> bool:
    """Whether a bind is to be sent, or its answer waited for."""
    return row.is_written and row.state is State.PROMISED and not row.decision.is_undone


def _is_ours(world: World, reign: Reign) -> bool:
    return (world.ledger.epoch, world.ledger.holder) == (reign.ledger.epoch, reign.name)


def _sent(world: World, reign: Reign, rows: list[Row]) -> World:
    """Sends all binds that are due. Whoever dies between two of them is one of whose binds the last ones never arrive."""
    requests = {_request(reign, row) for row in rows}
    for row in rows:
        reign = _row_changed(reign, row._replace(is_sent=True))
    return world._replace(sent=world.sent | requests).with_reign(reign)


def _request(reign: Reign, row: Row) -> Request:
    return Request(reign.name, _name(row.decision), row.decision.uid, row.version, row.decision.node)


def _answers(world: World, reign: Reign, row: Row) -> Iterator[World]:
    """Learns what became of a bind, or confirms the ledger before it is sent in a newer version."""
    name = _name(row.decision)
    pod = world.pods[PODS.index(name)]
    if row.must_confirm:
        is_ours = _is_ours(world, reign)
        yield _with_row(world, reign, row._replace(must_confirm=False)) if is_ours else world.without(reign)
    elif row.is_sent and _request(reign, row) not in world.sent:  # it was taken, or refused
        state = state_now(row.decision, _now(world.pods, row.decision))
        if state is State.PROMISED:
            changed = row._replace(version=pod.version, is_sent=False, must_confirm=True)
            yield _with_row(world, reign, changed)
        else:
            # A place that was given is held until the cache shows it, also when the ledger has forgotten it by then.
            view = tuple(pod if one == name else held for one, held in zip(PODS, reign.view, strict=True))
            yield _with_row(world, reign._replace(view=view), row._replace(state=state))


def _taken_back(world: World, reign: Reign, row: Row) -> Iterator[World]:
    """Changes a pod, so that late binds of it fail; the answer says whether it was bound before that."""
    if not _is_in_ledger(reign, row):
        return
    name = _name(row.decision)
    pod = world.pods[PODS.index(name)]
    if pod.uid(name) != row.decision.uid:
        yield _with_row(world, reign, row._replace(state=State.GONE))
        return
    touched = world.with_pod(name, pod._replace(version=pod.version + 1))
    yield _with_row(touched, reign, row._replace(state=State.BOUND if pod.node else State.GONE))


def _evicted(world: World, reign: Reign, uid: str) -> World:
    """Deletes a bound pod, which is made anew by whoever looks after it."""
    row = next(one for one in reign.rows if one.decision.uid == uid)
    name = _name(row.decision)
    pod = world.pods[PODS.index(name)]
    gone = _with_row(world, reign, row._replace(state=State.GONE))
    return gone if pod.uid(name) != uid else gone.with_pod(name, Pod("", pod.version + 1, pod.life + 1))


def _with_row(world: World, reign: Reign, row: Row) -> World:
    return world.with_reign(_row_changed(reign, row))


def _row_changed(reign: Reign, row: Row) -> Reign:
    return reign._replace(rows=tuple(row if one.decision.uid == row.decision.uid else one for one in reign.rows))


def _promises(reign: Reign) -> Promises:
    promises = Promises()
    promises.add(row.decision for row in reign.rows)
    for row in reign.rows:
        promises.settle(row.decision.uid, row.state)
    return promises


def _rows_to_write(reign: Reign) -> tuple[Decision, ...]:
    promises = _promises(reign)
    for name, group in promises.groups():
        if can_close(group, is_whole=group.reached >= SIZE):
            promises.close(name)
    return promises.rows()


def _is_in_ledger(reign: Reign, row: Row) -> bool:
    return row.decision in reign.ledger.decisions


def _is_written_down(reign: Reign, gang: str) -> bool:
    return all(_is_in_ledger(reign, row) for row in reign.rows if row.decision.gang == gang)


def _name(decision: Decision) -> str:
    return decision.key.name


def _pod(pods: tuple[Pod, ...], decision: Decision) -> Pod:
    return pods[PODS.index(_name(decision))]


def _now(pods: tuple[Pod, ...], decision: Decision) -> PodNow:
    pod = _pod(pods, decision)
    return PodNow(pod.uid(_name(decision)), pod.node)
