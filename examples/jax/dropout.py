"""Dropout with JAX's own random numbers: keys are split inside the step and drawn on the device.

The same key gives the same mask on every platform, bit for bit.

    JAX_PLATFORMS=trainyard python examples/jax/dropout.py
"""

import jax
import jax.numpy as jnp
import numpy as np
import training
from mlp_digits import HEIGHT, WIDTH, digits, init


def drop(key: jax.Array, x: jax.Array, rate: float) -> jax.Array:
    """Zero with probability `rate`; the rest is scaled so that the mean stays."""
    return jnp.where(jax.random.bernoulli(key, 1 - rate, x.shape), x / (1 - rate), 0)


def loss(params: list[dict], seed: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    key = jax.random.key(seed)
    for i, layer in enumerate(params[:-1]):
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
        x = drop(jax.random.fold_in(key, i), x, 0.2)
    scores = jax.nn.log_softmax(x @ params[-1]["w"] + params[-1]["b"])
    return -jnp.take_along_axis(scores, y[:, None], -1).mean()


def main() -> None:
    pictures, shown = digits(2048)
    x = pictures.reshape(len(pictures), -1)
    parts = [(x[i:i + 256], shown[i:i + 256]) for i in range(0, len(x), 256)] * 4
    batches = [(np.uint32(i), *part) for i, part in enumerate(parts)]
    run = training.train(loss, init([HEIGHT * WIDTH, 256, 256, 10]), batches, training.AdamW(3e-3))
    training.report("dropout", run)

    dropped = jax.jit(lambda key: drop(key, jnp.ones((64, 256)), 0.2))(jax.random.key(7))
    zeros = float((np.asarray(dropped) == 0).mean())
    print(f"  {zeros:.1%} of the values are dropped at a rate of 20 %")
    assert abs(zeros - 0.2) < 0.02


if __name__ == "__main__":
    main()
