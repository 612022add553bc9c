"""Runs one function on a simulated core and on JAX's CPU back end, and compares what they give."""

import jax
import numpy as np

# Relative and absolute error of one rounding or two; a row multiplies them.
_TOLERANCE = {"float64": (1e-12, 1e-13), "float32": (2e-6, 1e-6), "bfloat16": (2e-2, 1e-2),
              "float16": (2e-3, 1e-3)}


def on(platform: str, function, arguments):
    """Leaves of the result, as host arrays."""
    device = jax.devices(platform)[0]
    placed = jax.device_put(arguments, device)
    with jax.default_device(device):
        return [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(function)(*placed))]


def difference(got: np.ndarray, want: np.ndarray, scale: float) -> str:
    """Empty if the two agree, else what differs."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{got.shape} instead of {want.dtype}{want.shape}"
    if want.dtype.kind in "iub":
        bad = got != want
    else:
        name = {"complex64": "float32", "complex128": "float64"}.get(want.dtype.name,
                                                                     want.dtype.name)
        relative, absolute = (scale * t for t in _TOLERANCE[name])
        wide = np.complex128 if want.dtype.kind == "c" else np.float64
        got, want = got.astype(wide), want.astype(wide)
        # Denormals are flushed on the simulated core.
        near = np.isclose(got, want, rtol=relative, atol=absolute, equal_nan=True)
        bad = ~near
    if not bad.any():
        return ""
    at = tuple(int(i) for i in np.argwhere(bad)[0]) if bad.ndim else ()
    return f"{int(bad.sum())} of {bad.size} differ; at {at} {got[at]} instead of {want[at]}"


def compare(function, arguments, scales) -> list[str]:
    """One text per leaf of the result; empty where both devices agree."""
    want = on("cpu", function, arguments)
    got = on("trainyard", function, arguments)
    assert len(got) == len(want)
    if not isinstance(scales, list):
        scales = [scales] * len(want)
    return [difference(g, w, s) for g, w, s in zip(got, want, scales)]
