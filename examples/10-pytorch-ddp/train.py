"""Trains a small convolutional network on digits with PyTorch: one process for each pod, gradients averaged by DDP.

The processes find each other by the variables that the operator or torchrun sets: MASTER_ADDR, MASTER_PORT, RANK, WORLD_SIZE.
"""

import argparse
import time

import digits as kit
import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

REPORT = 100
RATE, MOMENTUM = 0.02, 0.9


def network() -> nn.Module:
    """Returns the network with the same weights in every process."""
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Unflatten(1, (1, 8, 8)),
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(512, 128),
        nn.ReLU(),
        nn.Linear(128, kit.CLASSES),
    )


class Trainer:
    """One process of the training; the first one also reports and saves."""

    def __init__(self, options: argparse.Namespace, digits: kit.Digits) -> None:
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.steps, self.batch, self.save = options.steps, options.batch, options.save
        self.test = digits.test
        self.mine = digits.train.shard(self.rank, self.world)
        self.plain = network()
        self.optimizer = torch.optim.SGD(self.plain.parameters(), lr=RATE, momentum=MOMENTUM)
        self.checkpoints = kit.Checkpoints() if self.rank == 0 else None
        self.start = self.resume()
        self.shared = DistributedDataParallel(self.plain)
        self.scalars = kit.Scalars(self.start) if self.rank == 0 else None

    def resume(self) -> int:
        """Takes the state of the last checkpoint and returns its step. The first process reads it for all of them."""
        found = self.checkpoints.latest_arrays() if self.checkpoints else None
        step, saved = found or (0, {})
        for name, weights in self.plain.named_parameters():
            velocity = torch.zeros_like(weights)
            if saved:
                weights.data.copy_(torch.from_numpy(saved[f"weights/{name}"]))
                velocity.copy_(torch.from_numpy(saved[f"velocity/{name}"]))
            dist.broadcast(velocity, 0)
            self.optimizer.state[weights]["momentum_buffer"] = velocity
        together = torch.tensor(step)
        dist.broadcast(together, 0)
        return int(together)

    def state(self) -> dict[str, np.ndarray]:
        """Returns what a checkpoint holds: the weights and how fast each was moving."""
        held = dict(self.plain.named_parameters())
        moving = {name: self.optimizer.state[weights]["momentum_buffer"] for name, weights in held.items()}
        return {f"weights/{name}": weights.detach().numpy() for name, weights in held.items()} | {
            f"velocity/{name}": velocity.numpy() for name, velocity in moving.items()
        }

    def run(self) -> float:
        """Trains to the last step and returns how many images all processes saw in a second."""
        dist.barrier()
        begun = time.perf_counter()
        for step in range(self.start + 1, self.steps + 1):
            images, labels = self.mine.batch(step, self.batch)
            loss = self.step_once(torch.from_numpy(images), torch.from_numpy(labels).long())
            if self.rank == 0 and (step % REPORT == 0 or step == self.steps):
                self.report(step, loss)
            if self.rank == 0 and (step % self.save == 0 or step == self.steps):
                self.checkpoints.save_arrays(step, self.state())
        dist.barrier()
        return (self.steps - self.start) * self.batch * self.world / (time.perf_counter() - begun)

    def step_once(self, images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Takes one step with the process's own part of the batch; DDP averages the gradients on the way back."""
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.shared(images), labels)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def report(self, step: int, loss: torch.Tensor) -> None:
        """Tells how good the network is."""
        with torch.inference_mode():
            guesses = self.plain(torch.from_numpy(self.test.images)).numpy()
        reached = {"loss": float(loss), "accuracy": kit.accuracy_of(guesses, self.test.labels)}
        kit.say(step, self.steps, **reached)
        self.scalars.write(step, **reached)

    def export(self) -> None:
        """Exports the network as a program, reads it back and tells how good it is."""
        images = torch.from_numpy(self.test.images)
        program = torch.export.export(self.plain.eval(), (images,), dynamic_shapes=({0: torch.export.Dim("images")},))
        model = kit.export("digits.pt2", lambda path: torch.export.save(program, path))
        guesses = torch.export.load(model).module()(images).detach().numpy()
        kit.done(kit.accuracy_of(guesses, self.test.labels), model)


def main() -> None:
    """Joins the other processes and trains with them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--batch", type=int, default=32, help="images of each process in each step")
    parser.add_argument("--save", type=int, default=100, help="steps between two checkpoints")
    options = parser.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    print(f"process {dist.get_rank()} of {dist.get_world_size()}", flush=True)
    trainer = Trainer(options, kit.load())
    speed = trainer.run()
    if trainer.rank == 0:
        print(f"samples/s={speed:.0f}", flush=True)
        trainer.export()
    # Rank 0 may be with any worker, and the job is over when its first worker is: nobody leaves before the model is there.
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
