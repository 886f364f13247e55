"""Trains a small network on digits with numpy and MPI: every process has a part of the data, one all-reduce joins them."""

import argparse
import time

import digits as kit
import numpy as np
from mpi4py import MPI

BATCH, REPORT = 32, 200
RATE, MOMENTUM = 0.02, 0.9
SHAPES = ((kit.FEATURES, 128), (128,), (128, kit.CLASSES), (kit.CLASSES,))
ENDS = np.cumsum([np.prod(shape) for shape in SHAPES])


def initial() -> np.ndarray:
    """Returns the weights of a network 64-128-10 as one vector, so that one message in each step carries them all."""
    draw = np.random.default_rng(0)
    parts = [draw.normal(0, shape[0] ** -0.5, shape) if len(shape) == 2 else np.zeros(shape) for shape in SHAPES]
    return np.concatenate([part.ravel() for part in parts]).astype(np.float32)


def parts_of(vector: np.ndarray) -> list[np.ndarray]:
    """Returns the four arrays that lie in a vector, as views of it."""
    return [part.reshape(shape) for part, shape in zip(np.split(vector, ENDS[:-1]), SHAPES, strict=True)]


def scores(weights: np.ndarray, images: np.ndarray) -> np.ndarray:
    """Returns one row of ten scores for each image."""
    hidden, hidden_bias, out, out_bias = parts_of(weights)
    return np.maximum(images @ hidden + hidden_bias, 0) @ out + out_bias


def slope_of(weights: np.ndarray, batch: kit.Set) -> tuple[float, np.ndarray]:
    """Returns the mean cross entropy of a batch and its slope, by hand."""
    hidden, hidden_bias, out, out_bias = parts_of(weights)
    active = np.maximum(batch.images @ hidden + hidden_bias, 0)
    guesses = active @ out + out_bias
    chances = np.exp(guesses - guesses.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    rows = np.arange(len(batch))
    loss = -np.log(chances[rows, batch.labels] + 1e-9).mean()
    chances[rows, batch.labels] -= 1
    chances /= len(batch)
    back = (chances @ out.T) * (active > 0)
    slopes = (batch.images.T @ back, back.sum(axis=0), active.T @ chances, chances.sum(axis=0))
    return float(loss), np.concatenate([slope.ravel() for slope in slopes])


def main() -> None:
    """Trains from the last checkpoint on, and exports the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--save", type=int, default=200, help="steps between two checkpoints")
    options = parser.parse_args()
    world = MPI.COMM_WORLD
    leads = world.rank == 0
    print(f"process {world.rank} of {world.size} on {MPI.Get_processor_name()}", flush=True)
    digits = kit.load()
    mine = digits.train.shard(world.rank, world.size)

    # The first process reads the checkpoint and tells the others, so that all go on from the same one.
    checkpoints, start, state = (
        kit.Checkpoints() if leads else None,
        np.zeros(1, int),
        np.zeros((2, ENDS[-1]), np.float32),
    )
    state[0] = initial()
    found = checkpoints.latest_arrays() if checkpoints else None
    if found:
        start[0], state[:] = found[0], found[1]["state"]
    world.Bcast(start)
    world.Bcast(state)
    scalars = kit.Scalars(int(start[0])) if leads else None

    weights, velocity = state
    world.Barrier()
    begun = time.perf_counter()
    for step in range(int(start[0]) + 1, options.steps + 1):
        loss, slope = slope_of(weights, mine.batch(step, BATCH))
        message = np.append(slope, loss).astype(np.float32)
        world.Allreduce(MPI.IN_PLACE, message)
        message /= world.size
        velocity *= MOMENTUM
        velocity -= RATE * message[:-1]
        weights += velocity
        if leads and step % REPORT == 0:
            accuracy = kit.accuracy_of(scores(weights, digits.test.images), digits.test.labels)
            kit.say(step, options.steps, loss=message[-1], accuracy=accuracy)
            scalars.write(step, loss=message[-1], accuracy=accuracy)
        if leads and step % options.save == 0:
            checkpoints.save_arrays(step, {"state": state})
    world.Barrier()
    if leads:
        seen = (options.steps - int(start[0])) * BATCH * world.size
        print(f"samples/s={seen / (time.perf_counter() - begun):.0f}", flush=True)
        model = kit.export("digits.npz", lambda path: kit.write_arrays(path, {"weights": weights}))
        again = kit.read_arrays(model)["weights"]
        scalars.close()
        kit.done(kit.accuracy_of(scores(again, digits.test.images), digits.test.labels), model)


if __name__ == "__main__":
    main()
