"""What `./dev demo` shows: a GPT learns on one simulated Trainium2 core, and what that would cost.

    python examples/demo.py [--steps N]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER / "jax"), str(FOLDER.parent / "python")]
os.environ.setdefault("JAX_PLATFORMS", "trainyard")

import char_gpt  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import trainyard  # noqa: E402
import training  # noqa: E402
from trainyard import screen  # noqa: E402

CONFIG = char_gpt.Config(layers=4, width=256, sequence=128)
BATCH = 8
CORES = 16 * 8  # of a trn2.48xlarge
ROWS = 10  # of the loss curve


def mixed_loss(params, tokens):
    """Weights in float32, products in bfloat16: what one trains with on such a chip."""
    half = jax.tree.map(lambda p: p.astype(jnp.bfloat16), params)
    return char_gpt.make_loss(CONFIG)(half, tokens)


def train(steps: int) -> tuple[list[float], float]:
    """The losses, and the seconds that it took on this host."""
    batches = char_gpt.make_batches(char_gpt.make_text(50_000), steps, BATCH, CONFIG.sequence)
    optimizer = training.AdamW(5e-4)
    step = training.make_step(mixed_loss, optimizer)
    params = char_gpt.init(CONFIG)
    state, losses, begin = optimizer.init(params), [], time.perf_counter()
    for i, batch in enumerate(batches):
        params, state, loss = step(params, state, *batch)
        losses.append(float(loss))
        if sys.stderr.isatty():
            print(f"\rstep {i + 1} of {steps}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    return losses, time.perf_counter() - begin


def show_curve(losses: list[float]) -> None:
    shown = sorted({round(i * (len(losses) - 1) / (ROWS - 1)) for i in range(ROWS)})
    for i in shown:
        print(f"  step {i + 1:>3}  {losses[i]:6.3f}  {'#' * round(8 * losses[i])}")


def ask(*words: str):
    done = subprocess.run([str(trainyard.command_path()), *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def price(instance: str) -> dict:
    """The newest on-demand price of the catalogue."""
    return next(row for row in ask("ls", "--prices", "--json")
                if row["instance"] == instance and row["market"] == "on-demand")


def gpu_seconds() -> float:
    """The step model's time on one H100 without its host, as the simulated time has none either."""
    model = (f"layers={CONFIG.layers},hidden={CONFIG.width},heads={CONFIG.width // CONFIG.head},"
             f"ffn={4 * CONFIG.width},vocab={CONFIG.vocabulary}")
    told = ask("step", "--model", model, "--instance", "p5.4xlarge", "--seq-len", str(CONFIG.sequence),
               "--global-batch", str(BATCH), "--json")
    return told["step_time_s"] - told["seconds"]["host"]


def show_cost(seconds: float) -> None:
    core, gpu = price("trn2.48xlarge"), price("p5.4xlarge")
    rows = [("one core of trn2.48xlarge", seconds, core["usd_per_hour"] / CORES, core["date"], "simulated"),
            ("one H100 of p5.4xlarge", gpu_seconds(), gpu["usd_per_hour"], gpu["date"], "step model, roofs")]
    for name, one, hourly, date, how in rows:
        million = hourly / 3600 * one * 1e6
        print(f"  {name:<26} {screen.in_words(one):>9} per step   {hourly:6.2f} USD/hour ({date})   "
              f"{million:8.2f} USD per million steps   {how}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=40)
    steps = parser.parse_args().steps
    print(f"==> A GPT ({CONFIG.layers} layers, width {CONFIG.width}, {CONFIG.sequence} tokens, batch {BATCH}) learns "
          f"on one simulated core of a Trainium2\n")
    losses, wall = train(steps)
    show_curve(losses)
    told = trainyard.simulated_time()
    step = max(told.programs, key=lambda row: row.runs * row.seconds)
    needed = char_gpt.flops_per_step(CONFIG, BATCH)
    print(f"\nhost     {screen.in_words(wall)} for {steps} steps, compilation included")
    print(f"chip     {screen.in_words(step.seconds)} per step, simulated   {screen.bound_in_words(step.profile)}")
    print(f"MFU      {needed / step.seconds / step.profile['peak_flops']:.2%} of "
          f"{step.profile['peak_flops'] / 1e12:.1f} TFLOP/s: {needed / 1e9:.1f} GFLOP are needed, "
          f"{step.flops / 1e9:.1f} done")
    print("\n  engine   busy")
    print("\n".join(screen.engine_rows(step.profile)))
    print("\n==> What a million such steps would cost at catalogue prices, machines kept as busy as this\n")
    show_cost(step.seconds)
    print(f"\ntrust    {step.trust}   (`trainyard ls --prices` has the sources of the prices)")
    print("""
==> Next

./dev demo-kernel                                        one kernel: checked, timed, traced, compared with NumPy
trainyard profile examples/jax/char_gpt.py               time per step of your own script, by source line
trainyard preflight step.mlirbc                          what a step would do on the chip, before it runs""")
    assert losses[-1] < 0.7 * losses[0], f"it did not learn: {losses[0]} -> {losses[-1]}"


if __name__ == "__main__":
    main()
