"""Makes cases of the catalogue's rows, and puts several cases into one program."""

import jax
import jax.numpy as jnp
import numpy as np
from draw import WIDE, Draw
from rows import Row


def _with_gradient(function):
    """The values, and the gradient of a weighted sum of them by every float argument."""

    def both(*arguments):
        floats = [i for i, a in enumerate(arguments) if jnp.issubdtype(a.dtype, jnp.floating)]

        def weighted(*chosen):
            full = list(arguments)
            for i, a in zip(floats, chosen):
                full[i] = a
            total = jnp.zeros((), jnp.float32)
            for leaf in jax.tree.leaves(function(*full)):
                if jnp.issubdtype(leaf.dtype, jnp.inexact):
                    leaf = leaf.astype(jnp.promote_types(leaf.dtype, jnp.float32))
                    weights = jnp.cos(jnp.arange(leaf.size, dtype=leaf.dtype)).reshape(leaf.shape)
                    total = total + jnp.sum(leaf * weights)
            return total

        gradient = jax.grad(weighted, argnums=tuple(range(len(floats))))
        return function(*arguments), gradient(*[arguments[i] for i in floats])

    return both


def case(row: Row, seed: int, wide: bool = False):
    """Case number `seed` of a row: function, arguments, tolerance, type. Types take turns."""
    dtype = row.dtypes[seed % len(row.dtypes)]
    if wide:
        dtype = WIDE.get(dtype, dtype)
    function, arguments = row.make(Draw(row.name, seed, dtype))
    if row.gradient and np.dtype(jnp.dtype(dtype)).kind not in "iub":
        function = _with_gradient(function)
    return function, arguments, row.tolerance, dtype


def together(cases):
    """One function of all the cases: their arguments one after another, a list of their results."""

    def run(*arguments):
        results, begin = [], 0
        for function, own, _, _ in cases:
            results.append(function(*arguments[begin:begin + len(own)]))
            begin += len(own)
        return results

    return run, [a for _, own, _, _ in cases for a in own]
