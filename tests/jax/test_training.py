"""A GPT of four layers (width 256, 128 tokens) trains on a simulated core as it does on JAX's CPU."""

import char_gpt
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import training

SMALL = char_gpt.Config(layers=4, width=256, sequence=128)
BATCH = 4
OPTIMIZER = training.AdamW(1e-3)


def batches(steps: int) -> list[tuple]:
    return char_gpt.make_batches(char_gpt.make_text(50_000), steps, BATCH, SMALL.sequence)


def on(platform: str):
    return jax.default_device(jax.devices(platform)[0])


def gradients(platform: str) -> tuple[float, dict]:
    with on(platform):
        step = jax.jit(jax.value_and_grad(char_gpt.make_loss(SMALL)))
        loss, tree = step(char_gpt.init(SMALL), *batches(1)[0])
    return float(loss), dict(jax.tree_util.tree_leaves_with_path(jax.tree.map(np.asarray, tree)))


def losses(platform: str, steps: int, dtype=jnp.float32) -> np.ndarray:
    config = char_gpt.Config(layers=4, width=256, sequence=128, dtype=dtype)
    with on(platform):
        run = training.train(char_gpt.make_loss(config), char_gpt.init(config), batches(steps), OPTIMIZER)
    return np.array(run.losses)


def test_the_gradients_of_one_step_are_those_of_the_cpu():
    want_loss, want = gradients("cpu")
    loss, got = gradients("trainyard")
    assert abs(loss - want_loss) < 1e-5 * want_loss
    assert got.keys() == want.keys()
    for path, wanted in want.items():
        worst = np.abs(got[path] - wanted).max() / np.abs(wanted).max()
        assert worst < 1e-5, f"{jax.tree_util.keystr(path)}: {worst:.1e} of its largest value"


def test_a_few_steps_have_the_losses_of_the_cpu():
    want = losses("cpu", 5)
    assert np.abs(losses("trainyard", 5) - want).max() < 1e-4
    assert want[-1] < want[0]


@pytest.mark.slow
def test_three_hundred_steps_stay_beside_the_cpu():
    off = np.abs(losses("trainyard", 300) - (want := losses("cpu", 300)))
    assert off[:100].max() < 1e-3
    assert off.max() < 1e-2
    assert want[-1] < 0.5 * want[0]


@pytest.mark.slow
def test_bfloat16_ends_within_two_percent_of_the_cpu():
    want, got = losses("cpu", 100, jnp.bfloat16)[-10:].mean(), losses("trainyard", 100, jnp.bfloat16)[-10:].mean()
    assert abs(got - want) < 0.02 * want


def continued(step, params, state, parts: list[tuple]) -> tuple:
    for part in parts:
        params, state, loss = step(params, state, *part)
    return params, state, loss


def test_a_resumed_run_is_the_uninterrupted_one_bit_for_bit(tmp_path):
    parts = batches(4)
    with on("trainyard"):
        step = training.make_step(char_gpt.make_loss(SMALL), OPTIMIZER)
        begin = lambda: (params := char_gpt.init(SMALL), OPTIMIZER.init(params))
        straight = continued(step, *begin(), parts)

        half = continued(step, *begin(), parts[:2])[:2]
        leaves, tree = jax.tree.flatten(half)
        np.savez(tmp_path / "half.npz", *leaves)
        saved = np.load(tmp_path / "half.npz")
        loaded = jax.tree.unflatten(tree, [jnp.asarray(saved[f"arr_{i}"]) for i in range(len(leaves))])
        again = training.make_step(char_gpt.make_loss(SMALL), OPTIMIZER)  # compiled anew
        resumed = continued(again, *loaded, parts[2:])
    for a, b in zip(jax.tree.leaves(straight), jax.tree.leaves(resumed), strict=True):
        np.testing.assert_array_equal(np.asarray(a).view(np.uint32), np.asarray(b).view(np.uint32))
