"""Migration of gangs that checkpoint, and elastic gangs that grow and shrink."""

from corral.placement.admission.claims import Running
from corral.placement.admission.cycle import Terms
from corral.placement.asks import Seat
from tests.domain.placement.admission.stage import Stage, gang

MOVES = Terms(placements_per_move=2)


def scattered(checkpoints: bool = True, terms: Terms = MOVES, more: tuple[int, ...] = ()) -> Stage:
    """Returns two nodes, each with 3 of 4 GPUs taken by two gangs, and empty ones with so many GPUs."""
    stage = Stage(4, 4, *more, terms=terms)
    for index, (size, place) in enumerate(((2, 0), (2, 1), (1, 0), (1, 1))):
        claim = stage.ask(f"g{index}", gpus=size, checkpoints=checkpoints)
        stage.desk.leave(claim.uid)
        devices = (0, 1) if size == 2 else (2,)
        stage.desk.run(Running(claim, (Seat(f"g{index}/0", f"n{place}", devices),), 0.0))
    return stage


def placed(stage: Stage) -> None:
    """Admits and ends two gangs, so that a move is due."""
    for name in ("x", "y"):
        stage.ask(name)
        assert stage.starts() == [name]
        stage.desk.leave(name)


def test_idle_gpus_on_several_nodes_become_one_place_by_a_move() -> None:
    """volcano: idle GPUs lie scattered, and a job that needs them together cannot run."""
    stage = scattered()
    placed(stage)
    stage.ask("pair", gpus=2)
    cycle = stage.cycle(after=100)
    (migration,) = cycle.migrations
    assert migration.gang in ("g2", "g3")
    assert (migration.beneficiary, migration.lost) == ("pair", 100.0)
    moved = stage.desk.ground.running[migration.gang].claim
    stage.desk.leave(migration.gang)
    assert stage.starts() == ["pair"]
    stage.desk.wait(moved)
    (back,) = stage.cycle(after=1).admitted
    assert back.plan.seats[0].node == migration.seats[0].node


def test_the_place_of_one_that_moves_is_kept_until_it_is_back() -> None:
    stage = scattered()
    placed(stage)
    stage.ask("pair", gpus=2)
    (migration,) = stage.cycle(after=100).migrations
    moved = stage.desk.ground.running[migration.gang].claim
    stage.desk.leave(migration.gang)
    stage.ask("thief", run_time=1)
    assert stage.starts() == ["pair"]
    stage.desk.wait(moved)
    assert stage.starts(after=5) == [migration.gang]


def test_the_place_of_one_that_moves_is_kept_while_it_is_seen_to_leave() -> None:
    """Whoever looks tells of a gang again and again while its pods go."""
    stage = scattered()
    placed(stage)
    stage.ask("pair", gpus=2)
    (migration,) = stage.cycle(after=100).migrations
    moved = stage.desk.ground.running[migration.gang]
    stage.desk.run(moved)
    stage.desk.told_to_leave(migration.gang, {seat.uid for seat in moved.seats})
    assert set(stage.desk.ground.promises) == {"pair", migration.gang}
    stage.desk.leave(migration.gang)
    stage.ask("thief", run_time=1)
    assert stage.starts() == ["pair"]


def test_who_moved_and_never_came_back_loses_its_place() -> None:
    stage = scattered()
    placed(stage)
    stage.ask("pair", gpus=2)
    (migration,) = stage.cycle(after=100).migrations
    stage.desk.leave(migration.gang)
    stage.ask("next")
    assert stage.starts() == ["pair"]
    assert stage.starts(after=2000) == ["next"]


def test_a_pod_that_never_goes_keeps_nobody_from_moving() -> None:
    """Pods on nodes that are lost are told to go for hours; their room would not help."""
    stage = scattered(more=(1,))
    stuck = stage.ask("stuck")
    stage.desk.leave("stuck")
    stage.desk.run(Running(stuck, (Seat("stuck/0", "n2", (0,)),), 0.0))
    stage.desk.told_to_leave("stuck", {"stuck/0"})
    placed(stage)
    stage.ask("pair", gpus=2)
    assert [one.beneficiary for one in stage.cycle(after=100).migrations] == ["pair"]


def test_moves_are_bounded_by_placements() -> None:
    stage = scattered()
    stage.ask("pair", gpus=2)
    assert stage.cycle(after=100).migrations == ()


def test_only_gangs_that_checkpoint_move() -> None:
    stage = scattered(checkpoints=False)
    placed(stage)
    stage.ask("pair", gpus=2)
    assert stage.cycle(after=100).migrations == ()


def elastic(stage: Stage, pods: int, most: int = 8) -> None:
    """Lets an elastic gang of so many pods run."""
    stage.ask("elastic", pods=pods, minimum=2, most=most)
    assert stage.starts() == ["elastic"]


def test_an_elastic_gang_grows_into_what_is_idle() -> None:
    stage = Stage(8)
    elastic(stage, pods=3)
    assert stage.cycle(after=10).resizings == ()
    (resizing,) = stage.cycle(after=300).resizings
    assert (resizing.gang, resizing.was, resizing.becomes) == ("elastic", 3, 8)


def test_an_elastic_gang_does_not_grow_while_others_wait_for_room() -> None:
    stage = Stage(8)
    elastic(stage, pods=3)
    stage.ask("important", gpus=9)
    assert stage.cycle(after=400).resizings == ()


def test_the_quota_of_its_namespace_bounds_growth() -> None:
    stage = Stage(8)
    stage.desk.put_namespace("", {"gpu": 2000})
    elastic(stage, pods=3)
    (resizing,) = stage.cycle(after=400).resizings
    assert resizing.becomes == 5


def test_new_pods_of_a_gang_that_grows_start_beside_the_others() -> None:
    stage = Stage(8)
    elastic(stage, pods=3)
    stage.cycle(after=400)
    stage.ask("elastic", pods=8, minimum=2, most=8)
    (admitted,) = stage.cycle(after=5).admitted
    assert len(admitted.plan.seats) == 5
    assert len(stage.desk.ground.running["elastic"].seats) == 8


def test_an_elastic_gang_shrinks_by_as_little_as_another_needs() -> None:
    stage = Stage(8)
    elastic(stage, pods=8)
    stage.ask("waits", gpus=3)
    (resizing,) = stage.cycle(after=60).resizings
    assert (resizing.was, resizing.becomes, resizing.beneficiary) == (8, 5, "waits")
    assert resizing.leaving == ("elastic/5", "elastic/6", "elastic/7")
    running = stage.desk.ground.running["elastic"]
    assert stage.starts() == []
    stays = tuple(seat for seat in running.seats if seat.uid not in resizing.leaving)
    stage.desk.run(running._replace(seats=stays, claim=running.claim._replace(gang=gang("elastic", 5, minimum=2))))
    assert stage.starts() == ["waits"]


def test_an_elastic_gang_does_not_shrink_for_a_less_important_one() -> None:
    stage = Stage(8)
    stage.ask("elastic", pods=8, minimum=2, most=8, priority=1)
    stage.starts()
    stage.ask("waits", gpus=3)
    assert stage.cycle(after=60).resizings == ()


def test_an_elastic_gang_keeps_its_minimum() -> None:
    stage = Stage(8)
    elastic(stage, pods=8)
    stage.ask("waits", gpus=7)
    assert stage.cycle(after=60).resizings == ()


def test_an_elastic_gang_that_somebody_scaled_keeps_its_size_for_a_while() -> None:
    stage = Stage(8)
    elastic(stage, pods=6)
    stage.cycle(after=400)
    running = stage.desk.ground.running["elastic"]
    fewer = running.claim._replace(gang=gang("elastic", 4, minimum=2))
    stage.desk.run(running._replace(claim=fewer, seats=running.seats[:4]))
    assert stage.cycle(after=1).resizings == ()
    assert stage.cycle(after=200).resizings == ()
    (resizing,) = stage.cycle(after=200).resizings
    assert (resizing.was, resizing.becomes) == (4, 8)


def test_an_elastic_gang_of_which_pods_are_going_does_not_grow() -> None:
    stage = Stage(8)
    elastic(stage, pods=3)
    stage.desk.told_to_leave("elastic", {"elastic/2"})
    assert stage.cycle(after=400).resizings == ()


def test_nothing_is_resized_where_the_terms_say_so() -> None:
    stage = Stage(8, terms=Terms(resizes=False))
    elastic(stage, pods=3)
    assert stage.cycle(after=400).resizings == ()
    stage.ask("waits", gpus=6)
    assert stage.cycle(after=60).resizings == ()
