"""An LSTM over a sequence with lax.scan: it learns to repeat what it read four steps before.

    JAX_PLATFORMS=trainyard python examples/jax/lstm.py
"""

import jax
import jax.numpy as jnp
import numpy as np
import training
from jax import lax

STEPS, BATCH, SYMBOLS, WIDTH, DELAY = 24, 32, 8, 96, 4


def sequences(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, SYMBOLS, (count, STEPS, BATCH)).astype(np.int32)


def init(seed: int = 0) -> dict:
    rng = np.random.default_rng(seed)
    weight = lambda a, b: jnp.asarray(rng.normal(0, a**-0.5, (a, b)), jnp.float32)
    return {"cell": weight(SYMBOLS + WIDTH, 4 * WIDTH), "bias": jnp.zeros(4 * WIDTH),
            "head": weight(WIDTH, SYMBOLS)}


def loss(params: dict, symbols: jax.Array) -> jax.Array:
    def cell(carry, x):
        hidden, memory = carry
        gates = jnp.concatenate([x, hidden], -1) @ params["cell"] + params["bias"]
        write, keep, value, show = jnp.split(gates, 4, -1)
        # It is easier to learn to forget than to learn to keep.
        memory = jax.nn.sigmoid(keep + 2) * memory + jax.nn.sigmoid(write) * jnp.tanh(value)
        hidden = jax.nn.sigmoid(show) * jnp.tanh(memory)
        return (hidden, memory), hidden

    empty = jnp.zeros((BATCH, WIDTH))
    _, hidden = lax.scan(cell, (empty, empty), jax.nn.one_hot(symbols, SYMBOLS))
    scores = jax.nn.log_softmax(hidden[DELAY:] @ params["head"])
    return -jnp.take_along_axis(scores, symbols[:-DELAY, :, None], -1).mean()


def main() -> None:
    batches = [(x,) for x in sequences(120)]
    run = training.train(loss, init(), batches, training.AdamW(1e-2))
    training.report("lstm", run)


if __name__ == "__main__":
    main()
