"""Trains a small network on digits with MXNet: servers of a key-value store hold the weights and apply the gradients.

The same script runs in every pod: with DMLC_ROLE=scheduler or server, importing mxnet serves until the workers are done, and
the lines after the import belong to the workers alone.
"""

import argparse
import time

import digits as kit
import mxnet as mx
from mxnet import autograd, gluon

REPORT, SAVE = 100, 100
RATE = 0.1


def network() -> gluon.nn.HybridSequential:
    """Returns a network 64-128-10."""
    mx.random.seed(0)
    net = gluon.nn.HybridSequential(prefix="digits_")
    with net.name_scope():
        net.add(gluon.nn.Dense(128, activation="relu", in_units=kit.FEATURES))
        net.add(gluon.nn.Dense(kit.CLASSES, in_units=128))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    return net


class Worker:
    """One worker; the first also reports and saves."""

    def __init__(self, store: mx.kvstore.KVStore, options: argparse.Namespace) -> None:
        self.store, self.options, self.leads = store, options, store.rank == 0
        self.digits = kit.load()
        self.mine = self.digits.train.shard(store.rank, store.num_workers)
        self.net = network()
        self.weights = {name: held.data() for name, held in self.net.collect_params().items()}
        self.checkpoints = kit.Checkpoints() if self.leads else None
        self.start = self.resume()
        self.loss = gluon.loss.SoftmaxCrossEntropyLoss()

    def resume(self) -> int:
        """Takes the weights of the last checkpoint and returns its step.

        What the first worker puts into the store is what all of them find there.
        """
        found = self.checkpoints.latest_arrays() if self.checkpoints else None
        step = mx.nd.array([found[0] if found else 0])
        for name, value in (found[1] if found else {}).items():
            self.weights[name][:] = value
        self.store.init("step", step)
        self.store.pull("step", out=step)
        # The mean of all gradients of a step, which the servers have added up.
        scale = 1 / (self.options.batch * self.store.num_workers)
        self.store.set_optimizer(mx.optimizer.SGD(learning_rate=RATE, rescale_grad=scale))
        for name, held in self.weights.items():
            self.store.init(name, held)
            self.store.pull(name, out=held)
        return int(step.asscalar())

    def run(self) -> float:
        """Trains to the last step and returns how many images all workers saw in a second."""
        steps = self.options.steps
        scalars = kit.Scalars(self.start) if self.leads else None
        clock = time.perf_counter()
        for step in range(self.start + 1, steps + 1):
            loss = self.step_once(*self.mine.batch(step, self.options.batch))
            if self.leads and (step % REPORT == 0 or step == steps):
                reached = {"loss": float(loss.mean().asscalar()), "accuracy": self.accuracy(self.net)}
                kit.say(step, steps, **reached)
                scalars.write(step, **reached)
            if self.leads and (step % SAVE == 0 or step == steps):
                self.checkpoints.save_arrays(step, {name: held.asnumpy() for name, held in self.weights.items()})
        mx.nd.waitall()
        taken = (steps - self.start) * self.options.batch * self.store.num_workers
        return taken / (time.perf_counter() - clock)

    def step_once(self, images: object, labels: object) -> mx.nd.NDArray:
        """Pushes the gradients of a batch, and pulls the weights after all workers have pushed theirs."""
        with autograd.record():
            loss = self.loss(self.net(mx.nd.array(images)), mx.nd.array(labels))
        loss.backward()
        for name, held in self.weights.items():
            self.store.push(name, held.grad)
            self.store.pull(name, out=held)
        return loss

    def accuracy(self, net: gluon.Block) -> float:
        """Returns how good a network is."""
        guesses = net(mx.nd.array(self.digits.test.images)).asnumpy()
        return kit.accuracy_of(guesses, self.digits.test.labels)

    def export(self) -> None:
        """Exports the network as symbols and parameters, reads it back and tells how good it is."""
        model = kit.export_folder("mxnet", lambda path: (path.mkdir(), self.net.export(str(path / "digits"))))
        files = [str(model / f"digits-{end}") for end in ("symbol.json", "0000.params")]
        kit.done(self.accuracy(gluon.SymbolBlock.imports(files[0], ["data"], files[1])), model)


def main() -> None:
    """Joins the store and trains with the other workers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--batch", type=int, default=32, help="images of each worker in each step")
    options = parser.parse_args()
    store = mx.kvstore.create("dist_sync")
    print(f"worker {store.rank} of {store.num_workers}", flush=True)
    worker = Worker(store, options)
    speed = worker.run()
    if worker.leads:
        print(f"samples/s={speed:.0f}", flush=True)
        worker.export()


if __name__ == "__main__":
    main()
