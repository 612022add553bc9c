"""A vision transformer of one block: patches by a convolution, attention over them, a class token.

It says in which quarter of a noisy picture a bright square lies.

    JAX_PLATFORMS=trainyard python examples/jax/vit_block.py
"""

import jax
import jax.numpy as jnp
import numpy as np
import training
from jax import lax

SIDE, PATCH, WIDTH, HEAD = 32, 8, 64, 32


def squares(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    pictures = rng.normal(0, 0.3, (count, SIDE, SIDE, 3)).astype(np.float32)
    row, column = rng.integers(0, 2, (2, count))
    top, left = rng.integers(0, 8, (2, count))
    for i in range(count):
        y, x = row[i] * SIDE // 2 + top[i], column[i] * SIDE // 2 + left[i]
        pictures[i, y:y + 8, x:x + 8] += rng.uniform(0.7, 1.3, 3)
    return pictures, (2 * row + column).astype(np.int32)


def init(seed: int = 0) -> dict:
    rng = np.random.default_rng(seed)
    weight = lambda *shape: jnp.asarray(
        rng.normal(0, np.prod(shape[:-1]) ** -0.5, shape), jnp.float32)
    tokens = (SIDE // PATCH) ** 2 + 1
    return {"patch": weight(PATCH, PATCH, 3, WIDTH), "class": jnp.zeros((1, 1, WIDTH)),
            "position": 0.02 * weight(tokens, WIDTH) * tokens**0.5,
            "qkv": weight(WIDTH, 3 * WIDTH), "out": weight(WIDTH, WIDTH),
            "up": weight(WIDTH, 4 * WIDTH), "down": weight(4 * WIDTH, WIDTH),
            "head": weight(WIDTH, 4)}


def normalise(x: jax.Array) -> jax.Array:
    x = x - x.mean(-1, keepdims=True)
    return x * lax.rsqrt(jnp.square(x).mean(-1, keepdims=True) + 1e-5)


def attention(params: dict, x: jax.Array) -> jax.Array:
    n, s, d = x.shape
    split = lambda a: a.reshape(n, s, d // HEAD, HEAD).transpose(0, 2, 1, 3)
    q, k, v = map(split, jnp.split(x @ params["qkv"], 3, -1))
    weights = jax.nn.softmax(q @ k.swapaxes(-1, -2) * HEAD**-0.5, -1)
    return (weights @ v).transpose(0, 2, 1, 3).reshape(n, s, d) @ params["out"]


def logits(params: dict, pictures: jax.Array) -> jax.Array:
    n = len(pictures)
    x = lax.conv_general_dilated(pictures, params["patch"], (PATCH, PATCH), "VALID",
                                 dimension_numbers=("NHWC", "HWIO", "NHWC")).reshape(n, -1, WIDTH)
    x = jnp.concatenate([jnp.broadcast_to(params["class"], (n, 1, WIDTH)), x], 1)
    x = x + params["position"]
    x = x + attention(params, normalise(x))
    x = x + jax.nn.gelu(normalise(x) @ params["up"]) @ params["down"]
    return normalise(x[:, 0]) @ params["head"]


def loss(params: dict, pictures: jax.Array, quarter: jax.Array) -> jax.Array:
    scores = jax.nn.log_softmax(logits(params, pictures))
    return -jnp.take_along_axis(scores, quarter[:, None], -1).mean()


def main() -> None:
    x, y = squares(512)
    batches = [(x[i:i + 64], y[i:i + 64]) for i in range(0, len(x), 64)] * 4
    run = training.train(loss, init(), batches, training.AdamW(2e-3))
    training.report("vit_block", run)


if __name__ == "__main__":
    main()
