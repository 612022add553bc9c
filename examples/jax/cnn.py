"""A convolutional network with batch normalisation and pooling, on the digits of mlp_digits.py.

    JAX_PLATFORMS=trainyard python examples/jax/cnn.py
"""

import jax
import jax.numpy as jnp
import numpy as np
import training
from jax import lax
from mlp_digits import digits


def init(seed: int = 0) -> dict:
    rng = np.random.default_rng(seed)
    kernel = lambda *shape: jnp.asarray(
        rng.normal(0, (2 / np.prod(shape[:-1])) ** 0.5, shape), jnp.float32)
    return {"first": kernel(3, 3, 1, 16), "second": kernel(3, 3, 16, 32),
            "gain1": jnp.ones(16), "gain2": jnp.ones(32), "head": kernel(6 * 4 * 32, 10)}


def convolve(x: jax.Array, kernel: jax.Array) -> jax.Array:
    return lax.conv_general_dilated(x, kernel, (1, 1), "SAME",
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"))


def normalise(x: jax.Array, gain: jax.Array) -> jax.Array:
    """By the mean and variance of each channel over the batch."""
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    return (x - mean) * lax.rsqrt(variance + 1e-5) * gain


def logits(params: dict, x: jax.Array) -> jax.Array:
    x = jax.nn.relu(normalise(convolve(x[..., None], params["first"]), params["gain1"]))
    x = jax.nn.relu(normalise(convolve(x, params["second"]), params["gain2"]))
    n, height, width, channels = x.shape
    # Each mean of 2 x 2 pixels becomes one.
    x = x.reshape(n, height // 2, 2, width // 2, 2, channels).mean((2, 4))
    return x.reshape(n, -1) @ params["head"]


def loss(params: dict, x: jax.Array, y: jax.Array) -> jax.Array:
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits(params, x)), y[:, None], -1)
    return -chosen.mean()


def main() -> None:
    x, y = digits(512)
    batches = [(x[i:i + 128], y[i:i + 128]) for i in range(0, len(x), 128)] * 3
    run = training.train(loss, init(), batches, training.AdamW(learning_rate=3e-3))
    training.report("cnn", run)


if __name__ == "__main__":
    main()
