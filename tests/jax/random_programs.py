"""Random programs of 20 to 40 operations over float32 or int32.

A program draws its operations while it is traced, so one seed is one program. Decisions (predicates,
indices) come from the arguments alone, which are exact: a rounding must not change the path.
"""

import jax
import jax.numpy as jnp
from draw import Draw
from jax import lax

_MOST = 2048  # elements of a value


class _Pool:
    """The values made so far; the arguments are the first ones."""

    def __init__(self, d: Draw, arguments):
        self.d, self.values, self.exact = d, list(arguments), list(arguments)
        self.floats = d.dtype == "float32"

    def any(self, low: int = 0):
        found = [v for v in self.values[-12:] if v.ndim >= low]
        return self.d.choice(*found) if found else jnp.resize(self.values[-1], (3,) * low)

    def like(self, x):
        """Another value, brought to the shape of x."""
        y = self.any().reshape(-1)
        return jnp.resize(y, x.shape) if y.size else x

    def decisions(self, shape):
        """Integers 0..8 of this shape from an argument."""
        return jnp.resize(jnp.abs(self.d.choice(*self.exact) * 3).astype(jnp.int32) % 9, shape)


def _tame(p, x):
    """Values stay small, and errors with them."""
    return jnp.tanh(x * 0.5) * 2 if p.floats else x % 1009


def _unary(p):
    x = p.any()
    if p.floats:
        return p.d.choice(jnp.sin, jnp.tanh, jnp.abs, jnp.negative, jax.nn.sigmoid, jnp.square,
                          lambda v: jnp.exp(-jnp.abs(v)), lambda v: jnp.sqrt(jnp.abs(v) + 1),
                          lambda v: jnp.log1p(jnp.abs(v)))(x)
    return p.d.choice(jnp.abs, jnp.negative, jnp.square, jnp.sign, jnp.invert, lambda v: v >> 1,
                      lambda v: v.astype(jnp.int8).astype(jnp.int32), lax.population_count)(x)


def _binary(p):
    x = p.any()
    both = [jnp.add, jnp.subtract, jnp.multiply, jnp.maximum, jnp.minimum]
    more = [lambda a, b: a / (1 + jnp.abs(b)), jnp.arctan2] if p.floats else [
        jnp.bitwise_xor, jnp.bitwise_and, lambda a, b: a // (1 + jnp.abs(b)),
        lambda a, b: a % (1 + jnp.abs(b))]
    return _tame(p, p.d.choice(*both, *more)(x, p.like(x)))


def _reshape(p):
    x = p.any()
    first = p.d.choice(*[n for n in range(1, 9) if x.size % n == 0])
    return x.reshape(p.d.choice((-1,), (first, -1), (-1, first), (1, first, -1)))


def _transpose(p):
    x = p.any(2)
    return x.transpose([int(i) for i in p.d.random.permutation(x.ndim)])


def _broadcast(p):
    x = p.any()
    if x.size * 4 > _MOST:
        x = x.reshape(-1)[:64]
    n = p.d.size(1, 4)
    return jnp.broadcast_to(x[..., None], (*x.shape, n)) if p.d.flag() else jnp.broadcast_to(
        x, (n, *x.shape))


def _slice(p):
    x = p.any(1)
    index = []
    for n in x.shape:
        start = p.d.size(0, n - 1)
        index.append(slice(start, p.d.size(start + 1, n), p.d.size(1, 2)))
    return x[tuple(index)]


def _concatenate(p):
    x = p.any(1)
    axis = p.d.axis(x.ndim)
    return jnp.concatenate([x, p.like(x), x], axis) if x.size * 3 <= _MOST else x[:1]


def _pad(p):
    x = p.any(1)
    if x.size * 8 > _MOST:
        return x[-1:]
    return lax.pad(x, x.dtype.type(1), [(p.d.size(0, 1), p.d.size(0, 2), p.d.size(0, 1))] +
                   [(0, 0, 0)] * (x.ndim - 1))


def _reverse(p):
    return jnp.flip(p.any(1))


def _dot(p):
    x = p.any(1).reshape(-1)
    k = p.d.choice(*[n for n in range(1, 17) if x.size % n == 0])
    a = x.reshape(-1, k)[:24]
    b = jnp.resize(p.any().reshape(-1), (k, p.d.size(1, 16)))
    return _tame(p, (a @ b) / k if p.floats else a @ b)


def _reduce(p):
    x = p.any(1)
    fold = p.d.choice(jnp.sum, jnp.max, jnp.min)
    return _tame(p, fold(x, axis=p.d.axis(x.ndim), keepdims=p.d.flag()))


def _scan_sum(p):
    x = p.any(1)
    axis = p.d.axis(x.ndim)
    return _tame(p, p.d.choice(lax.cumsum, lax.cummax)(x, axis=axis, reverse=p.d.flag()))


def _where(p):
    x = p.any()
    return jnp.where(p.decisions(x.shape) > 3, x, p.like(x))


def _gather(p):
    x = p.any(1)
    return x[p.decisions((p.d.size(1, 5),)) % x.shape[0]] if x.size * 5 <= _MOST else x[0]


def _scatter(p):
    x = p.any(1)
    at = p.decisions((3,)) % x.shape[0]
    return _tame(p, x.at[at].add(jnp.resize(p.any().reshape(-1), (3, *x.shape[1:]))))


def _dynamic_slice(p):
    x = p.any(1)
    size = p.d.size(1, x.shape[0])
    at = p.decisions((1,))[0] - 2
    part = lax.dynamic_slice_in_dim(x, at, size)
    return lax.dynamic_update_slice_in_dim(x, part + 1, at - 1, 0) if p.d.flag() else part


def _scan(p):
    x = p.any(2)
    return lax.scan(lambda c, r: (_tame(p, c + r), c - r), x[0] + 1, x)[1]


def _loop(p):
    x = p.any()
    return lax.fori_loop(0, p.decisions((1,))[0], lambda i, v: _tame(p, v + i), x)


def _cond(p):
    x = p.any()
    return lax.cond(p.decisions((1,))[0] > 4, lambda v: _tame(p, v * 2), lambda v: v - 1, x)


def _sort(p):
    x = p.any(1)
    return jnp.sort(x, axis=p.d.axis(x.ndim))


_OPERATIONS = [_unary, _unary, _binary, _binary, _binary, _reshape, _transpose, _broadcast, _slice,
               _concatenate, _pad, _reverse, _dot, _reduce, _reduce, _scan_sum, _where, _gather,
               _scatter, _dynamic_slice, _scan, _loop, _cond, _sort]


def program(seed: int):
    """Program number `seed`: a function of arrays, and the arrays."""
    dtype = ("float32", "int32")[seed % 2]
    d = Draw("random program", seed, dtype)
    arguments = [d.array(d.shape(1, 3), -4, 4) for _ in range(3)]

    def run(*inputs):
        own = Draw("operations", seed, dtype)
        pool = _Pool(own, inputs)
        for _ in range(own.size(20, 40)):
            made = own.choice(*_OPERATIONS)(pool)
            pool.values.append(made.reshape(-1)[:_MOST] if made.size > _MOST else made)
        return pool.values[-8:]

    return run, arguments
