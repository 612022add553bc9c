"""Rows of control flow, of JAX's transformations, and of jax.random."""

import jax
import jax.numpy as jnp
import numpy as np
from draw import F32, FLOATS, I32, INTEGERS, NUMBERS
from jax import lax
from rows import Row

# ---- Control flow ---------------------------------------------------------------------------------


def _xw(function, low=-1, high=1):
    """function(x [n, m], w [m, m])."""
    def make(d):
        n, m = d.size(1, 9), d.size(1, 9)
        return function, [d.array((n, m), low, high), d.array((m, m), low, high)]
    return make


def _counted(function, limit=9):
    """function(x [n], count)."""
    def make(d):
        return function, [d.array((d.size(1, 9),), -2, 2), d.ints(0, limit)]
    return make


def _scan(x, w):
    def step(carry, row):
        carry = jnp.tanh(carry @ w + row)
        return carry, (carry, row.sum())
    return lax.scan(step, jnp.zeros_like(x[0]), x)


def _scan_reverse(x, w):
    return lax.scan(lambda c, r: (c * 0.5 + r @ w, c), jnp.ones_like(x[0]), x, reverse=True)


def _scan_unrolled(x, w):
    return lax.scan(lambda c, r: (c + r * w[0], c.max()), jnp.ones_like(x[0]), x, unroll=2)


def _scan_nested(x, w):
    def outer(c, r):
        inner, _ = lax.scan(lambda a, b: (a * 0.9 + b, None), c, w)
        return inner + r, inner.sum()
    return lax.scan(outer, x[0], x)


def _scan_checkpoint(x, w):
    step = jax.checkpoint(lambda c, r: (jnp.sin(c @ w) + r, c.sum()))
    return lax.scan(step, x[0], x)


def _while(x, n):
    return lax.while_loop(lambda s: (s[0] < n) & (jnp.abs(s[1]).max() < 1e3),
                          lambda s: (s[0] + 1, s[1] * 2 + 1), (0, x))


def _while_nested(x, n):
    def body(s):
        i, v = s
        return i + 1, lax.while_loop(lambda t: t[0] < i, lambda t: (t[0] + 1, t[1] + v[0]), (0, v))[1]
    return lax.while_loop(lambda s: s[0] < jnp.minimum(n, 4), body, (0, x * 0.1))


def _fori_slices(x, n):
    def body(i, v):
        row = lax.dynamic_index_in_dim(v, i % v.shape[0])
        return lax.dynamic_update_slice(v, row * 2 - 1, (i % v.shape[0],))
    return lax.fori_loop(0, n, body, x)


def _cond(x, n):
    return lax.cond(n % 2 == 0, lambda v: (v + 1, v.sum()), lambda v: (v * 2, v.max()), x)


def _switch(x, n):
    return lax.switch(n - 2, [lambda v: v, lambda v: -v, lambda v: v * v, lambda v: v + v[0]], x)


def _cond_in_scan(x, w):
    def step(c, r):
        return lax.cond(r.sum() > 0, lambda: (c + r, c[0]), lambda: (c - r @ w, c[-1])), None
    return lax.scan(lambda c, r: (step(c, r)[0]), x[0], x)


def _associative(function, reverse):
    return lambda x, w: lax.associative_scan(function, x, reverse=reverse, axis=0)


def _linear_recurrence(x, w):
    def fold(a, b):
        return a[0] * b[0], a[1] * b[0] + b[1]
    return lax.associative_scan(fold, (x, x + 1))


# ---- Transformations ------------------------------------------------------------------------------


def _loss(w, x):
    return jnp.sum(jnp.tanh(x @ w) ** 2)


def _jvp(x, w):
    return jax.jvp(lambda a: jnp.sin(a @ w), (x,), (x * 2,))


def _vjp(x, w):
    out, pull = jax.vjp(lambda a, b: jnp.exp(a @ b), x, w)
    return out, pull(out)


def _jacobians(x, w):
    f = lambda v: jnp.tanh(w @ v)  # noqa: E731
    return jax.jacfwd(f)(w[0]), jax.jacrev(f)(w[0])


def _hessian(x, w):
    return jax.hessian(lambda v: jnp.sum(jnp.sin(w @ v) * v))(w[0])


@jax.custom_jvp
def _own_log1pexp(x):
    return jnp.log1p(jnp.exp(x))


@_own_log1pexp.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    return _own_log1pexp(x), (1 - 1 / (1 + jnp.exp(x))) * t


@jax.custom_vjp
def _clipped(x):
    return jnp.sin(x)


_clipped.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (jnp.clip(g * jnp.cos(x), -0.5, 0.5),))


def _vmapped(name, function, tolerance=8.0, dtypes=F32, gradient=True):
    return Row(f"vmap/{name}", _xw(function), dtypes, tolerance, gradient)


def _rows_of(x, count):
    """`count` integers in 0, 1, 2... made of x, without a gradient."""
    return lax.stop_gradient(jnp.abs(x[:, 0] * 7).astype(jnp.int32) % count)


_PROGRAMS = [
    Row("lax.scan", _xw(_scan), FLOATS, 16, True),
    Row("lax.scan/reverse", _xw(_scan_reverse, -0.5, 0.5), F32, 16, True),
    Row("lax.scan/unroll", _xw(_scan_unrolled), F32, 16, True),
    Row("lax.scan/nested", _xw(_scan_nested), F32, 32, True),
    Row("lax.scan/checkpoint", _xw(_scan_checkpoint), F32, 64, True),
    Row("lax.scan/integers", _xw(lambda x, w: lax.scan(
        lambda c, r: (c + r, c * 2), x[0], x), -9, 9), INTEGERS),
    Row("lax.while_loop", _counted(_while), FLOATS + I32, 8),
    Row("lax.while_loop/nested", _counted(_while_nested), F32, 32),
    Row("lax.fori_loop", _counted(lambda x, n: lax.fori_loop(0, n, lambda i, v: v * 0.5 + i, x)), F32, 8),
    Row("lax.fori_loop/fixed", _counted(lambda x, n: lax.fori_loop(
        0, 5, lambda i, v: jnp.sin(v) + i, x)), F32, 16, True),
    Row("lax.fori_loop/slices", _counted(_fori_slices), F32 + I32, 16),
    Row("lax.cond", _counted(_cond), NUMBERS, 8, True),
    Row("lax.switch", _counted(_switch), NUMBERS, 8, True),
    Row("lax.cond/in scan", _xw(_cond_in_scan), F32, 32, True),
    Row("lax.associative_scan/add", _xw(_associative(jnp.add, False)), FLOATS + I32, 16, True),
    Row("lax.associative_scan/max", _xw(_associative(jnp.maximum, True)), FLOATS + I32, 8),
    Row("lax.associative_scan/pair", _xw(_linear_recurrence), F32, 32, True),
    Row("jvp", _xw(_jvp), FLOATS, 16), Row("vjp", _xw(_vjp), F32, 64),
    Row("jacobian", _xw(_jacobians), F32, 32), Row("hessian", _xw(_hessian), F32, 64),
    Row("grad of grad", _xw(lambda x, w: jax.grad(lambda v: jnp.sum(
        jax.grad(_loss)(v, x) ** 2))(w)), F32, 256),
    Row("linearize", _xw(lambda x, w: jax.linearize(lambda v: jnp.cos(v @ w), x)[1](x)), F32, 32),
    Row("linear_transpose", _xw(lambda x, w: jax.linear_transpose(lambda v: v @ w, x)(x)), F32, 16),
    Row("custom_jvp", _xw(lambda x, w: _own_log1pexp(x @ w)), F32, 32, True),
    Row("custom_vjp", _xw(lambda x, w: _clipped(x @ w)), F32, 32, True),
    Row("checkpoint", _xw(lambda x, w: jax.checkpoint(lambda a: jnp.sin(jnp.sin(a @ w)))(x)), F32, 32,
        True),
    Row("value_and_grad", _xw(lambda x, w: jax.value_and_grad(_loss)(w, x)), F32, 64),
]

_VMAP = [
    _vmapped("dot", lambda x, w: jax.vmap(lambda r: r @ w)(x)),
    _vmapped("two", lambda x, w: jax.vmap(lambda a: jax.vmap(lambda b: a * b + a @ b)(w))(x)),
    _vmapped("sort", lambda x, w: jax.vmap(jnp.sort)(x), gradient=False),
    _vmapped("argsort", lambda x, w: jax.vmap(jnp.argsort, 1, 1)(x), gradient=False),
    _vmapped("take", lambda x, w: jax.vmap(lambda r, i: r[i])(x, _rows_of(x, x.shape[1]))),
    _vmapped("set", lambda x, w: jax.vmap(lambda r, i: r.at[i].set(2))(x, _rows_of(x, x.shape[1]))),
    _vmapped("add", lambda x, w: jax.vmap(lambda r, i: r.at[i].add(r[0]))(x, _rows_of(x, x.shape[1]))),
    _vmapped("dynamic_slice", lambda x, w: jax.vmap(
        lambda r, i: lax.dynamic_slice(r, (i,), (1,)))(x, _rows_of(x, x.shape[1]))),
    _vmapped("dynamic_update_slice", lambda x, w: jax.vmap(
        lambda r, i: lax.dynamic_update_slice(r, r[:1] * 3, (i,)))(x, _rows_of(x, x.shape[1]))),
    _vmapped("cond", lambda x, w: jax.vmap(
        lambda r, i: lax.cond(i > 1, lambda v: v * 2, jnp.sin, r))(x, _rows_of(x, 4))),
    _vmapped("switch", lambda x, w: jax.vmap(lambda r, i: lax.switch(
        i, [lambda v: v, lambda v: v * v, jnp.cos], r))(x, _rows_of(x, 3))),
    _vmapped("while_loop", lambda x, w: jax.vmap(lambda r, i: lax.while_loop(
        lambda s: s[0] < i, lambda s: (s[0] + 1, s[1] * 2), (0, r)))(x, _rows_of(x, 5)),
             gradient=False),
    _vmapped("scan", lambda x, w: jax.vmap(lambda r: lax.scan(
        lambda c, v: (c + v * r, c.sum()), r, r))(x)),
    _vmapped("cumsum", lambda x, w: jax.vmap(jnp.cumsum)(x)),
    _vmapped("top_k", lambda x, w: jax.vmap(lambda r: lax.top_k(r, 1))(x), gradient=False),
    _vmapped("argmax", lambda x, w: jax.vmap(jnp.argmax, 1)(x), gradient=False),
    _vmapped("conv", lambda x, w: jax.vmap(lambda r: jnp.convolve(r, w[0], "same"))(x), 16),
    _vmapped("reduce_window", lambda x, w: jax.vmap(lambda r: lax.reduce_window(
        r, -np.inf, lax.max, (2,), (1,), "SAME"))(x), gradient=False),
    _vmapped("hessian", lambda x, w: jax.vmap(jax.hessian(lambda r: jnp.sin(r).prod()))(x), 64,
             gradient=False),
    _vmapped("grad", lambda x, w: jax.vmap(jax.grad(_loss), (None, 0))(w, x[:, None]), 32,
             gradient=False),
    _vmapped("searchsorted", lambda x, w: jax.vmap(
        lambda r: jnp.searchsorted(jnp.sort(r), r))(x), gradient=False),
    _vmapped("segment_sum", lambda x, w: jax.vmap(lambda r: jax.ops.segment_sum(
        r, _rows_of(x, 3)[:1].repeat(r.shape[0]), 3))(x)),
    _vmapped("random", lambda x, w: jax.vmap(lambda k: jax.random.normal(k, (3,)))(
        jax.random.split(jax.random.key(1), x.shape[0])), 16, gradient=False),
]

# ---- Random numbers -------------------------------------------------------------------------------


# Loops that draw until a number is accepted.
_REJECTIONS = ("gamma", "beta", "chisquare", "t", "dirichlet", "f", "ball", "binomial", "multinomial",
               "poisson", "double_sided_maxwell")


def _random(name, tolerance=16.0, dtypes=F32, key="threefry2x32", **options):
    """jax.random.NAME of a drawn seed: both devices make the same numbers."""
    def make(d):
        shape = d.choice((), (7,), (3, 11), (130,))
        kind = jnp.dtype(d.dtype)
        typed = {} if "no dtype" in options.get("notes", "") else {"dtype": kind}
        more = {k: v for k, v in options.items() if k != "notes"}

        def run(seed):
            return getattr(jax.random, name)(jax.random.key(seed, impl=key), shape=shape, **typed,
                                             **more)
        return run, [d.ints(0, 1 << 30)]
    return Row(f"random.{name}/{key}" if key != "threefry2x32" else f"random.{name}", make, dtypes,
               tolerance, heavy=name in _REJECTIONS)


def _keyed(name, function, tolerance=16.0, dtypes=I32):
    def make(d):
        def run(seed, x):
            return function(jax.random.key(seed), x)
        return run, [d.ints(0, 1 << 30), d.array((d.size(2, 30), 3), 0.1, 2)]
    return Row(f"random.{name}", make, dtypes, tolerance, heavy=name in _REJECTIONS)


_RANDOM = [
    _random("uniform", dtypes=FLOATS), _random("normal", dtypes=FLOATS), _random("bits", dtypes=("uint32", "uint8", "uint16")),
    _random("randint", dtypes=INTEGERS, minval=1, maxval=77),
    _random("bernoulli", notes="no dtype"), _random("exponential"), _random("laplace", 32),
    _random("gumbel", 64), _random("logistic", 64), _random("cauchy", 256), _random("rayleigh", 32, scale=1.0) ,
    _random("truncated_normal", 64, lower=-1.0, upper=2.0), _random("gamma", 256, a=1.7),
    _random("beta", 256, a=1.5, b=0.8), _random("chisquare", 256, df=3.0), _random("t", 512, df=4.0),
    _random("poisson", dtypes=I32, lam=3.5),
    _random("geometric", dtypes=I32, p=0.3), _random("pareto", 256, b=2.5), _random("weibull_min", 64, scale=1.0, concentration=2.0),
    _random("maxwell", 32), _random("double_sided_maxwell", 64, loc=0.5, scale=1.0),
    _random("dirichlet", 512, alpha=np.array([1.0, 2.0, 0.5], np.float32)),
    _random("rademacher", dtypes=I32), _random("triangular", 64, left=0.0, mode=0.5, right=2.0),
    _random("lognormal", 64), _random("wald", 256, mean=1.0), _random("binomial", 64, n=10.0, p=0.3), _random("f", 1024, dfnum=3.0, dfden=5.0),
    _random("uniform", key="rbg"), _random("normal", key="rbg"), _random("uniform", key="unsafe_rbg"),
    _keyed("permutation", lambda k, x: jax.random.permutation(k, x.shape[0])),
    _keyed("permutation/rows", lambda k, x: jax.random.permutation(k, x, axis=0), dtypes=F32),
    _keyed("choice", lambda k, x: jax.random.choice(k, x.shape[0], (5,))),
    _keyed("choice/distinct", lambda k, x: jax.random.choice(k, x.shape[0], (2,), replace=False)),
    _keyed("choice/weighted", lambda k, x: jax.random.choice(
        k, x.shape[0], (5,), p=x[:, 0] / x[:, 0].sum()), dtypes=F32),
    _keyed("categorical", lambda k, x: jax.random.categorical(k, jnp.log(x), axis=-1), dtypes=F32),
    _keyed("split", lambda k, x: jax.random.key_data(jax.random.split(k, 5))),
    _keyed("fold_in", lambda k, x: jax.random.key_data(jax.random.fold_in(k, 17))),
    _keyed("ball", lambda k, x: jax.random.ball(k, 3, shape=(4,)), 256, F32),
    _keyed("multinomial", lambda k, x: jax.random.multinomial(
        k, 12.0, jnp.array([0.2, 0.3, 0.5])), dtypes=F32),
]

ROWS = _PROGRAMS + _VMAP + _RANDOM
