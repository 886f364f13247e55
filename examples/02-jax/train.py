"""Trains a small network on digits with JAX: one process for each worker, gradients averaged over all of them."""

import os
from functools import partial

import digits as kit
import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax.experimental.multihost_utils import broadcast_one_to_all
from jax.sharding import NamedSharding, PartitionSpec

STEPS, BATCH, REPORT, SAVE = 1500, 64, 100, 100
RATE, MOMENTUM = 0.02, 0.9
SHAPES = ((kit.FEATURES, 128), (128,), (128, kit.CLASSES), (kit.CLASSES,))
EVERYWHERE, SPREAD = PartitionSpec(), PartitionSpec("workers")


def initial() -> np.ndarray:
    """Returns the weights of a network 64-128-10 as one vector, so that one message in each step carries them all."""
    draw = np.random.default_rng(0)
    parts = [draw.normal(0, shape[0] ** -0.5, shape) if len(shape) == 2 else np.zeros(shape) for shape in SHAPES]
    return np.concatenate([part.ravel() for part in parts]).astype(np.float32)


def scores(weights: jax.Array, images: jax.Array) -> jax.Array:
    """Returns one row of ten scores for each image."""
    ends = np.cumsum([np.prod(shape) for shape in SHAPES])
    parts = [part.reshape(shape) for part, shape in zip(jnp.split(weights, ends[:-1]), SHAPES, strict=True)]
    return jax.nn.relu(images @ parts[0] + parts[1]) @ parts[2] + parts[3]


def loss_of(weights: jax.Array, images: jax.Array, labels: jax.Array) -> jax.Array:
    """Returns the mean cross entropy."""
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(scores(weights, images)), labels[:, None], axis=1))


def step_once(state: jax.Array, images: jax.Array, labels: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Takes one step with the worker's own part of the batch; `pmean` is where the workers talk to each other."""
    weights, velocity = state
    loss, slope = jax.value_and_grad(loss_of)(weights, images, labels)
    mean = jax.lax.pmean(jnp.append(slope, loss), "workers")
    velocity = MOMENTUM * velocity - RATE * mean[:-1]
    return jnp.stack([weights + velocity, velocity]), mean[-1]


def train(rank: int, world: int, digits: kit.Digits) -> np.ndarray:
    """Trains from the last checkpoint on and returns the weights."""
    # The first process reads the checkpoint and tells the others, so that all go on from the same one.
    checkpoints = kit.Checkpoints() if rank == 0 else None
    found = checkpoints.latest_arrays() if checkpoints else None
    start, state = found if found else (0, {"state": np.stack([initial(), np.zeros_like(initial())])})
    start, state = broadcast_one_to_all((start, state["state"]))
    scalars = kit.Scalars(int(start)) if rank == 0 else None

    mesh = jax.make_mesh((world,), ("workers",))
    step_together = jax.jit(
        jax.shard_map(
            step_once,
            mesh=mesh,
            in_specs=(EVERYWHERE, SPREAD, SPREAD),
            out_specs=(EVERYWHERE, EVERYWHERE),
            check_vma=False,
        )
    )
    spread = partial(jax.make_array_from_process_local_data, NamedSharding(mesh, SPREAD))
    state = jax.make_array_from_process_local_data(NamedSharding(mesh, EVERYWHERE), np.asarray(state))
    mine = digits.train.shard(rank, world)
    for step in range(int(start) + 1, STEPS + 1):
        batch = mine.batch(step, BATCH)
        state, loss = step_together(state, spread(batch.images), spread(batch.labels))
        if rank == 0 and step % REPORT == 0:
            here = np.asarray(state)
            accuracy = kit.accuracy_of(np.asarray(scores(here[0], digits.test.images)), digits.test.labels)
            kit.say(step, STEPS, loss=loss, accuracy=accuracy)
            scalars.write(step, loss=loss, accuracy=accuracy)
            if step % SAVE == 0:
                checkpoints.save_arrays(step, {"state": here})
    return np.asarray(state)[0]


def export_model(weights: np.ndarray, test: kit.Set) -> None:
    """Exports the network as a portable program, reads it back and tells how good it is."""
    form = jax.ShapeDtypeStruct(test.images.shape, jnp.float32)
    program = export.export(jax.jit(partial(scores, weights)))(form)
    model = kit.export("digits.stablehlo", lambda path: path.write_bytes(program.serialize()))
    again = export.deserialize(bytearray(model.read_bytes()))
    kit.done(kit.accuracy_of(np.asarray(again.call(test.images)), test.labels), model)


def main() -> None:
    """Joins the other processes and trains with them."""
    rank, world = int(os.environ["PROCESS_ID"]), int(os.environ["NUM_PROCESSES"])
    coordinator = f"{os.environ['COORDINATOR_ADDRESS']}:{os.environ['COORDINATOR_PORT']}"
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    # JAX would take SIGTERM for a notice and train on; with checkpoints it is better to go when told.
    jax.config.update("jax_enable_preemption_service", False)
    # Those who are left when a process dies should end soon, so that all can start again; the default is 100 seconds.
    jax.distributed.initialize(coordinator, world, rank, heartbeat_timeout_seconds=10, shutdown_timeout_seconds=10)
    print(f"process {rank} of {world}: {jax.device_count()} devices", flush=True)
    digits = kit.load()
    weights = train(rank, world, digits)
    if rank == 0:
        export_model(weights, digits.test)
    jax.distributed.shutdown()


if __name__ == "__main__":
    main()
