"""JAX workloads to time: training steps and single operations, one JSON line each.

    JAX_PLATFORMS=cpu|trainyard python bench/jax/workloads.py NAME...

`list` prints the names. Each line has the median seconds of a run, the seconds of the first one
(which compiles) and a checksum, by which two platforms can be seen to compute the same.
"""

import dataclasses
import json
import pathlib
import statistics
import sys
import time
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/jax"))

import char_gpt  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import training  # noqa: E402
from jax import lax  # noqa: E402

RUNS = 5


@dataclasses.dataclass(frozen=True)
class Workload:
    """`make` returns run(state) -> (state, result) and the first state."""

    make: Callable
    bar: float  # how many times as fast as JAX's CPU back end it has to be


def normal(seed: int, *shape: int, scale: float = 1.0, dtype=jnp.float32) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).normal(0, scale, shape), dtype)


def training_step(loss: Callable, params, *batch):
    optimizer = training.AdamW()
    step = training.make_step(loss, optimizer)

    def run(state):
        params, moments, value = step(*state, *batch)
        return (params, moments), value

    return run, (params, optimizer.init(params))


def operation(function: Callable, *arguments):
    compiled = jax.jit(function)
    return lambda state: (state, compiled(*arguments)), None


def chosen(scores: jax.Array, labels: jax.Array) -> jax.Array:
    """Mean cross entropy."""
    return -jnp.take_along_axis(jax.nn.log_softmax(scores.astype(jnp.float32)), labels[..., None], -1).mean()


def gpt(layers: int, width: int, sequence: int, batch: int, vocabulary: int, dtype):
    config = char_gpt.Config(layers, width, 64, sequence, vocabulary, dtype)
    tokens = np.random.default_rng(0).integers(0, vocabulary, (batch, sequence + 1)).astype(np.int32)
    return training_step(char_gpt.make_loss(config), char_gpt.init(config), tokens)


def vit_small(dtype):
    """ViT-S/16 on eight pictures of 224 x 224."""
    n, d, layers, tokens = 8, 384, 12, 197
    config = char_gpt.Config(layers, d, 64, tokens, 8, dtype)
    params = {"blocks": char_gpt.init(config)["blocks"], "patch": normal(1, 16, 16, 3, d, scale=0.02, dtype=dtype),
              "position": jnp.zeros((tokens, d), dtype), "head": normal(2, d, 1000, scale=0.02, dtype=dtype)}
    pictures = normal(3, n, 224, 224, 3, dtype=dtype)
    labels = np.arange(n, dtype=np.int32)

    def mix(block, x):
        split = lambda a: a.reshape(n, tokens, d // 64, 64).transpose(0, 2, 1, 3)
        q, k, v = map(split, jnp.split(x @ block["qkv"], 3, -1))
        weights = jax.nn.softmax((q @ k.swapaxes(-1, -2)).astype(jnp.float32) / 8, -1).astype(x.dtype)
        return (weights @ v).transpose(0, 2, 1, 3).reshape(n, tokens, d) @ block["out"]

    def loss(p, pictures, labels):
        x = lax.conv_general_dilated(pictures, p["patch"], (16, 16), "VALID",
                                     dimension_numbers=("NHWC", "HWIO", "NHWC")).reshape(n, 196, d)
        x = jnp.concatenate([jnp.zeros((n, 1, d), x.dtype), x], 1) + p["position"]
        for block in p["blocks"]:
            x = x + mix(block, char_gpt.normalise(x, block["gain1"]))
            x = x + jax.nn.gelu(char_gpt.normalise(x, block["gain2"]) @ block["up"]) @ block["down"]
        return chosen(x[:, 0] @ p["head"], labels)

    return training_step(loss, params, pictures, labels)


def resnet18(dtype):
    """ResNet-18 for 32 x 32 pictures, batch 64."""
    n, count = 64, iter(range(1000))
    kernel = lambda k, a, b: normal(next(count), k, k, a, b, scale=(2 / (k * k * a)) ** 0.5, dtype=dtype)
    blocks, width = [], 64
    for out in [64, 64, 128, 128, 256, 256, 512, 512]:
        block = {"first": kernel(3, width, out), "second": kernel(3, out, out),
                 "gain1": jnp.ones(out, dtype), "gain2": jnp.ones(out, dtype)}
        blocks.append(block if out == width else block | {"skip": kernel(1, width, out)})
        width = out
    params = {"stem": kernel(3, 3, 64), "blocks": blocks, "head": normal(99, 512, 10, scale=0.02, dtype=dtype)}
    pictures, labels = normal(100, n, 32, 32, 3, dtype=dtype), (np.arange(n) % 10).astype(np.int32)
    convolve = lambda x, k, stride: lax.conv_general_dilated(
        x, k, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def normalise(x, gain):
        wide = x.astype(jnp.float32)
        wide = (wide - wide.mean((0, 1, 2))) * lax.rsqrt(wide.var((0, 1, 2)) + 1e-5)
        return wide.astype(x.dtype) * gain

    def loss(p, x, labels):
        x = jax.nn.relu(convolve(x, p["stem"], 1))
        for block in p["blocks"]:
            stride = 2 if "skip" in block else 1
            y = jax.nn.relu(normalise(convolve(x, block["first"], stride), block["gain1"]))
            y = normalise(convolve(y, block["second"], 1), block["gain2"])
            x = jax.nn.relu(y + (convolve(x, block["skip"], 2) if stride == 2 else x))
        return chosen(x.mean((1, 2)) @ p["head"], labels)

    return training_step(loss, params, pictures, labels)


def mlp(dtype):
    sizes, n = [784, 2048, 2048, 2048, 10], 512
    params = [normal(i, a, b, scale=a**-0.5, dtype=dtype) for i, (a, b) in enumerate(zip(sizes, sizes[1:]))]

    def loss(p, x, labels):
        for w in p[:-1]:
            x = jax.nn.relu(x @ w)
        return chosen(x @ p[-1], labels)

    return training_step(loss, params, normal(9, n, 784, dtype=dtype), (np.arange(n) % 10).astype(np.int32))


def lstm(dtype):
    """Two layers of 512 over 64 steps, batch 32."""
    steps, n, d = 64, 32, 512
    params = [normal(i, 2 * d, 4 * d, scale=0.03, dtype=dtype) for i in range(2)]

    def layer(w, sequence):
        def cell(carry, x):
            write, keep, value, show = jnp.split(jnp.concatenate([x, carry[0]], -1) @ w, 4, -1)
            memory = jax.nn.sigmoid(keep) * carry[1] + jax.nn.sigmoid(write) * jnp.tanh(value)
            hidden = jax.nn.sigmoid(show) * jnp.tanh(memory)
            return (hidden, memory), hidden

        return lax.scan(cell, (jnp.zeros((n, d), dtype),) * 2, sequence)[1]

    loss = lambda p, x: jnp.square(layer(p[1], layer(p[0], x)).astype(jnp.float32)).mean()
    return training_step(loss, params, normal(5, steps, n, d, dtype=dtype))


def attention(dtype):
    """Causal attention of eight heads over 2048 tokens, with its gradient."""
    q, k, v = (normal(i, 8, 2048, 64, dtype=dtype) for i in range(3))

    def total(q, k, v):
        scores = (q @ k.swapaxes(-1, -2)).astype(jnp.float32) / 8
        scores = jnp.where(jnp.tril(jnp.ones((2048, 2048), bool)), scores, -1e9)
        return (jax.nn.softmax(scores, -1).astype(dtype) @ v).astype(jnp.float32).sum()

    return operation(jax.grad(total, (0, 1, 2)), q, k, v)


def rows(count: int) -> np.ndarray:
    return np.random.default_rng(7).integers(0, 50304, count).astype(np.int32)


f32, bf16 = jnp.float32, jnp.bfloat16
WORKLOADS = {
    "gpt2-small-fp32": Workload(lambda: gpt(12, 768, 512, 2, 50304, f32), 1.0),
    "gpt2-small-bf16": Workload(lambda: gpt(12, 768, 512, 2, 50304, bf16), 1.5),
    "gpt-tiny-fp32": Workload(lambda: gpt(4, 256, 128, 8, 512, f32), 1.0),
    "gpt-tiny-bf16": Workload(lambda: gpt(4, 256, 128, 8, 512, bf16), 1.0),
    "vit-small-fp32": Workload(lambda: vit_small(f32), 1.0),
    "vit-small-bf16": Workload(lambda: vit_small(bf16), 1.0),
    "resnet18-fp32": Workload(lambda: resnet18(f32), 1.0),
    "mlp-fp32": Workload(lambda: mlp(f32), 0.9),
    "mlp-bf16": Workload(lambda: mlp(bf16), 1.5),
    "lstm-fp32": Workload(lambda: lstm(f32), 1.0),
    "attention-fp32": Workload(lambda: attention(f32), 1.0),
    "attention-bf16": Workload(lambda: attention(bf16), 1.0),
    "matmul-4096-fp32": Workload(lambda: operation(jnp.matmul, normal(0, 4096, 4096), normal(1, 4096, 4096)), 0.9),
    "matmul-4096-bf16": Workload(lambda: operation(jnp.matmul, normal(0, 4096, 4096, dtype=bf16),
                                                   normal(1, 4096, 4096, dtype=bf16)), 2.5),
    "softmax-4096": Workload(lambda: operation(jax.nn.softmax, normal(0, 4096, 4096)), 1.0),
    "gelu-4096": Workload(lambda: operation(jax.nn.gelu, normal(0, 4096, 4096)), 1.0),
    "layernorm-4096": Workload(lambda: operation(lambda x: char_gpt.normalise(x, 1.0), normal(0, 4096, 4096)), 1.0),
    "sort-1e6": Workload(lambda: operation(jnp.sort, normal(0, 1_000_000)), 2.0),
    "gather-rows": Workload(lambda: operation(lambda t, i: t[i], normal(0, 50304, 768), rows(8192)), 1.0),
    "scatter-add-rows": Workload(lambda: operation(lambda t, i, u: t.at[i].add(u), normal(0, 50304, 768), rows(8192),
                                                   normal(1, 8192, 768)), 2.0),
    "dispatch-add": Workload(lambda: operation(jnp.add, normal(0, 8), normal(1, 8)), 0.2),
}


def measure(name: str) -> dict:
    run, state = WORKLOADS[name].make()

    def once() -> float:
        nonlocal state, result
        begin = time.perf_counter()
        state, result = run(state)
        jax.block_until_ready((state, result))
        return time.perf_counter() - begin

    result = None
    first = once()
    # Short workloads run more often: one of them alone is noise.
    inner = max(1, min(1000, int(0.05 / max(once(), 1e-6))))
    times = [sum(once() for _ in range(inner)) / inner for _ in range(RUNS)]
    checksum = float(jnp.sum(jax.tree.leaves(result)[0].astype(jnp.float32)))
    return {"name": name, "platform": jax.default_backend(), "seconds": statistics.median(times), "first": first,
            "checksum": checksum}


def main(names: list[str]) -> None:
    if not names or names == ["list"]:
        print("\n".join(WORKLOADS))
        return
    for name in names:
        print(json.dumps(measure(name)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
