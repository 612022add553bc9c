"""AdamW against plain gradient descent on a badly scaled problem: why the state is worth its memory.

Both fit the same linear map; its inputs differ in size by a factor of a hundred.

    JAX_PLATFORMS=trainyard python examples/jax/adamw.py
"""

import jax
import jax.numpy as jnp
import numpy as np
import training


def loss(params: dict, x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.square(x @ params["w"] + params["b"] - y).mean()


def problem(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(512, 64)) * np.logspace(-1, 1, 64)
    truth = rng.normal(size=(64, 32))
    return x.astype(np.float32), (x @ truth).astype(np.float32)


@jax.jit
def descend(params: dict, x: jax.Array, y: jax.Array) -> tuple[dict, jax.Array]:
    value, gradients = jax.value_and_grad(loss)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.02 * g, params, gradients), value


def main() -> None:
    x, y = problem()
    start = lambda: {"w": jnp.zeros((64, 32)), "b": jnp.zeros(32)}
    params = start()
    for _ in range(100):
        params, plain = descend(params, x, y)
    run = training.train(loss, start(), [(x, y)] * 100, training.AdamW(3e-2, weight_decay=1e-4))
    training.report("adamw", run)
    print(f"  gradient descent is at {float(plain):.4f} after as many steps")
    assert run.losses[-1] < float(plain)


if __name__ == "__main__":
    main()
