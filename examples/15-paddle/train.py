"""Trains a small network on digits with Paddle: one process for each worker, gradients averaged over all of them.

`paddle.distributed.launch` meets the other launchers at the address that the operator tells it, and starts this script.
"""

import argparse
import time

import digits as kit
import paddle
import paddle.distributed as dist
from paddle import nn

REPORT, SAVE = 100, 100
RATE = 0.1


def network() -> nn.Layer:
    """Returns a network 64-128-10."""
    paddle.seed(0)
    return nn.Sequential(nn.Linear(kit.FEATURES, 128), nn.ReLU(), nn.Linear(128, kit.CLASSES))


def resume(plain: nn.Layer, checkpoints: kit.Checkpoints | None) -> int:
    """Takes the weights of the last checkpoint and returns its step. The first process reads it and tells the others."""
    found = checkpoints.latest_arrays() if checkpoints else None
    step = paddle.to_tensor([found[0] if found else 0])
    if found:
        plain.set_state_dict({name: paddle.to_tensor(value) for name, value in found[1].items()})
    if dist.get_world_size() > 1:
        for one in (step, *plain.parameters()):
            dist.broadcast(one, 0)
    return int(step.item())


def report(step: int, options: argparse.Namespace, loss: float, plain: nn.Layer, test: kit.Set) -> dict[str, float]:
    """Tells how good the network is."""
    with paddle.no_grad():
        guesses = plain(paddle.to_tensor(test.images)).numpy()
    reached = {"loss": loss, "accuracy": kit.accuracy_of(guesses, test.labels)}
    kit.say(step, options.steps, **reached)
    return reached


def train(options: argparse.Namespace, digits: kit.Digits) -> nn.Layer:
    """Trains from the last checkpoint to the end and returns the network."""
    rank, world = dist.get_rank(), dist.get_world_size()
    plain = network()
    checkpoints = kit.Checkpoints() if rank == 0 else None
    start = resume(plain, checkpoints)
    scalars = kit.Scalars(start) if rank == 0 else None
    shared = paddle.DataParallel(plain) if world > 1 else plain
    optimizer = paddle.optimizer.SGD(RATE, plain.parameters())
    mine, clock = digits.train.shard(rank, world), time.perf_counter()
    for step in range(start + 1, options.steps + 1):
        images, labels = mine.batch(step, options.batch)
        loss = nn.functional.cross_entropy(shared(paddle.to_tensor(images)), paddle.to_tensor(labels).astype("int64"))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if rank == 0 and (step % REPORT == 0 or step == options.steps):
            scalars.write(step, **report(step, options, loss.item(), plain, digits.test))
        if rank == 0 and (step % SAVE == 0 or step == options.steps):
            checkpoints.save_arrays(step, {name: held.numpy() for name, held in plain.state_dict().items()})
    if rank == 0:
        speed = (options.steps - start) * options.batch * world / (time.perf_counter() - clock)
        print(f"samples/s={speed:.0f}", flush=True)
    return plain


def export(plain: nn.Layer, test: kit.Set) -> None:
    """Exports the network as a program, reads it back and tells how good it is."""
    form = [paddle.static.InputSpec([None, kit.FEATURES], "float32", "images")]
    plain.eval()
    model = kit.export_folder("paddle", lambda path: paddle.jit.save(plain, str(path / "digits"), input_spec=form))
    again = paddle.jit.load(str(model / "digits"))
    again.eval()
    kit.done(kit.accuracy_of(again(paddle.to_tensor(test.images)).numpy(), test.labels), model)


def main() -> None:
    """Joins the other processes and trains with them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--batch", type=int, default=32, help="images of each process in each step")
    options = parser.parse_args()
    paddle.set_device("cpu")
    dist.init_parallel_env()
    print(f"process {dist.get_rank()} of {dist.get_world_size()}", flush=True)
    digits = kit.load()
    trained = train(options, digits)
    if dist.get_rank() == 0:
        export(trained, digits.test)


if __name__ == "__main__":
    main()
