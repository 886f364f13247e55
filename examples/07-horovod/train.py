"""Trains a small network on digits with Horovod: MXNet computes, and Horovod averages the gradients by MPI."""

import digits as kit
import horovod.mxnet as hvd
import mxnet as mx
from mxnet import autograd, gluon

STEPS, BATCH, REPORT, SAVE = 400, 64, 20, 20
RATE, MOMENTUM = 0.05, 0.9


def network() -> gluon.nn.HybridSequential:
    """Returns a network of 64-128-10, drawn at random."""
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(128, activation="relu", in_units=kit.FEATURES), gluon.nn.Dense(kit.CLASSES, in_units=128))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    return net


def accuracy_on(net: gluon.Block, test: kit.Set) -> float:
    """Returns the share of right guesses."""
    return kit.accuracy_of(net(mx.nd.array(test.images)).asnumpy(), test.labels)


def train(net: gluon.nn.HybridSequential, digits: kit.Digits) -> None:
    """Trains from the last checkpoint on; the first process speaks and saves."""
    # The first process reads the checkpoint and tells the others, so that all go on from the same one.
    checkpoints = kit.Checkpoints("params") if hvd.rank() == 0 else None
    found = checkpoints.latest() if checkpoints else None
    if found:
        net.load_parameters(str(found.path))
    start = int(hvd.broadcast(mx.nd.array([found.step if found else 0]), 0, name="start").asscalar())
    hvd.broadcast_parameters(net.collect_params(), root_rank=0)
    scalars = kit.Scalars(start) if checkpoints else None

    settings = {"learning_rate": RATE, "momentum": MOMENTUM}
    trainer = hvd.DistributedTrainer(net.collect_params(), "sgd", settings)
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    mine = digits.train.shard(hvd.rank(), hvd.size())
    for step in range(start + 1, STEPS + 1):
        batch = mine.batch(step, BATCH)
        with autograd.record():
            loss = loss_of(net(mx.nd.array(batch.images)), mx.nd.array(batch.labels))
        loss.backward()
        trainer.step(BATCH)
        if checkpoints and step % REPORT == 0:
            report = {"loss": loss.mean().asscalar(), "accuracy": accuracy_on(net, digits.test)}
            kit.say(step, STEPS, **report)
            scalars.write(step, **report)
            if step % SAVE == 0:
                checkpoints.save(step, lambda path: net.save_parameters(str(path)))
    # MXNet only notes what it is to compute; whoever leaves before all is done takes the others along.
    mx.nd.waitall()


def main() -> None:
    """Trains, exports the network as a graph with its numbers, and reads both back."""
    hvd.init()
    mx.random.seed(hvd.rank())
    print(f"process {hvd.rank()} of {hvd.size()}", flush=True)
    net, digits = network(), kit.load()
    train(net, digits)
    if hvd.rank() == 0:
        model = kit.export_folder("digits", lambda path: (path.mkdir(), net.export(str(path / "net"))))
        files = (str(model / "net-symbol.json"), ["data"], str(model / "net-0000.params"))
        kit.done(accuracy_on(gluon.nn.SymbolBlock.imports(*files), digits.test), model)
    hvd.shutdown()


if __name__ == "__main__":
    main()
