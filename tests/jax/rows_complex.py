"""Rows of complex numbers, which the compiler splits into their parts."""

import jax.numpy as jnp
from draw import F32
from jax import lax
from rows import Row


def _row(name, function, shapes=((4, 5), (4, 5)), tolerance=64.0):
    """function(z...): each z is made of two real arrays."""
    def make(d):
        parts = [d.array(shape, -2, 2) for shape in shapes for _ in range(2)]

        def run(*x):
            return function(*[lax.complex(a, b) for a, b in zip(x[::2], x[1::2])])
        return run, parts
    return Row(f"complex/{name}", make, F32, tolerance)


_ONE = ((4, 5),)

ROWS = [
    _row("add", lambda z, w: (z + w, z - w, -z)), _row("multiply", lambda z, w: z * w),
    _row("divide", lambda z, w: z / (w + 5)), _row("abs", lambda z: (abs(z), z.real, z.imag), _ONE),
    _row("angle", jnp.angle, _ONE), _row("conj", lambda z: z.conj().T, _ONE),
    _row("exp", jnp.exp, _ONE), _row("log", jnp.log, _ONE), _row("sqrt", jnp.sqrt, _ONE),
    _row("sin", lambda z: (jnp.sin(z), jnp.cos(z), jnp.tanh(z)), _ONE, 256),
    _row("power", lambda z: z ** 2.5, _ONE, 256), _row("sum", lambda z: (z.sum(0), z.mean()), _ONE),
    _row("prod", lambda z: z.prod(0), _ONE), _row("dot", lambda z, w: z @ w.T),
    _row("einsum", lambda z, w: jnp.einsum("ij,ij->i", z, w.conj())),
    _row("compare", lambda z, w: (z == w, z != w, z == z)),
    _row("where", lambda z, w: jnp.where(z.real > 0, z, w)), _row("cumsum", jnp.cumsum, _ONE),
    _row("gather", lambda z: z[jnp.array([1, 0, 3])], _ONE),
    _row("scatter", lambda z: z.at[jnp.array([1, 0, 1])].add(2j), _ONE),
    _row("scan", lambda z: lax.scan(lambda c, r: (c * r * 0.5, c), z[0], z), _ONE, 256),
    _row("loop", lambda z: lax.fori_loop(0, 5, lambda i, w: w * w * 0.1 + z, z), _ONE, 256),
    _row("shapes", lambda z: (z.reshape(-1)[::-1], jnp.concatenate([z, z]), jnp.pad(z, 1)), _ONE),
    _row("grad", lambda z: jnp.conj(z) * 2 + abs(z) ** 2, _ONE),
]
