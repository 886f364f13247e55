"""Trains a small network on digits with TensorFlow: parameter servers hold the weights, workers bring gradients.

Every worker builds the same graph with its variables on the parameter servers ("between-graph replication"). In the mode async
a worker's gradient is applied when it arrives. In the mode sync the gradients of all workers are averaged first, and nobody
begins the next round before. The cluster is told by TF_CONFIG, or by flags as in `--ps_hosts=ps-0:5000 --worker_hosts=...`.
"""

import argparse
import json
import os
import time
from itertools import count
from typing import NamedTuple

import digits as kit
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
REPORT, SAVE = 200, 200
RATE, HIDDEN = 0.1, 128
PATIENCE = 60.0
"""How many seconds workers wait for each other at the very start, so that the speed of all of them is measured."""


class Task(NamedTuple):
    """Who this process is among all."""

    cluster: dict[str, list[str]]
    role: str
    index: int

    @property
    def workers(self) -> int:
        """How many workers there are."""
        return len(self.cluster["worker"])

    @property
    def leads(self) -> bool:
        """Whether this is the worker that also starts the variables, reports and saves."""
        return self.role == "worker" and self.index == 0


def task_from(options: argparse.Namespace) -> Task:
    """Returns what the flags say, or TF_CONFIG when there are none."""
    if options.worker_hosts:
        cluster = {"ps": options.ps_hosts.split(","), "worker": options.worker_hosts.split(",")}
        return Task(cluster, options.job_name, options.task_index)
    told = json.loads(os.environ["TF_CONFIG"])
    return Task(told["cluster"], told["task"]["type"], told["task"]["index"])


def initial() -> dict[str, np.ndarray]:
    """Returns the first weights of a network 64-128-10 and the number of batches that it has seen."""
    draw = np.random.default_rng(0)
    shapes = {"w1": (kit.FEATURES, HIDDEN), "b1": (HIDDEN,), "w2": (HIDDEN, kit.CLASSES), "b2": (kit.CLASSES,)}
    weights = {name: draw.normal(0, shape[0] ** -0.5, shape).astype(np.float32) for name, shape in shapes.items()}
    return weights | {"step": np.int64(0)}


def scores(weights: dict[str, tf.Variable], images: tf.Tensor) -> tf.Tensor:
    """Returns one row of ten scores for each image."""
    return tf.nn.relu(images @ weights["w1"] + weights["b1"]) @ weights["w2"] + weights["b2"]


class Network:
    """The network as operations of a worker's graph; its variables are on the parameter servers."""

    def __init__(self, task: Task, begin: dict[str, np.ndarray]) -> None:
        self.task = task
        worker = f"/job:worker/task:{task.index}"
        with v1.device(v1.train.replica_device_setter(worker_device=worker, cluster=task.cluster)):
            self.held = {name: v1.get_variable(name, initializer=value) for name, value in begin.items()}
            self.missing = v1.report_uninitialized_variables()
            self.weights = {name: held for name, held in self.held.items() if name != "step"}
            self.step = self.held["step"]
            self.images = v1.placeholder(tf.float32, (None, kit.FEATURES))
            self.labels = v1.placeholder(tf.int32, (None,))
            self.scores = scores(self.weights, self.images)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.labels, logits=self.scores)
            self.loss = tf.reduce_mean(losses)
            self.slopes = v1.gradients(self.loss, list(self.weights.values()))
        self.ready = self.queue_of_tokens("ready")

    def queue_of_tokens(self, name: str) -> tf.queue.QueueBase:
        """Returns a queue of step numbers at the first parameter server, known to all workers by its name."""
        with v1.device("/job:ps/task:0"):
            return v1.FIFOQueue(10000, tf.int64, shapes=[()], shared_name=name)

    def applied(self, slopes: list[tf.Tensor], batches: int) -> tf.Tensor:
        """Returns the number of batches seen, after the weights went down these slopes."""
        pairs = zip(self.weights.values(), slopes, strict=True)
        with tf.control_dependencies([held.assign_sub(RATE * slope) for held, slope in pairs]):
            return self.step.assign_add(batches, read_value=True)

    def batch(self, images: np.ndarray, labels: np.ndarray) -> dict[tf.Tensor, np.ndarray]:
        """Returns a batch in the form in which the graph takes it."""
        return {self.images: images, self.labels: labels}


class Alone:
    """The mode async: each worker applies its own gradients and knows of no other."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._applied = network.applied(network.slopes, 1)

    def join(self, session: v1.Session) -> None:
        """Needs nothing."""

    def step_once(self, session: v1.Session, step: int, batch: kit.Set) -> tuple[int, float]:
        """Returns the number of batches that all workers took until now, and the loss."""
        now, loss = session.run([self._applied, self._network.loss], self._network.batch(*batch))
        return int(now), loss


class Together:
    """The mode sync: gradients are gathered on the parameter servers, and the first worker applies their mean.

    Then it gives every other worker a token, without which that one does not begin the next round. A worker that is killed
    and comes back reads the step anew, so a round takes it in again; a gradient of an older round is dropped on arrival.
    """

    def __init__(self, network: Network) -> None:
        self._network, task = network, network.task
        self._seen = v1.placeholder(tf.int64, ())
        gathered = [self._gathered(name, held) for name, held in network.weights.items()]
        pushes = zip(gathered, network.slopes, strict=True)
        self._push = tf.group(*(one.apply_grad(slope, self._seen) for one, slope in pushes))
        tokens = [network.queue_of_tokens(f"tokens-{index}") for index in range(task.workers)]
        self._mine = tokens[task.index]
        self._left, self._next = self._mine.size(), self._mine.dequeue()
        if task.leads:
            means = [one.take_grad(task.workers) for one in gathered]
            self._update = self._followed_by_tokens(network.applied(means, task.workers), tokens)
            # Should the one before have died between the two, somebody may wait for a token that nobody gave.
            back = [one.set_global_step(network.step) for one in gathered]
            with tf.control_dependencies(back):
                self._begin = self._followed_by_tokens(network.step.read_value(), tokens)

    def _gathered(self, name: str, held: tf.Variable) -> v1.ConditionalAccumulator:
        with v1.device(held.device):
            return v1.ConditionalAccumulator(tf.float32, held.shape, shared_name=f"gathered-{name}")

    def _followed_by_tokens(self, step: tf.Tensor, tokens: list[tf.queue.QueueBase]) -> tf.Tensor:
        with tf.control_dependencies([one.enqueue(step) for one in tokens[1:]]):
            return tf.identity(step)

    def join(self, session: v1.Session) -> None:
        """Forgets tokens for a worker that died; the first worker sees to it that nobody waits for one in vain."""
        while session.run(self._left):
            session.run(self._next)
        if self._network.task.leads:
            session.run(self._begin)

    def step_once(self, session: v1.Session, step: int, batch: kit.Set) -> tuple[int, float]:
        """Returns the number of batches that all workers took until now, and the loss."""
        _, loss = session.run([self._push, self._network.loss], self._network.batch(*batch) | {self._seen: step})
        return int(session.run(self._update if self._network.task.leads else self._next)), loss


class Worker:
    """One worker on its way from the last checkpoint to the end."""

    def __init__(self, network: Network, session: v1.Session, options: argparse.Namespace) -> None:
        self.network, self.session, self.options, self.task = network, session, options, network.task
        self.digits = kit.load()
        self.mine = self.digits.train.shard(self.task.index, self.task.workers)

    def run(self, mode: Alone | Together, checkpoints: kit.Checkpoints | None) -> None:
        """Trains until all workers together took the wanted number of batches."""
        self.start_variables()
        step = begun = told = saved = int(self.session.run(self.network.step))
        print(f"worker {self.task.index} begins at step {begun}", flush=True)
        scalars = kit.Scalars(begun) if self.task.leads else None
        mode.join(self.session)
        self.meet(begun)
        clock = time.perf_counter()
        for own in count(begun // self.task.workers):
            if step >= self.options.steps:
                break
            step, loss = mode.step_once(self.session, step, self.mine.batch(own, self.options.batch))
            if scalars and (step - told >= REPORT or step >= self.options.steps):
                self.report(min(step, self.options.steps), loss, scalars)
                told = step - step % REPORT
            if checkpoints and (step - saved >= SAVE or step >= self.options.steps):
                checkpoints.save_arrays(step, self.session.run(self.network.held))
                saved = step - step % SAVE
        if self.task.leads:
            speed = (step - begun) * self.options.batch / (time.perf_counter() - clock)
            print(f"samples/s={speed:.0f}", flush=True)

    def start_variables(self) -> None:
        """Lets the first worker start the variables, unless they are there; the others wait until they are."""
        while len(self.session.run(self.network.missing)):
            if self.task.leads:
                self.session.run(v1.global_variables_initializer())
            else:
                time.sleep(0.1)

    def meet(self, begun: int) -> None:
        """Waits at the very start until all workers are there, but not for ever."""
        self.session.run(self.network.ready.enqueue(begun))
        present, deadline = self.network.ready.size(), time.monotonic() + PATIENCE
        while begun == 0 and self.session.run(present) < self.task.workers and time.monotonic() < deadline:
            time.sleep(0.05)

    def report(self, step: int, loss: float, scalars: kit.Scalars) -> None:
        """Tells how good the network is."""
        test = self.digits.test
        guesses = self.session.run(self.network.scores, {self.network.images: test.images})
        reached = {"loss": float(loss), "accuracy": kit.accuracy_of(guesses, test.labels)}
        kit.say(step, self.options.steps, **reached)
        scalars.write(step, **reached)


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


def train(server: tf.distribute.Server, task: Task, options: argparse.Namespace) -> None:
    """Runs one worker. When a parameter server is lost this ends with an error, and is to be started again."""
    checkpoints = kit.Checkpoints() if task.leads else None
    found = checkpoints.latest_arrays() if checkpoints else None
    # A worker asks nothing of other workers, so that it starts and goes on without them.
    config = v1.ConfigProto(device_filters=["/job:ps", f"/job:worker/task:{task.index}"])
    with tf.Graph().as_default():
        network = Network(task, found[1] if found else initial())
        mode = Together(network) if options.mode == "sync" else Alone(network)
        with v1.Session(server.target, config=config) as session:
            worker = Worker(network, session, options)
            worker.run(mode, checkpoints)
            weights = session.run(network.weights)
    if task.leads:
        export(weights, worker.digits.test)


def main() -> None:
    """Plays the role that this process has in the cluster."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mode", choices=["async", "sync"], default="async")
    parser.add_argument("--steps", type=int, default=3000, help="batches of all workers together")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--ps_hosts", default="")
    parser.add_argument("--worker_hosts", default="")
    parser.add_argument("--job_name", choices=["ps", "worker"], default="worker")
    parser.add_argument("--task_index", type=int, default=0)
    options = parser.parse_args()
    task = task_from(options)
    print(f"{task.role} {task.index} of {len(task.cluster[task.role])}", flush=True)
    threads = v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=2)
    server = tf.distribute.Server(task.cluster, task.role, task.index, config=threads)
    if task.role == "ps":
        server.join()
    train(server, task, options)


if __name__ == "__main__":
    main()
