"""A framework of one's own, in the manner of Caffe: `mpirun -n 4 python -m mpi4py train.py solver.toml`.

It knows layers, a solver and MPI, and nothing of Kubernetes: what starts its processes is an ordinary MPIJob. Each process
works on a part of the digits. The gradient of a layer is on its way to the others while those before it are computed.
"""

import sys
import tomllib
from pathlib import Path

import digits as kit
import numpy as np
from mpi4py import MPI


class InnerProduct:
    """A layer that is connected fully."""

    def __init__(self, inputs: int, num_output: int, draw: np.random.Generator) -> None:
        scale = (2 / inputs) ** 0.5
        self.blobs = [draw.normal(0, scale, (inputs, num_output)).astype(np.float32), np.zeros(num_output, np.float32)]
        self.slopes = [np.zeros_like(blob) for blob in self.blobs]
        self.history = [np.zeros_like(blob) for blob in self.blobs]

    def forward(self, bottom: np.ndarray) -> np.ndarray:
        """Returns what the layer makes of its input."""
        self.bottom = bottom
        return bottom @ self.blobs[0] + self.blobs[1]

    def backward(self, top: np.ndarray) -> np.ndarray:
        """Keeps the slopes of its own numbers, and returns the slope of its input."""
        self.slopes = [self.bottom.T @ top, top.sum(axis=0)]
        return top @ self.blobs[0].T


class ReLU:
    """A layer that lets nothing negative through."""

    blobs: tuple[np.ndarray, ...] = ()

    def forward(self, bottom: np.ndarray) -> np.ndarray:
        """Returns what the layer makes of its input."""
        self.passes = bottom > 0
        return bottom * self.passes

    def backward(self, top: np.ndarray) -> np.ndarray:
        """Returns the slope of its input."""
        return top * self.passes


def build(path: Path) -> list[InnerProduct | ReLU]:
    """Returns the layers of a net file; every process draws the same numbers."""
    draw, width, layers = np.random.default_rng(0), kit.FEATURES, []
    for entry in tomllib.loads(path.read_text())["layer"]:
        if entry["type"] == "ReLU":
            layers.append(ReLU())
        elif entry["type"] == "InnerProduct":
            layers.append(InnerProduct(width, entry["num_output"], draw))
            width = entry["num_output"]
        else:
            raise SystemExit(f"{path.name}: there is no layer of type {entry['type']}")
    return layers


def forward(layers: list[InnerProduct | ReLU], images: np.ndarray) -> np.ndarray:
    """Returns one row of ten scores for each image."""
    for layer in layers:
        images = layer.forward(images)
    return images


def softmax_loss(scores: np.ndarray, labels: np.ndarray) -> tuple[float, np.ndarray]:
    """Returns the mean cross entropy and its slope."""
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    loss = -np.log(chances[rows, labels] + 1e-9).mean()
    chances[rows, labels] -= 1
    return float(loss), chances / len(labels)


class Solver:
    """Trains a net as its file says, together with the solvers of all other processes."""

    def __init__(self, path: Path, world: MPI.Intracomm) -> None:
        self.settings, self.world = tomllib.loads(path.read_text()), world
        self.layers = build(path.parent / self.settings["net"])
        self.step = 0

    def advance(self, batch: kit.Set) -> float:
        """Takes one step and returns the loss of this process's part of it."""
        loss, slope = softmax_loss(forward(self.layers, batch.images), batch.labels)
        under_way = []
        for layer in reversed(self.layers):
            slope = layer.backward(slope)
            if layer.blobs:
                under_way += [self.world.Iallreduce(MPI.IN_PLACE, one) for one in layer.slopes]
        MPI.Request.Waitall(under_way)
        self.step += 1
        for layer in self.layers:
            if layer.blobs:
                self._update(layer)
        return loss

    def _update(self, layer: InnerProduct) -> None:
        rate = self.settings["base_lr"] * self.settings["gamma"] ** (self.step // self.settings["stepsize"])
        for blob, slope, history in zip(layer.blobs, layer.slopes, layer.history, strict=True):
            history *= self.settings["momentum"]
            history += rate * (slope / self.world.size + self.settings["weight_decay"] * blob)
            blob -= history

    def blobs(self) -> dict[str, np.ndarray]:
        """Returns all numbers that are learned, by name."""
        return {f"{at}.{n}": blob for at, layer in enumerate(self.layers) for n, blob in enumerate(layer.blobs)}

    def state(self) -> dict[str, np.ndarray]:
        """Returns all numbers that a snapshot holds, by name."""
        learning = [(at, layer) for at, layer in enumerate(self.layers) if layer.blobs]
        return self.blobs() | {f"{at}.{n}.history": one for at, it in learning for n, one in enumerate(it.history)}

    def restore(self, found: tuple[int, dict[str, np.ndarray]] | None) -> None:
        """Takes over what the first process found in its snapshots, in all processes."""
        step = np.array([found[0] if found else 0])
        self.world.Bcast(step)
        self.step = int(step[0])
        for name, place in self.state().items():
            if found:
                place[:] = found[1][name]
            self.world.Bcast(place)


def train(solver: Solver, digits: kit.Digits) -> None:
    """Runs the solver to its end; the first process speaks and saves."""
    world, settings, leads = solver.world, solver.settings, solver.world.rank == 0
    snapshots = kit.Checkpoints() if leads else None
    solver.restore(snapshots.latest_arrays() if snapshots else None)
    scalars = kit.Scalars(solver.step) if leads else None
    mine = digits.train.shard(world.rank, world.size)
    while solver.step < settings["max_iter"]:
        loss = solver.advance(mine.batch(solver.step, settings["batch_size"]))
        if leads and solver.step % settings["display"] == 0:
            accuracy = kit.accuracy_of(forward(solver.layers, digits.test.images), digits.test.labels)
            kit.say(solver.step, settings["max_iter"], loss=loss, accuracy=accuracy)
            scalars.write(solver.step, loss=loss, accuracy=accuracy)
        if leads and solver.step % settings["snapshot"] == 0:
            snapshots.save_arrays(solver.step, solver.state())


def main(path: Path) -> None:
    """Trains, exports the learned numbers, and reads them into a new net to see how good they are."""
    world = MPI.COMM_WORLD
    print(f"process {world.rank} of {world.size} on {MPI.Get_processor_name()}", flush=True)
    solver, digits = Solver(path, world), kit.load()
    train(solver, digits)
    if world.rank == 0:
        model = kit.export("digits.npz", lambda file: kit.write_arrays(file, solver.blobs()))
        again, learned = Solver(path, world), kit.read_arrays(model)
        for name, place in again.blobs().items():
            place[:] = learned[name]
        kit.done(kit.accuracy_of(forward(again.layers, digits.test.images), digits.test.labels), model)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
