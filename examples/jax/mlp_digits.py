"""A multi-layer perceptron that reads digits.

The digits are seven-segment digits of 12 x 8 pixels, shifted, dimmed and with noise: made here,
nothing is downloaded.

    JAX_PLATFORMS=trainyard python examples/jax/mlp_digits.py
"""

import jax
import jax.numpy as jnp
import numpy as np
import training

# Which of the segments a..g each digit lights.
SEGMENTS = ["abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg", "abcdfg"]
# Where a segment lies in the 12 x 8 picture: rows, columns.
WHERE = {"a": (slice(1, 2), slice(2, 6)), "b": (slice(1, 6), slice(5, 6)),
         "c": (slice(6, 11), slice(5, 6)), "d": (slice(10, 11), slice(2, 6)),
         "e": (slice(6, 11), slice(2, 3)), "f": (slice(1, 6), slice(2, 3)),
         "g": (slice(5, 6), slice(2, 6))}
HEIGHT, WIDTH = 12, 8


def digits(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Pictures [count, HEIGHT, WIDTH] and what they show."""
    rng = np.random.default_rng(seed)
    shown = rng.integers(0, 10, count).astype(np.int32)
    pictures = np.zeros((count, HEIGHT, WIDTH), np.float32)
    for picture, digit in zip(pictures, shown):
        for segment in SEGMENTS[digit]:
            picture[WHERE[segment]] = rng.uniform(0.6, 1.0)
        picture[:] = np.roll(picture, rng.integers(-1, 2, 2), (0, 1))
    return pictures + rng.normal(0, 0.15, pictures.shape).astype(np.float32), shown


def init(sizes: list[int], seed: int = 0) -> list[dict]:
    rng = np.random.default_rng(seed)
    return [{"w": jnp.asarray(rng.normal(0, a**-0.5, (a, b)), jnp.float32), "b": jnp.zeros(b)}
            for a, b in zip(sizes, sizes[1:])]


def logits(params: list[dict], x: jax.Array) -> jax.Array:
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def loss(params: list[dict], x: jax.Array, y: jax.Array) -> jax.Array:
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits(params, x)), y[:, None], -1)
    return -chosen.mean()


def main() -> None:
    pictures, shown = digits(2048)
    x = pictures.reshape(len(pictures), -1)
    batches = [(x[i:i + 256], shown[i:i + 256]) for i in range(0, len(x), 256)] * 6
    run = training.train(loss, init([HEIGHT * WIDTH, 256, 256, 10]), batches, training.AdamW(3e-3))
    training.report("mlp_digits", run)

    unseen, truth = digits(512, seed=1)
    guess = jax.jit(lambda p, x: logits(p, x).argmax(-1))(run.params, unseen.reshape(512, -1))
    right = float((np.asarray(guess) == truth).mean())
    print(f"  reads {right:.1%} of 512 digits that it has not seen")
    assert right > 0.9


if __name__ == "__main__":
    main()
