"""Boosts trees on digits with XGBoost: the master tracks, and everybody, the master too, trains on a part of the data."""

import json
import os
import socket
import threading
import time

import digits as kit
import numpy as np
import xgboost
from xgboost import collective
from xgboost.tracker import RabitTracker

ROUNDS, REPORT, SAVE = 100, 5, 5
PARAMETERS = {
    "objective": "multi:softprob",
    "num_class": kit.CLASSES,
    "eval_metric": ["merror", "mlogloss"],
    "max_depth": 5,
    "eta": 0.2,
    "subsample": 0.8,
    "nthread": 1,
}


def address_of(name: str) -> str:
    """Returns the address of the master; in a young job its name may take a moment to be known."""
    while True:
        try:
            return socket.gethostbyname(name)
        except socket.gaierror:
            time.sleep(0.5)


def start_tracker(world: int, host: str, port: int) -> dict[str, str | int]:
    """Starts XGBoost's tracker and tells everyone who comes to the master's port where it is.

    The tracker gets any free port: it cannot have the same again within a minute, when all start anew after a failure.
    """
    tracker = RabitTracker(n_workers=world, host_ip=host, sortby="task")
    tracker.start()
    words = json.dumps(tracker.worker_args()).encode()
    door = socket.create_server((host, port))

    def tell() -> None:
        while True:
            with door.accept()[0] as visitor:
                visitor.sendall(words)

    threading.Thread(target=tell, daemon=True).start()
    threading.Thread(target=tracker.wait_for, daemon=True).start()
    return tracker.worker_args()


def find_tracker(host: str, port: int) -> dict[str, str | int]:
    """Returns where the tracker is, as soon as the master tells it."""
    while True:
        try:
            with socket.create_connection((host, port)) as master, master.makefile() as words:
                return json.load(words)
        except (ConnectionError, json.JSONDecodeError):
            time.sleep(0.2)


class Reports(xgboost.callback.TrainingCallback):
    """Says how training goes, and saves what there is, in the master."""

    def __init__(self, checkpoints: kit.Checkpoints, start: int) -> None:
        super().__init__()
        self.checkpoints, self.scalars = checkpoints, kit.Scalars(start)

    def after_iteration(self, model: xgboost.Booster, epoch: int, evals_log: dict) -> bool:
        """Is called after every round; to return True would end the training."""
        step, test = epoch + 1, evals_log["test"]
        if step % REPORT == 0:
            loss, accuracy = test["mlogloss"][-1], 1 - test["merror"][-1]
            kit.say(step, ROUNDS, loss=loss, accuracy=accuracy)
            self.scalars.write(step, loss=loss, accuracy=accuracy)
        if step % SAVE == 0:
            self.checkpoints.save(step, model.save_model)
        return False


def train(rank: int, world: int, digits: kit.Digits) -> xgboost.Booster:
    """Trains from the last checkpoint on, together with all others."""
    # The master reads the checkpoint and tells the others, so that all go on from the same one.
    checkpoints = kit.Checkpoints("ubj") if rank == 0 else None
    found = checkpoints.latest() if checkpoints else None
    before = collective.broadcast(found.path.read_bytes() if found else b"", 0)
    booster = xgboost.Booster(PARAMETERS, model_file=bytearray(before)) if before else None
    start = booster.num_boosted_rounds() if booster else 0

    mine = digits.train.shard(rank, world)
    test = xgboost.DMatrix(digits.test.images, digits.test.labels)
    return xgboost.train(
        PARAMETERS,
        xgboost.DMatrix(mine.images, mine.labels),
        num_boost_round=ROUNDS - start,
        evals=[(test, "test")],
        xgb_model=booster,
        callbacks=[Reports(checkpoints, start)] if checkpoints else [],
        verbose_eval=False,
    )


def export_model(booster: xgboost.Booster, test: kit.Set) -> None:
    """Exports the trees, reads them back and tells how good they are."""
    model = kit.export("digits.json", booster.save_model)
    again = xgboost.Booster(model_file=model)
    kit.done(kit.accuracy_of(np.asarray(again.predict(xgboost.DMatrix(test.images))), test.labels), model)


def main() -> None:
    """Joins the others through the tracker, which runs in the master, and trains with them."""
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    host, port = address_of(os.environ["MASTER_ADDR"]), int(os.environ["MASTER_PORT"])
    tracker = start_tracker(world, host, port) if rank == 0 else find_tracker(host, port)
    digits = kit.load()
    with collective.CommunicatorContext(**tracker, dmlc_task_id=str(rank)):
        print(f"process {collective.get_rank()} of {collective.get_world_size()}", flush=True)
        booster = train(rank, world, digits)
    if rank == 0:
        export_model(booster, digits.test)


if __name__ == "__main__":
    main()
