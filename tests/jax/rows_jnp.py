"""Rows of jax.numpy and jax.nn beyond single elements."""

import jax
import jax.numpy as jnp
import numpy as np
from draw import ALL, F32, FLOATS, I32, INTEGERS, NUMBERS
from rows import Row, named


def _over_axis(name, low=-4, high=4, dtypes=NUMBERS, tolerance=8.0, gradient=False, **options):
    """A function of an array and axis=: one axis, none or all of them."""
    def make(d):
        shape = d.shape(1, 3)
        axis = d.choice(None, d.axis(len(shape)), -1)
        more = dict(options)
        if d.flag() and "keepdims" in options:
            more["keepdims"] = True
        else:
            more.pop("keepdims", None)
        return lambda x: named(name)(x, axis=axis, **more), [d.array(shape, low, high)]
    return Row(name, make, dtypes, tolerance, gradient)


def _plain(name, shapes, dtypes=F32, tolerance=8.0, gradient=True, low=-3, high=3, **options):
    """A function of arrays of these shapes; letters are sizes that are drawn."""
    def make(d):
        sizes = {}
        arrays = []
        for shape in shapes:
            for c in shape:
                if c not in sizes:
                    sizes[c] = int(c) if c.isdigit() else d.size(1, 12)
            arrays.append(d.array(tuple(sizes[c] for c in shape), low, high))
        return lambda *x: named(name)(*x, **options), arrays
    return Row(f"{name}/{' '.join(shapes)}", make, dtypes, tolerance, gradient)


def _einsum(form):
    def make(d):
        left = form.split("->")[0].split(",")
        sizes = {c: d.size(1, 7) for c in form if c.isalpha()}
        return (lambda *x: jnp.einsum(form, *x)), [d.array(tuple(sizes[c] for c in part))
                                                   for part in left]
    return Row(f"jnp.einsum/{form}", make, FLOATS + I32, 16, True)


def _row(name, make, dtypes=F32, tolerance=8.0, gradient=False):
    return Row(name, make, dtypes, tolerance, gradient)


def _one(function, shape="", low=-4, high=4):
    """function(x) of an array: of any shape of 1 to 3 axes, or of these sizes."""
    def make(d):
        sizes = tuple(int(c) if c.isdigit() else d.size(1, 9) for c in shape) or d.shape(1, 3)
        return function, [d.array(sizes, low, high)]
    return make


def _indexed(function):
    """function(x, rows, v) with x [n, m], rows in [-n, n), v a row for each."""
    def make(d):
        n, m, k = d.size(1, 12), d.size(1, 7), d.size(1, 9)
        return function, [d.array((n, m)), d.ints(-n, n, (k,)), d.array((k, m))]
    return make


def _outside(function):
    """As _indexed, but some rows do not exist."""
    def make(d):
        n, m, k = d.size(1, 12), d.size(1, 7), d.size(1, 9)
        return function, [d.array((n, m)), d.ints(-2 * n, 2 * n, (k,)), d.array((k, m))]
    return make


def _segments(name):
    def make(d):
        n, m, k = d.size(1, 20), d.size(1, 4), d.size(1, 6)
        return lambda x, s: named(name)(x, s, num_segments=k), [d.array((n, m)), d.ints(0, k, (n,))]
    return Row(name, make, F32 + I32, 16, name == "ops.segment_sum")


def _searched(side):
    def make(d):
        ordered = np.sort(d.array((d.size(1, 40),), -9, 9))
        method = d.choice("scan", "sort", "compare_all")
        return (lambda a, v: jnp.searchsorted(a, v, side=side, method=method),
                [ordered, d.array(d.shape(0, 2), -10, 10)])
    return make


def _attention(d):
    b, t, h, c = d.size(1, 2), d.size(1, 9), d.size(1, 3), d.size(1, 8)
    causal = d.flag()
    return (lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=causal),
            [d.array((b, t, h, c), -1, 1) for _ in range(3)])


def _take(mode):
    def make(d):
        shape = d.shape(1, 3)
        axis = d.axis(len(shape))
        n = shape[axis]
        return (lambda x, i: jnp.take(x, i, axis=axis, mode=mode),
                [d.array(shape), d.ints(-n, n, d.shape(0, 2)) if mode != "clip" else
                 d.ints(-2, n + 3, d.shape(0, 2))])
    return make


def _take_along(d):
    shape = d.shape(1, 3)
    axis = d.axis(len(shape))
    return (lambda x, i: jnp.take_along_axis(x, i, axis=axis),
            [d.array(shape), d.ints(0, shape[axis], shape)])


def _median(d):
    shape = d.shape(1, 2)
    return lambda x: (jnp.median(x, axis=-1), jnp.quantile(x, 0.3, axis=-1),
                      jnp.percentile(x, 75.0, axis=-1)), [d.distinct(shape)]


_REDUCTIONS = [
    _over_axis("jnp.sum", gradient=True, keepdims=True, dtypes=ALL),
    _over_axis("jnp.prod", 1, 1.3, tolerance=64),
    _over_axis("jnp.mean", gradient=True, keepdims=True), _over_axis("jnp.max", keepdims=True),
    _over_axis("jnp.min", keepdims=True), _over_axis("jnp.any", -1, 1, ALL),
    _over_axis("jnp.all", -1, 1, ALL), _over_axis("jnp.std", tolerance=16, dtypes=FLOATS),
    _over_axis("jnp.var", tolerance=16, dtypes=FLOATS, gradient=True),
    _over_axis("jnp.ptp", dtypes=NUMBERS), _over_axis("jnp.argmax", -2, 2),
    _over_axis("jnp.argmin", -2, 2), _over_axis("jnp.nansum"), _over_axis("jnp.nanmax"),
    _over_axis("jnp.nanmean"), _over_axis("jnp.nanargmax", -2, 2, FLOATS),
    _over_axis("jnp.count_nonzero", -1, 1, ALL), _over_axis("jnp.cumsum", dtypes=ALL),
    _over_axis("jnp.cumprod", 1, 1.2, NUMBERS, 64), _over_axis("jnp.nancumsum"),
    _over_axis("jnp.average", dtypes=FLOATS), _over_axis("jnp.sort", dtypes=ALL),
    _over_axis("jnp.argsort", -2, 2, ALL), _over_axis("jnp.flip", dtypes=ALL, gradient=True),
    _over_axis("nn.softmax", dtypes=FLOATS, gradient=True),
    _over_axis("nn.log_softmax", dtypes=FLOATS, gradient=True),
    _over_axis("nn.standardize", dtypes=F32, tolerance=64),
    _row("jnp.linalg.norm", _one(lambda x: jnp.linalg.norm(x, axis=-1)), F32, 8, True),
]

_PRODUCTS = [
    _plain("jnp.dot", ["ab", "bc"], FLOATS + INTEGERS), _plain("jnp.dot", ["a", "a"], FLOATS),
    _plain("jnp.matmul", ["xab", "xbc"], FLOATS), _plain("jnp.matmul", ["ab", "xbc"], FLOATS),
    _plain("jnp.matmul", ["a", "xab"]), _plain("jnp.vdot", ["ab", "ab"]),
    _plain("jnp.inner", ["ab", "cb"]), _plain("jnp.outer", ["a", "b"]),
    _plain("jnp.tensordot", ["abc", "bcd"]), _plain("jnp.kron", ["ab", "cd"], tolerance=16),
    _plain("jnp.cross", ["a3", "a3"]), _plain("jnp.trace", ["aa"]),
    _plain("jnp.convolve", ["a", "b"], tolerance=16), _plain("jnp.correlate", ["a", "b"], tolerance=16),
    _plain("jnp.polyval", ["4", "ab"], tolerance=64), _plain("jnp.cov", ["a9"], tolerance=64),
    _plain("jnp.linalg.matrix_power", ["33"], tolerance=64, n=3),
    _einsum("ij,jk->ik"), _einsum("bij,bkj->bik"), _einsum("ii->i"), _einsum("ij->ji"),
    _einsum("bhqd,bhkd->bhqk"), _einsum("bhqk,bkhd->bqhd"), _einsum("i,j->ij"),
    _einsum("ijk->"), _einsum("ij,jk,kl->il"), _einsum("ijij->ij"), _einsum("abc,cd,be->ade"),
    _plain("jnp.interp", ["a", "b", "b"], gradient=False), _plain("jnp.gradient", ["9"]),
    _plain("jnp.trapezoid", ["a"]), _plain("jnp.vander", ["a"], tolerance=64, N=4),
    _plain("jnp.corrcoef", ["39"], tolerance=128, gradient=False),
]

_SHAPES = [
    _row("jnp.tril", _one(jnp.tril, "ab"), ALL), _row("jnp.triu", _one(jnp.triu, "ab"), ALL),
    _row("jnp.diag", _one(jnp.diag, "a"), ALL), _row("jnp.diagonal", _one(jnp.diagonal, "ab"), ALL),
    _row("jnp.roll", _one(lambda x: jnp.roll(x, 3, 0), "ab"), ALL),
    _row("jnp.rot90", _one(jnp.rot90, "ab"), ALL), _row("jnp.ravel", _one(jnp.ravel), ALL),
    _row("jnp.tile", _one(lambda x: jnp.tile(x, (2, 3)), "ab"), ALL, 8, True),
    _row("jnp.repeat", _one(lambda x: jnp.repeat(x, 3, axis=0)), ALL, 8, True),
    _row("jnp.repeat/counts", _one(
        lambda x: jnp.repeat(x, jnp.arange(6) % 4, axis=0, total_repeat_length=11), "6b"), NUMBERS),
    _row("jnp.stack", _one(lambda x: jnp.stack([x, x + x, x], 1)), ALL, 8, True),
    _row("jnp.concatenate", _one(lambda x: jnp.concatenate([x, x, x], 0)), ALL, 8, True),
    _row("jnp.split", _one(lambda x: jnp.split(x, 3, 1), "a6"), ALL, 8, True),
    _row("jnp.moveaxis", _one(lambda x: jnp.moveaxis(x, 0, -1)), ALL),
    _row("jnp.swapaxes", _one(lambda x: jnp.swapaxes(x, 0, -1)), ALL),
    _row("jnp.pad/wrap", _one(lambda x: jnp.pad(x, 2, "wrap"), "36"), NUMBERS, 8, True),
    _row("jnp.pad/reflect", _one(lambda x: jnp.pad(x, 2, "reflect"), "46"), NUMBERS, 8, True),
    _row("jnp.pad/edge", _one(lambda x: jnp.pad(x, 2, "edge"), "ab"), NUMBERS, 8, True),
    _row("jnp.pad/linear_ramp", _one(lambda x: jnp.pad(x, 2, "linear_ramp"), "ab"), F32),
    _row("jnp.where", _one(lambda x: jnp.where(x > 0, x, -x)), NUMBERS, 8, True),
    _row("jnp.select", _one(lambda x: jnp.select([x > 2, x > 0], [x, x * 2], 1)), NUMBERS),
    _row("jnp.clip", _one(lambda x: jnp.clip(x, 0, 2)), NUMBERS, 8, True),
    _row("jnp.diff", _one(jnp.diff), NUMBERS, 8, True),
    _row("jnp.ediff1d", _one(jnp.ediff1d, "a"), NUMBERS),
    _row("jnp.linspace", _one(lambda x: jnp.linspace(x, x + 3, 7), "a"), F32, 8, True),
    _row("jnp.arange", _one(lambda x: jnp.arange(40).astype(x.dtype) + x[0], "a"), NUMBERS),
    _row("jnp.meshgrid", _one(lambda x: jnp.meshgrid(x, x), "a"), NUMBERS),
    _row("jnp.nonzero", _one(lambda x: jnp.nonzero(x, size=9), "ab", -1, 1), ALL),
    _row("jnp.unique", _one(lambda x: jnp.unique(x, size=9), "ab", -3, 3), NUMBERS),
    _row("jnp.bincount", _one(lambda x: jnp.bincount(x, length=12), "a", 0, 9), INTEGERS),
    _row("jnp.histogram", _one(lambda x: jnp.histogram(x, 5, (-4.0, 4.0))[0], "99"), F32),
    _row("jnp.digitize", _one(lambda x: jnp.digitize(x, jnp.arange(5.0)), "ab"), F32),
    _row("jnp.lexsort", _one(lambda x: jnp.lexsort((x[0], x[1])), "29", -2, 2), NUMBERS),
    _row("jnp.partition", _one(lambda x: jnp.partition(x, 1)[..., 1], "a4"), NUMBERS),
    _row("jnp.median", _median, F32, 8), _row("jnp.searchsorted/left", _searched("left"), F32 + I32),
    _row("jnp.searchsorted/right", _searched("right"), F32 + I32),
    _row("jnp.packbits", _one(jnp.packbits, "a9", 0, 1), ("uint8", "bool")),
    _row("jnp.unpackbits", _one(jnp.unpackbits, "ab", 0, 99), ("uint8",)),
    _row("jnp.vectorize", _one(jnp.vectorize(lambda v: v.sum(), signature="(n)->()")), F32),
    _row("jnp.apply_along_axis", _one(lambda x: jnp.apply_along_axis(jnp.cumsum, 0, x)), F32),
    _row("jnp.piecewise", _one(lambda x: jnp.piecewise(
        x, [x < 0, x > 1], [lambda v: -v, lambda v: v * v, 5])), F32),
    _row("jnp.isin", _one(lambda x: jnp.isin(x, jnp.array([1, 3], x.dtype))), NUMBERS),
    _row("nn.one_hot", _one(lambda x: jax.nn.one_hot(x, 7), "ab", 0, 9), I32),
    _row("nn.glu", _one(jax.nn.glu, "a6"), F32, 8, True),
    Row("nn.dot_product_attention", _attention, F32, 64, True, wide=False),
    _row("jnp.block", _one(lambda x: jnp.block([[x, x], [x, x]]), "ab"), NUMBERS),
    _row("jnp.array_equal", _one(lambda x: jnp.array_equal(x, x + 0)), NUMBERS),
    _row("jnp.tri", _one(lambda x: x * jnp.tri(5, 6, dtype=x.dtype), "56"), NUMBERS),
    _row("jnp.modf", _one(jnp.modf), F32), _row("jnp.divmod", _one(lambda x: jnp.divmod(x, 3)), NUMBERS),
    _row("jnp.frexp", _one(jnp.frexp), F32),
    _row("jnp.ldexp", _one(lambda x: jnp.ldexp(x, jnp.int32(3))), F32),
    _row("jnp.unwrap", _one(jnp.unwrap, "a9"), F32, 16),
    _row("jnp.sum/bool mask", _one(lambda x: jnp.sum(x, where=x > 0)), NUMBERS, 8),
    _row("jnp.resize", _one(lambda x: jax.image.resize(x, (7, 5), "linear"), "ab"), F32, 32, True),
]

_INDEXING = [
    _row("jnp.take", _take(None), ALL, 8, True), _row("jnp.take/clip", _take("clip"), ALL, 8, True),
    _row("jnp.take/wrap", _take("wrap"), ALL, 8, True),
    _row("jnp.take_along_axis", _take_along, ALL, 8, True),
    _row("jnp.index", _indexed(lambda x, i, v: x[i]), ALL, 8, True),
    _row("jnp.index/outside", _outside(lambda x, i, v: x[i]), ALL),
    _row("jnp.index/two", _indexed(lambda x, i, v: x[i, i % x.shape[1]]), ALL, 8, True),
    _row("jnp.index/slices", _one(lambda x: (x[::2], x[..., ::-1], x[-1], x[None, 1:])), ALL, 8, True),
    _row("jnp.at.set", _indexed(lambda x, i, v: x.at[i[:1]].set(v[:1])), ALL, 8, True),
    _row("jnp.at.set/outside", _outside(lambda x, i, v: x.at[i[:1]].set(v[:1])), ALL),
    _row("jnp.at.set/slice", _one(lambda x: x.at[1:3, ::2].set(5), "4b"), NUMBERS),
    _row("jnp.at.add", _indexed(lambda x, i, v: x.at[i].add(v)), NUMBERS, 8, True),
    _row("jnp.at.add/outside", _outside(lambda x, i, v: x.at[i].add(v)), NUMBERS, 8),
    _row("jnp.at.multiply", _indexed(lambda x, i, v: x.at[i].multiply(v)), F32 + I32, 32),
    _row("jnp.at.max", _indexed(lambda x, i, v: x.at[i].max(v)), NUMBERS),
    _row("jnp.at.min", _indexed(lambda x, i, v: x.at[i].min(v)), NUMBERS),
    _row("jnp.at.get/fill", _outside(lambda x, i, v: x.at[i].get(mode="fill", fill_value=3)), NUMBERS),
    _row("jnp.at.apply", _indexed(lambda x, i, v: x.at[i[:1]].apply(lambda e: e + e)), F32),
    _segments("ops.segment_sum"), _segments("ops.segment_prod"), _segments("ops.segment_max"),
    _segments("ops.segment_min"),
]

ROWS = _REDUCTIONS + _PRODUCTS + _SHAPES + _INDEXING
