"""Rows of corners: empty arrays, whole-array updates, views of what a kernel makes, odd loops."""

import jax
import jax.numpy as jnp
from draw import F32, NUMBERS
from jax import lax
from rows import Row


def _row(name, function, *shapes, dtypes=F32, tolerance=64.0, gradient=False):
    def make(d):
        return function, [d.array(shape, -2, 2) for shape in shapes]
    return Row(f"corner/{name}", make, dtypes, tolerance, gradient)


def _loop(body, count=3):
    return lambda *x: lax.fori_loop(0, count, lambda i, s: body(i, *s), x)


_EMPTY = [
    _row("empty softmax", lambda x: jax.nn.softmax(x, 0), (3, 0), gradient=True),
    _row("empty logsumexp", lambda x: jax.nn.logsumexp(x, 0), (3, 0)),
    _row("empty reductions", lambda x: (x.sum(), x.sum(0), x.sum(1), x.prod(), x.any(), x.all()),
         (0, 3)),
    _row("empty argmax", lambda x: jnp.argmax(x, 0), (3, 0)),
    _row("empty products", lambda x: (x.T @ x, x @ x.T), (0, 3)),
    _row("empty sort", lambda x: (jnp.sort(x), jnp.argsort(x, 0), jnp.cumsum(x, 0)), (0, 3)),
    _row("empty pieces", lambda x: (jnp.pad(jnp.sin(x), 1), jnp.concatenate(
        [jnp.sin(x), jnp.ones((2, 3), x.dtype)]), jnp.cos(x).T.reshape(-1)), (0, 3)),
    _row("empty loops", lambda x: (lax.scan(lambda c, r: (c + r, c * r), x.sum(0), x),
                                   lax.fori_loop(0, 3, lambda i, c: c + 1, x)), (0, 3)),
    _row("empty windows", lambda x: lax.reduce_window(jnp.sin(x), 0.0, lax.add, (1, 1), (1, 1),
                                                      "VALID"), (3, 0)),
    _row("empty indices", lambda x: (x[jnp.zeros((0,), jnp.int32)], x.at[
        jnp.zeros((0,), jnp.int32)].add(1), lax.top_k(x, 0)), (5, 3)),
]

_CORNERS = [
    _row("update of all", lambda x, y: (x.at[:].set(y), x.at[...].add(y), x.at[:, :].mul(2)),
         (4, 5), (4, 5), dtypes=NUMBERS),
    _row("update of a scalar", lambda x, y: (x.at[()].set(y), x.at[()].add(y)), (), ()),
    _row("gather of all", lambda x: lax.gather(x, jnp.zeros((3, 0), jnp.int32),
                                               lax.GatherDimensionNumbers((1, 2), (), ()), (4, 5)),
         (4, 5)),
    _row("lu", lambda x: jax.lax.linalg.lu(x + 3 * jnp.eye(6)), (6, 6), tolerance=500),
    _row("det", jnp.linalg.det, (6, 6), tolerance=2000),
    _row("reverse of own", lambda x: (lambda y: y[::-1] + y.astype(jnp.bfloat16))(jnp.sin(x)),
         (40, 3), gradient=True),
    _row("transpose of own", lambda x: (lambda y: y.T + y * y.sum())(jnp.cos(x)), (33, 33),
         gradient=True),
    _row("views as results", lambda x: (x.T, x[::-1], x.reshape(-1), x[0], x[:, None], x), (3, 4),
         dtypes=NUMBERS),
    _row("loop of views", _loop(lambda i, x: (x.T[::-1],)), (4, 4)),
    _row("loop that swaps", _loop(lambda i, x, y: (y, x + 1)), (4, 4), (4, 4)),
    _row("loop that turns", _loop(lambda i, x, y, z: (y, z, x), 4), (4,), (4,), (4,)),
    _row("loop that forgets", _loop(lambda i, x: (jnp.ones(4) * i,)), (4,)),
    _row("many axes", lambda x: (x.transpose(7, 6, 5, 4, 3, 2, 1, 0) * 2).sum((0, 2, 4)),
         (2, 3, 2, 3, 2, 3, 2, 3)),
    _row("many axes reversed", lambda x: x[::-1, :, ::2, :, ::-1], (2, 3, 4, 3, 2, 3, 2)),
    _row("columns and rows", lambda x: jax.nn.softmax(x, 0) + jax.nn.softmax(x, 1), (130, 257)),
    _row("large transpose", lambda x: jnp.sin(x).transpose(2, 0, 1) + 1, (7, 129, 65)),
]

ROWS = _EMPTY + _CORNERS


def _positive(d, n, *batch):
    a = d.array((*batch, n, n), -1, 1)
    return (a @ a.swapaxes(-1, -2) + n * jnp.eye(n, dtype=a.dtype)).astype(a.dtype)


def _matrix(name, function, *others, tolerance=1000.0, gradient=False):
    """function(a, ...): a is symmetric and positive, n by n, in a batch of 2."""
    def make(d):
        n = d.size(1, 9)
        more = [d.array(tuple(n if s == "n" else s for s in shape), -2, 2) for shape in others]
        return function, [jax.device_get(_positive(d, n, 2)), *more]
    return Row(name, make, F32, tolerance, gradient)


def _solve(**how):
    return lambda a, b: lax.linalg.triangular_solve(a, b, **how)


_MATRICES = [
    _matrix("jnp.linalg.cholesky", jnp.linalg.cholesky, gradient=True),
    _matrix("jnp.linalg.cholesky/upper", lambda a: jnp.linalg.cholesky(a, upper=True)),
    _matrix("jnp.linalg.cholesky/negative", lambda a: jnp.linalg.cholesky(a.at[0].multiply(-1))),
    _matrix("lax.triangular_solve", _solve(left_side=True, lower=True), (2, "n", 3), gradient=True),
    _matrix("lax.triangular_solve/right", _solve(lower=True), (2, 3, "n"), gradient=True),
    _matrix("lax.triangular_solve/upper", _solve(left_side=True), (2, "n", 3)),
    _matrix("lax.triangular_solve/transposed", _solve(left_side=True, lower=True, transpose_a=True),
            (2, "n", 3)),
    _matrix("lax.triangular_solve/unit", lambda a, b: lax.linalg.triangular_solve(
        a / 9, b, unit_diagonal=True), (2, 3, "n")),
    _matrix("jnp.linalg.solve", jnp.linalg.solve, (2, "n", 3), gradient=True),
    _matrix("jnp.linalg.inv", jnp.linalg.inv, gradient=True),
    _matrix("jnp.linalg.det", jnp.linalg.det),
    _matrix("jnp.linalg.slogdet", jnp.linalg.slogdet),
    _matrix("lax.lu", lambda a: lax.linalg.lu(a)),
]


def _narrow(d):
    """Every number of a narrow float, and numbers near the middle between two."""
    kinds = (jnp.float8_e3m4, jnp.float8_e4m3, jnp.float8_e4m3fn, jnp.float8_e5m2)

    def run(codes, x):
        wide = [lax.bitcast_convert_type(codes, kind).astype(jnp.float32) for kind in kinds]
        return wide, [x.astype(kind).astype(jnp.float32) for kind in kinds]
    return run, [d.random.permutation(256).astype("uint8"), d.array((400,), -1, 1) * d.choice(
        0.01, 1, 20, 500)]


ROWS += [*_MATRICES, Row("lax.convert_element_type/f8", _narrow, F32, 0.01)]
