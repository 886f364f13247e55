"""Trains a small network on digits with TensorFlow: every replica has all weights, gradients are averaged by all-reduce.

With TF_CONFIG the replicas are the workers of a cluster (MultiWorkerMirroredStrategy), without it several logical processors of
this process (MirroredStrategy). Nothing else differs.
"""

import argparse
import json
import os
import time

import digits as kit
import numpy as np
import tensorflow as tf

REPORT, SAVE = 100, 100
RATE, MOMENTUM = 0.02, 0.9
SHAPES = {"w1": (kit.FEATURES, 128), "b1": (128,), "w2": (128, kit.CLASSES), "b2": (kit.CLASSES,)}


def strategy_for(replicas: int) -> tf.distribute.Strategy:
    """Returns how this process trains with others, or with itself."""
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(2)
    if "TF_CONFIG" in os.environ:
        return tf.distribute.MultiWorkerMirroredStrategy()
    processor = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(processor, [tf.config.LogicalDeviceConfiguration()] * replicas)
    return tf.distribute.MirroredStrategy([f"CPU:{index}" for index in range(replicas)])


def worker_index() -> int:
    """Returns which worker this is; a process without others is the first."""
    return json.loads(os.environ["TF_CONFIG"])["task"]["index"] if "TF_CONFIG" in os.environ else 0


def initial() -> dict[str, np.ndarray]:
    """Returns the first weights of a network 64-128-10, none of which moves yet."""
    draw = np.random.default_rng(0)
    weights = {name: draw.normal(0, shape[0] ** -0.5, shape).astype(np.float32) for name, shape in SHAPES.items()}
    return weights | {f"moving-{name}": np.zeros(shape, np.float32) for name, shape in SHAPES.items()}


def scores(weights: dict[str, tf.Variable], images: tf.Tensor) -> tf.Tensor:
    """Returns one row of ten scores for each image."""
    return tf.nn.relu(images @ weights["w1"] + weights["b1"]) @ weights["w2"] + weights["b2"]


class Trainer(tf.Module):
    """One process of the training; the first one also reports and saves."""

    def __init__(self, strategy: tf.distribute.Strategy, options: argparse.Namespace) -> None:
        super().__init__()
        self.strategy, self.options, self.leads = strategy, options, worker_index() == 0
        self.digits = kit.load()
        self.checkpoints = kit.Checkpoints() if self.leads else None
        found = self.checkpoints.latest_arrays() if self.checkpoints else None
        step, begin = found or (0, initial())
        # A variable begins everywhere with the value that it has in the first process.
        self.step = self.shared(np.int64(step))
        self.held = {name: self.shared(begin[name]) for name in initial()}
        world = strategy.num_replicas_in_sync
        print(f"worker {worker_index()}: {world} replicas", flush=True)
        self.shards = [self.digits.train.shard(index, world) for index in range(world)]

    def shared(self, value: np.ndarray) -> tf.Variable:
        """Returns a variable of which every replica has a copy."""
        with self.strategy.scope():
            # The replicas agree on the gradients, so that each may update its own copy.
            return tf.Variable(value, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)

    def run(self) -> float:
        """Trains to the last step and returns how many images all replicas saw in a second."""
        begun, steps = int(self.step.numpy()), self.options.steps
        scalars = kit.Scalars(begun) if self.leads else None
        clock = time.perf_counter()
        for step in range(begun + 1, steps + 1):
            images, labels = self.batches(step)
            loss = self.step_together(images, labels)
            if self.leads and (step % REPORT == 0 or step == steps):
                reached = {"loss": float(loss), "accuracy": self.accuracy()}
                kit.say(step, steps, **reached)
                scalars.write(step, **reached)
            if self.leads and (step % SAVE == 0 or step == steps):
                self.checkpoints.save_arrays(step, {name: held.numpy() for name, held in self.held.items()})
        return (steps - begun) * self.options.batch * len(self.shards) / (time.perf_counter() - clock)

    def batches(self, step: int) -> tuple[tf.distribute.DistributedValues, tf.distribute.DistributedValues]:
        """Returns the images and the labels of a step, for each replica of this process its own."""

        def part(context: tf.distribute.experimental.ValueContext, field: int) -> tf.Tensor:
            shard = self.shards[context.replica_id_in_sync_group]
            return tf.constant(shard.batch(step, self.options.batch)[field])

        spread = self.strategy.experimental_distribute_values_from_function
        return spread(lambda context: part(context, 0)), spread(lambda context: part(context, 1))

    @tf.function
    def step_together(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """Lets every replica take a step, and returns the mean of their losses."""
        losses = self.strategy.run(self.step_once, (images, labels))
        return self.strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=None)

    def step_once(self, images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        """Takes one step with the replica's own part of the batch; `all_reduce` is where replicas talk to each other."""
        weights = [self.held[name] for name in SHAPES]
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores(self.held, images))
            loss = tf.reduce_mean(losses)
        slopes = tape.gradient(loss, weights)
        means = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN, slopes)
        for name, mean in zip(SHAPES, means, strict=True):
            velocity = MOMENTUM * self.held[f"moving-{name}"] - RATE * mean
            self.held[f"moving-{name}"].assign(velocity)
            self.held[name].assign_add(velocity)
        return loss

    def accuracy(self) -> float:
        """Returns how good the network is."""
        weights = {name: self.held[name].numpy() for name in SHAPES}
        return kit.accuracy_of(scores(weights, self.digits.test.images).numpy(), self.digits.test.labels)


class Served(tf.Module):
    """The trained network as TensorFlow Serving wants it."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        super().__init__()
        self.weights = {name: tf.Variable(value) for name, value in weights.items()}

    @tf.function(input_signature=[tf.TensorSpec((None, kit.FEATURES), tf.float32, "images")])
    def predict(self, images: tf.Tensor) -> dict[str, tf.Tensor]:
        """Returns the scores of some images."""
        return {"scores": scores(self.weights, images)}


def export(weights: dict[str, np.ndarray], test: kit.Set) -> None:
    """Exports the network, reads it back and tells how good it is."""
    served = Served(weights)
    model = kit.export_folder("1", lambda path: tf.saved_model.save(served, str(path), signatures=served.predict))
    again = tf.saved_model.load(str(model)).signatures["serving_default"]
    kit.done(kit.accuracy_of(again(images=tf.constant(test.images))["scores"].numpy(), test.labels), model)


def main() -> None:
    """Joins the other workers, if there are any, and trains with them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--batch", type=int, default=32, help="images of each replica in each step")
    parser.add_argument("--replicas", type=int, default=2, help="logical processors, when there is no TF_CONFIG")
    options = parser.parse_args()
    trainer = Trainer(strategy_for(options.replicas), options)
    speed = trainer.run()
    if trainer.leads:
        print(f"samples/s={speed:.0f}", flush=True)
        export({name: trainer.held[name].numpy() for name in SHAPES}, trainer.digits.test)


if __name__ == "__main__":
    main()
