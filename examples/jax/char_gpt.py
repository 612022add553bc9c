"""A GPT that learns to write a text letter by letter: the model that `./dev demo` trains.

The text is made here, from a small grammar, so that there is something to learn and nothing to
download.

    JAX_PLATFORMS=trainyard python examples/jax/char_gpt.py
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import training
from jax import lax

WORDS = {"who": "the train,a wagon,one signal,the old engine,every driver,no yard".split(","),
         "does": "waits for,passes,follows,stops at,leaves,hears".split(","),
         "when": "at noon,before dawn,in the rain,each day,after work".split(",")}


def make_text(length: int, seed: int = 0) -> str:
    """Sentences such as "the train waits for one signal at noon." """
    rng = np.random.default_rng(seed)
    text = ""
    while len(text) < length:
        who, whom = rng.choice(WORDS["who"], 2)
        text += f"{who} {rng.choice(WORDS['does'])} {whom} {rng.choice(WORDS['when'])}. "
    return text[:length]


@dataclasses.dataclass(frozen=True)
class Config:
    layers: int = 2
    width: int = 128
    head: int = 64
    sequence: int = 64
    vocabulary: int = 128  # ASCII
    dtype: jnp.dtype = jnp.float32


def init(config: Config, seed: int = 0) -> dict:
    rng = np.random.default_rng(seed)
    d = config.width
    weight = lambda *shape, scale=0.02: jnp.asarray(rng.normal(0, scale, shape), config.dtype)
    ones = lambda: jnp.ones(d, config.dtype)
    # What the first block adds must not outweigh these: the norm at the end sees only the direction
    # of the sum, and while that is short a small update turns it round.
    return {"embedding": weight(config.vocabulary, d, scale=0.08),
            "position": weight(config.sequence, d, scale=0.08),
            "blocks": [{"qkv": weight(d, 3 * d), "out": weight(d, d), "up": weight(d, 4 * d),
                        "down": weight(4 * d, d), "gain1": ones(), "gain2": ones()}
                       for _ in range(config.layers)],
            "gain": ones()}


def normalise(x: jax.Array, gain: jax.Array) -> jax.Array:
    """Layer normalisation, in float32."""
    wide = x.astype(jnp.float32)
    wide = wide - wide.mean(-1, keepdims=True)
    wide = wide * lax.rsqrt(jnp.square(wide).mean(-1, keepdims=True) + 1e-5)
    return wide.astype(x.dtype) * gain


def attention(block: dict, x: jax.Array, head: int) -> jax.Array:
    n, s, d = x.shape
    split = lambda a: a.reshape(n, s, d // head, head).transpose(0, 2, 1, 3)
    q, k, v = map(split, jnp.split(x @ block["qkv"], 3, -1))
    scores = (q @ k.swapaxes(-1, -2)).astype(jnp.float32) * head**-0.5
    scores = jnp.where(jnp.tril(jnp.ones((s, s), bool)), scores, -1e9)
    mixed = jax.nn.softmax(scores, -1).astype(x.dtype) @ v
    return mixed.transpose(0, 2, 1, 3).reshape(n, s, d) @ block["out"]


def logits(config: Config, params: dict, tokens: jax.Array) -> jax.Array:
    x = params["embedding"][tokens] + params["position"][:tokens.shape[1]]
    for block in params["blocks"]:
        x = x + attention(block, normalise(x, block["gain1"]), config.head)
        x = x + jax.nn.gelu(normalise(x, block["gain2"]) @ block["up"]) @ block["down"]
    return (normalise(x, params["gain"]) @ params["embedding"].T).astype(jnp.float32)


def make_loss(config: Config):
    def loss(params: dict, tokens: jax.Array) -> jax.Array:
        """Mean cross entropy of each next letter; `tokens` has one letter more than is read."""
        scores = jax.nn.log_softmax(logits(config, params, tokens[:, :-1]))
        return -jnp.take_along_axis(scores, tokens[:, 1:, None], -1).mean()

    return loss


def make_batches(text: str, steps: int, batch: int, sequence: int, seed: int = 0) -> list[tuple]:
    letters = np.frombuffer(text.encode(), np.uint8).astype(np.int32)
    rng = np.random.default_rng(seed)
    starts = rng.integers(0, len(letters) - sequence - 1, (steps, batch))
    return [(np.stack([letters[s:s + sequence + 1] for s in row]),) for row in starts]


def flops_per_step(config: Config, batch: int) -> float:
    """What a training step needs: 6 per weight of a matrix and token, 12 per pair of tokens."""
    d, s = config.width, config.sequence
    weights = config.layers * 12 * d * d + config.vocabulary * d
    return batch * s * (6 * weights + 12 * config.layers * s * d)


def main() -> None:
    config = Config()
    batches = make_batches(make_text(20_000), 30, 8, config.sequence)
    run = training.train(make_loss(config), init(config), batches, training.AdamW(3e-3))
    training.report("char_gpt", run)


if __name__ == "__main__":
    main()
