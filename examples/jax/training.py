"""What the examples of this folder share: AdamW, a training loop that times itself, a report.

Nothing here knows Trainyard, but for `report`: it asks how long the steps would have taken on the
simulated core.
"""

import dataclasses
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

Tree = Any  # nested dicts and lists of arrays


@dataclasses.dataclass(frozen=True)
class AdamW:
    """Adam with decoupled weight decay. The state is (step, mean, variance)."""

    learning_rate: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.99
    epsilon: float = 1e-8
    weight_decay: float = 0.01

    def init(self, params: Tree) -> Tree:
        # In float32, whatever the weights are: small updates would vanish in bfloat16.
        zeros = lambda: jax.tree.map(lambda p: jnp.zeros(p.shape, jnp.float32), params)
        return jnp.zeros((), jnp.float32), zeros(), zeros()

    def update(self, params: Tree, state: Tree, gradients: Tree) -> tuple[Tree, Tree]:
        step, mean, variance = state
        step = step + 1
        moved = lambda beta, old, new: jax.tree.map(lambda a, b: beta * a + (1 - beta) * b, old, new)
        gradients = jax.tree.map(lambda g: g.astype(jnp.float32), gradients)
        mean = moved(self.beta1, mean, gradients)
        variance = moved(self.beta2, variance, jax.tree.map(jnp.square, gradients))
        # Both averages start at zero; this takes the bias out.
        m_scale, v_scale = 1 / (1 - self.beta1**step), 1 / (1 - self.beta2**step)

        def one(p, m, v):
            change = m * m_scale / (jnp.sqrt(v * v_scale) + self.epsilon)
            kept = p.astype(jnp.float32) * (1 - self.learning_rate * self.weight_decay)
            return (kept - self.learning_rate * change).astype(p.dtype)

        return jax.tree.map(one, params, mean, variance), (step, mean, variance)


def make_step(loss: Callable, optimizer: AdamW) -> Callable:
    """step(params, state, *batch) -> (params, state, loss), compiled; params and state are given away."""

    def step(params, state, *batch):
        value, gradients = jax.value_and_grad(loss)(params, *batch)
        params, state = optimizer.update(params, state, gradients)
        return params, state, value

    return jax.jit(step, donate_argnums=(0, 1))


@dataclasses.dataclass(frozen=True)
class Run:
    params: Tree
    state: Tree
    losses: list[float]  # before each step
    wall_seconds: float  # of all steps but the first, which also compiles


def train(loss: Callable, params: Tree, batches: list[tuple], optimizer: AdamW = AdamW()) -> Run:
    """One step per batch."""
    step = make_step(loss, optimizer)
    state = optimizer.init(params)
    losses, begin = [], 0.0
    for i, batch in enumerate(batches):
        params, state, value = step(params, state, *batch)
        losses.append(value)
        if i == 0:
            value.block_until_ready()
            begin = time.perf_counter()
    jax.block_until_ready(params)
    return Run(params, state, [float(x) for x in losses], time.perf_counter() - begin)


def report(name: str, run: Run) -> None:
    """Loss before and after, host time and simulated time per step. Fails if nothing was learned."""
    first, last = run.losses[0], run.losses[-1]
    steps = len(run.losses)
    print(f"{name}: loss {first:.4f} -> {last:.4f} in {steps} steps on {jax.default_backend()}")
    print(f"  host       {run.wall_seconds / max(steps - 1, 1) * 1e3:8.1f} ms per step")
    if jax.default_backend() == "trainyard":
        import trainyard

        rows = [row for row in trainyard.simulated_time().programs if row.program == "jit_step"]
        for row in rows:
            print(f"  simulated  {row.seconds * 1e3:8.3f} ms per step, {row.flops / 1e9:.2f} GFLOP, "
                  f"{row.hbm_bytes / 1e6:.0f} MB of HBM, trust {row.trust}")
    assert last < 0.7 * first, f"{name} did not learn: {first} -> {last}"
