"""Boosts trees on digits with LightGBM: every process grows them on a part of the data, and all talk to all."""

import argparse
import os
import socket
import time

import digits as kit
import lightgbm
import numpy as np
from lightgbm.callback import CallbackEnv

ROUNDS, REPORT, SAVE = 80, 5, 5
PARAMETERS = {
    "objective": "multiclass",
    "num_class": kit.CLASSES,
    "metric": ["multi_logloss", "multi_error"],
    "num_leaves": 15,
    "min_data_in_leaf": 5,
    "learning_rate": 0.1,
    "num_threads": 1,
    "verbosity": -1,
}


def machine(entry: str, patience: float = 60) -> str:
    """Returns `name:port` with the address in place of the name, which may take a moment to be known in a young job."""
    name, _, port = entry.rpartition(":")
    until = time.monotonic() + patience
    while True:
        try:
            address = socket.gethostbyname(name)
            break
        except socket.gaierror:
            if time.monotonic() > until:
                raise
            time.sleep(0.5)
    # LightGBM finds itself in the list by the addresses of its interfaces, and of all loopback ones only this is among them.
    return f"127.0.0.1:{port}" if address.startswith("127.") else f"{address}:{port}"


def wait_for_port(port: int, patience: float = 90) -> None:
    """Waits until a port can be bound: LightGBM gives up at once while connections of an earlier attempt fade away."""
    until = time.monotonic() + patience
    while True:
        with socket.socket() as probe:
            try:
                probe.bind(("", port))
                return
            except OSError as error:
                if time.monotonic() > until:
                    raise SystemExit(f"port {port} stays taken: {error}") from error
        time.sleep(0.5)


def network(machines: str, rank: int, world: int) -> dict[str, object]:
    """Returns the parameters by which the processes find each other, given the list of all in the order of their ranks."""
    entries = [machine(entry) for entry in machines.split(",")]
    if len(entries) != world:
        raise SystemExit(f"--machines names {len(entries)} processes, but the job has {world}")
    port = int(entries[rank].rpartition(":")[2])
    wait_for_port(port)
    return {
        "tree_learner": "data",
        "pre_partition": True,
        "machines": ",".join(entries),
        "num_machines": world,
        "local_listen_port": port,
        "time_out": 2,
    }


class Reports:
    """Says how training goes, and saves what there is, in the master."""

    def __init__(self, checkpoints: kit.Checkpoints, start: int) -> None:
        self.checkpoints, self.scalars = checkpoints, kit.Scalars(start)

    def __call__(self, now: CallbackEnv) -> None:
        """Is called after every round."""
        step = now.iteration + 1
        if step % REPORT == 0:
            values = {metric: value for _, metric, value, *_ in now.evaluation_result_list}
            loss, accuracy = values["multi_logloss"], 1 - values["multi_error"]
            kit.say(step, ROUNDS, loss=loss, accuracy=accuracy)
            self.scalars.write(step, loss=loss, accuracy=accuracy)
        if step % SAVE == 0:
            self.checkpoints.save(step, now.model.save_model)


def train(rank: int, world: int, machines: str, digits: kit.Digits) -> lightgbm.Booster:
    """Trains from the last checkpoint on, together with all others."""
    # Nobody can finish a round before all have begun it, so all read the same checkpoint here.
    checkpoints = kit.Checkpoints("txt")
    found = checkpoints.latest()
    start = found.step if found else 0
    mine = digits.train.shard(rank, world)
    data = lightgbm.Dataset(mine.images, mine.labels, free_raw_data=False)
    return lightgbm.train(
        PARAMETERS | network(machines, rank, world),
        data,
        num_boost_round=ROUNDS - start,
        valid_sets=[lightgbm.Dataset(digits.test.images, digits.test.labels, reference=data, free_raw_data=False)],
        init_model=found.path if found else None,
        callbacks=[Reports(checkpoints, start)] if rank == 0 else [],
    )


def main() -> None:
    """Trains with the others, and exports the model in the master."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--machines", required=True, help="name:port of every process, in the order of their ranks")
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    digits = kit.load()
    booster = train(rank, world, parser.parse_args().machines, digits)
    print(f"process {rank} of {world} has {booster.num_trees()} trees", flush=True)
    if rank == 0:
        model = kit.export("digits.txt", booster.save_model)
        guesses = np.asarray(lightgbm.Booster(model_file=model).predict(digits.test.images))
        kit.done(kit.accuracy_of(guesses, digits.test.labels), model)


if __name__ == "__main__":
    main()
