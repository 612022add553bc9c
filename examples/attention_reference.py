#!/usr/bin/env python3
"""Inputs for attention.tya and what NumPy makes of them.

    attention_reference.py make FOLDER       writes qT.npy, kT.npy and v.npy
    attention_reference.py compare FOLDER    compares out.npy there with NumPy in float64
"""

import pathlib
import sys

import ml_dtypes
import numpy as np

TOKENS, HEAD = 2048, 64
# The kernel rounds the weights of a row to bf16, which has 8 bits: half a step is 2^-9 of a weight.
LIMIT = 2.0 ** -7


def make(folder: pathlib.Path) -> None:
    rng = np.random.default_rng(1)
    for name, shape in [("qT", (HEAD, TOKENS)), ("kT", (HEAD, TOKENS)), ("v", (TOKENS, HEAD))]:
        np.save(folder / f"{name}.npy", rng.standard_normal(shape).astype(ml_dtypes.bfloat16))


def load(path: pathlib.Path) -> np.ndarray:
    array = np.load(path)
    # NumPy knows no bfloat16, so a file holds two bytes of no type.
    return (array.view(ml_dtypes.bfloat16) if array.dtype.kind == "V" else array).astype(np.float64)


def attention(q_t: np.ndarray, k_t: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Causal: a token sees itself and those before it."""
    scores = q_t.T @ k_t / np.sqrt(HEAD)
    scores[np.triu_indices(TOKENS, k=1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights @ v / weights.sum(axis=1, keepdims=True)


def compare(folder: pathlib.Path) -> int:
    expected = attention(*(load(folder / f"{name}.npy") for name in ("qT", "kT", "v")))
    ours = load(folder / "out.npy")
    error = np.abs(ours - expected)
    row, column = np.unravel_index(error.argmax(), error.shape)
    print(f"worst error {error.max():.1e} of values up to {np.abs(expected).max():.1f}, mean {error.mean():.1e}"
          f"   (token {row}, column {column}: {ours[row, column]:.4f}, NumPy {expected[row, column]:.4f})")
    if not error.max() < LIMIT:
        print(f"that is more than {LIMIT:.1e}, so something is wrong")
        return 1
    return 0


def main(words: list[str]) -> int:
    if len(words) != 2 or words[0] not in ("make", "compare"):
        print(__doc__, end="")
        return 2
    folder = pathlib.Path(words[1])
    folder.mkdir(parents=True, exist_ok=True)
    return make(folder) or 0 if words[0] == "make" else compare(folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
