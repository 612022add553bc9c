"""Rows of lax beyond single elements: shapes, slices, reductions, products, windows, order."""

import jax
import jax.numpy as jnp
import numpy as np
from draw import ALL, F32, FLOATS, I32, INTEGERS, NUMBERS
from jax import lax
from rows import Row


def _reduce_shape(d):
    shape = d.shape(1, 4)
    axes = tuple(sorted({d.axis(len(shape)) for _ in range(d.size(1, len(shape)))}))
    return shape, axes


def _reduction(function, low=-4, high=4):
    def make(d):
        shape, axes = _reduce_shape(d)
        return lambda x: function(x, axes), [d.array(shape, low, high)]
    return make


def _cumulative(function, low=-2, high=2):
    def make(d):
        shape = d.shape(1, 3)
        axis, reverse = d.axis(len(shape)), d.flag()
        return lambda x: function(x, axis=axis, reverse=reverse), [d.array(shape, low, high)]
    return make


def _lax_reduce(fold, start, low=-4, high=4):
    def make(d):
        shape, axes = _reduce_shape(d)
        return (lambda x: lax.reduce(x, x.dtype.type(start), fold, axes)), [d.array(shape, low, high)]
    return make


def _reduce_pair(d):
    """The largest value and its place, as one reduction of two operands."""
    shape = d.shape(2, 2)

    def fold(a, b):
        first = (a[0] > b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))
        return jnp.where(first, a[0], b[0]), jnp.where(first, a[1], b[1])

    def run(x):
        places = lax.broadcasted_iota(jnp.int32, x.shape, 1)
        return lax.reduce((x, places), (x.dtype.type(-99), np.int32(99)), fold, (1,))
    return run, [d.array(shape)]


def _window(fold, start):
    def make(d):
        rank = d.size(1, 3)
        shape = tuple(d.size(4, 9) for _ in range(rank))
        window = tuple(d.size(1, 3) for _ in range(rank))
        strides = tuple(d.size(1, 2) for _ in range(rank))
        pads = [(d.size(0, 2), d.size(0, 2)) for _ in range(rank)]
        base = tuple(d.choice(1, 1, 2) for _ in range(rank))
        dilation = tuple(d.choice(1, 1, 2) for _ in range(rank))
        return (lambda x: lax.reduce_window(x, x.dtype.type(start), fold, window, strides, pads,
                                            base, dilation)), [d.array(shape)]
    return make


def _pool(fold, start):
    """Windows as networks use them; these have gradients."""
    def make(d):
        shape = (d.size(1, 3), d.size(4, 9), d.size(4, 9), d.size(1, 5))
        size, step, pads = d.size(1, 3), d.size(1, 2), d.choice("SAME", "VALID")
        return (lambda x: lax.reduce_window(x, x.dtype.type(start), fold, (1, size, size, 1),
                                            (1, step, step, 1), pads)), [d.distinct(shape)]
    return make


def _pad(d):
    shape = d.shape(1, 3, empty=True)
    config = [(d.size(-1 if n > 2 else 0, 3), d.size(-1 if n > 2 else 0, 3), d.size(0, 2))
              for n in shape]
    return lambda x, v: lax.pad(x, v, config), [d.array(shape), d.array(())]


def _slice(d):
    shape = d.shape(1, 4)
    start = [d.size(0, n - 1) for n in shape]
    limit = [d.size(s, n) for s, n in zip(start, shape)]
    strides = [d.size(1, 3) for _ in shape]
    return lambda x: lax.slice(x, start, limit, strides), [d.array(shape)]


def _dynamic_slice(d):
    shape = d.shape(1, 3)
    sizes = [d.size(0 if d.flag() else 1, n) for n in shape]
    starts = [d.ints(-3, n + 3) for n in shape]  # some lie outside and are moved in
    return lambda x, *s: lax.dynamic_slice(x, s, sizes), [d.array(shape), *starts]


def _dynamic_update_slice(d):
    shape = d.shape(1, 3)
    sizes = tuple(d.size(1, n) for n in shape)
    starts = [d.ints(-3, n + 3) for n in shape]
    return (lambda x, u, *s: lax.dynamic_update_slice(x, u, s),
            [d.array(shape), d.array(sizes), *starts])


def _concatenate(d):
    shape = list(d.shape(1, 3))
    axis = d.axis(len(shape))
    parts = []
    for _ in range(d.size(1, 4)):
        shape[axis] = d.size(0, 5)
        parts.append(d.array(tuple(shape)))
    return lambda *x: lax.concatenate(x, axis), parts


def _transpose(d):
    shape = d.shape(0, 5)
    order = tuple(int(i) for i in d.random.permutation(len(shape)))
    return lambda x: lax.transpose(x, order), [d.array(shape)]


def _broadcast_in_dim(d):
    full = d.shape(1, 4)
    kept = sorted(set(d.axis(len(full)) for _ in full))
    part = tuple(1 if d.flag() else full[i] for i in kept)
    return lambda x: lax.broadcast_in_dim(x, full, kept), [d.array(part)]


def _reshape(d):
    a, b, c = d.size(), d.size(), d.size()
    to = d.choice((a * b, c), (a, b, c), (a * b * c,), (c, a, b, 1))
    return lambda x: lax.reshape(x, to), [d.array((a, b * c))]


def _rev(d):
    shape, axes = _reduce_shape(d)
    return lambda x: lax.rev(x, axes), [d.array(shape)]


def _dot_general(d):
    """Random batch, contracting and free axes in random places."""
    batch = [d.size(1, 3) for _ in range(d.size(0, 2))]
    inner = [d.size(1, 9) for _ in range(d.size(0, 2))]

    def side():
        free = [d.size(1, 9) for _ in range(d.size(0, 2))]
        roles = [("b", i) for i in range(len(batch))] + [("k", i) for i in range(len(inner))] + [
            ("f", i) for i in range(len(free))]
        order = [roles[int(i)] for i in d.random.permutation(len(roles))]
        sizes = {"b": batch, "k": inner, "f": free}
        return (tuple(sizes[r][i] for r, i in order),
                tuple(order.index(("b", i)) for i in range(len(batch))),
                tuple(order.index(("k", i)) for i in range(len(inner))))

    (x, xb, xk), (y, yb, yk) = side(), side()
    return (lambda a, b: lax.dot_general(a, b, ((xk, yk), (xb, yb)))), [d.array(x), d.array(y)]


def _dot_large(d):
    m, k, n = d.size(1, 200), d.size(1, 300), d.size(1, 200)
    return lax.dot, [d.array((m, k), -1, 1), d.array((k, n), -1, 1)]


def _preferred(d):
    m, k, n = d.size(1, 40), d.size(1, 40), d.size(1, 40)
    return (lambda a, b: lax.dot(a, b, preferred_element_type=jnp.float32),
            [d.array((m, k)), d.array((k, n))])


def _convolution(d):
    rank = d.size(1, 3)
    groups = d.choice(1, 1, 2)
    batch = d.size(1, 2)
    inputs, outputs = groups * d.size(1, 3), groups * d.size(1, 3)
    space = tuple(d.size(4, 8) for _ in range(rank))
    window = tuple(d.size(1, 3) for _ in range(rank))
    strides = tuple(d.size(1, 2) for _ in range(rank))
    pads = [(d.size(-1, 2), d.size(0, 2)) for _ in range(rank)]
    left = tuple(d.choice(1, 1, 2) for _ in range(rank))
    right = tuple(d.choice(1, 1, 2) for _ in range(rank))
    letters = "HWD"[:rank]
    forms = d.choice(("NC" + letters, "OI" + letters, "NC" + letters),
                     ("N" + letters + "C", letters + "IO", "N" + letters + "C"))
    sizes = {"N": batch, "C": inputs, "O": outputs, "I": inputs // groups}
    x = tuple(sizes[c] if c in sizes else space[letters.index(c)] for c in forms[0])
    w = tuple(sizes[c] if c in sizes else window[letters.index(c)] for c in forms[1])
    return (lambda a, b: lax.conv_general_dilated(a, b, strides, pads, left, right, forms,
                                                  feature_group_count=groups),
            [d.array(x, -1, 1), d.array(w, -1, 1)])


def _conv_batch_groups(d):
    groups = d.size(1, 3)
    x = (groups * d.size(1, 2), d.size(1, 3), d.size(4, 8))
    w = (groups * d.size(1, 2), x[1], d.size(1, 3))
    return (lambda a, b: lax.conv_general_dilated(a, b, (1,), "SAME", batch_group_count=groups),
            [d.array(x, -1, 1), d.array(w, -1, 1)])


def _conv_transpose(d):
    x = (d.size(1, 2), d.size(3, 6), d.size(3, 6), d.size(1, 3))
    w = (d.size(1, 3), d.size(1, 3), x[3], d.size(1, 3))
    strides, pads = (d.size(1, 2), d.size(1, 2)), d.choice("SAME", "VALID")
    return (lambda a, b: lax.conv_transpose(a, b, strides, pads),
            [d.array(x, -1, 1), d.array(w, -1, 1)])


def _sort(stable_only=True):
    def make(d):
        shape = d.shape(1, 3, empty=True)
        axis = d.axis(len(shape))
        return lambda x: lax.sort(x, dimension=axis, is_stable=stable_only), [d.any_bits(shape)]
    return make


def _sort_several(d):
    shape = d.shape(1, 2)
    axis, keys = d.axis(len(shape)), d.size(1, 2)
    return (lambda a, b, c: lax.sort((a, b, c), dimension=axis, num_keys=keys),
            [d.array(shape, -2, 2), d.array(shape, -2, 2, "int32"), d.array(shape, -9, 9, "float32")])


def _sort_gradient(d):
    shape = d.shape(1, 2)
    return lambda x: lax.sort(x, dimension=len(shape) - 1), [d.distinct(shape)]


def _top_k(d):
    shape = d.shape(1, 3)
    k = d.size(1, shape[-1])
    return lambda x: lax.top_k(x, k), [d.array(shape, -3, 3)]  # with ties


def _arg(function):
    def make(d):
        shape = d.shape(1, 3)
        axis = d.axis(len(shape))
        x = d.array(shape, -3, 3) if d.flag() else d.any_bits(shape)
        return lambda x: function(x, axis, jnp.int32), [x]
    return make


def _convert(d):
    to = d.choice(*ALL)
    x = d.array(d.shape(), 0, 99) if d.flag() else d.array(d.shape(), -9, 9)
    if to.startswith("u") and d.dtype in FLOATS:
        x = abs(x)  # what a negative float becomes as an unsigned number is not defined
    return lambda x: lax.convert_element_type(x, to), [x]


def _bitcast(d):
    to = {"float32": "int32", "bfloat16": "uint16", "float16": "int16", "int32": "float32",
          "uint32": "uint8", "int8": "uint8", "uint8": "int8", "int16": "bfloat16",
          "uint16": "float16"}.get(d.dtype, d.dtype)
    return lambda x: lax.bitcast_convert_type(x, to), [d.array(d.shape(), 1, 99)]


def _gather(d):
    shape = d.shape(2, 3)
    count = d.size(1, 6)
    sizes = tuple(d.size(1, n) for n in shape)
    mode = d.choice("clip", "fill", None)
    named = d.size(1, len(shape))
    low, high = (-2, 3) if mode else (0, 0)
    places = np.stack([d.ints(low, n - s + 1 + high, (count,))
                       for n, s in zip(shape[:named], sizes)], -1)
    dims = lax.GatherDimensionNumbers(tuple(range(1, len(shape) + 1)), (), tuple(range(named)))
    return (lambda x, i: lax.gather(x, i, dims, sizes, mode=mode, fill_value=7),
            [d.array(shape), places])


def _scatter(function):
    def make(d):
        shape = d.shape(2, 3)
        count = d.size(1, 6)
        sizes = tuple(d.size(1, n) for n in shape)
        mode = d.choice("clip", "drop")
        named = d.size(1, len(shape))
        places = np.stack([d.ints(-2, n - s + 3, (count,)) for n, s in zip(shape[:named], sizes)],
                          -1)
        dims = lax.ScatterDimensionNumbers(tuple(range(1, len(shape) + 1)), (),
                                           tuple(range(named)))
        return (lambda x, i, u: function(x, i, u, dims, mode=mode),
                [d.array(shape, 1, 3), places, d.array((count, *sizes), 1, 3)])
    return make


def _clamp(d):
    shape = d.shape()
    bound = () if d.flag() else shape
    return lax.clamp, [d.array(bound, -3, 0), d.array(shape, -6, 6), d.array(bound, 0, 3)]


def _select(d):
    shape = d.shape(empty=True)
    return lax.select, [d.array(shape, dtype="bool"), d.array(shape), d.array(shape)]


def _select_n(d):
    shape = d.shape()
    return lax.select_n, [d.ints(0, 3, shape), *[d.array(shape) for _ in range(3)]]


def _iota(d):
    shape = d.shape(1, 3)
    axis, dtype = d.axis(len(shape)), d.dtype
    return lambda x: x + lax.broadcasted_iota(dtype, shape, axis), [d.array(shape)]


def _reduce_precision(d):
    bits = d.choice((8, 7), (5, 10), (8, 3), (5, 2))
    return lambda x: lax.reduce_precision(x, *bits), [d.array(d.shape())]


def _map_rows(d):
    return lambda x: lax.map(lambda row: row * 2 + row.sum(), x), [d.array(d.shape(2, 2))]


def _logsumexp(d):
    shape, axes = _reduce_shape(d)
    return lambda x: jax.nn.logsumexp(x, axes), [d.array(shape)]


ROWS = [
    Row("lax.reduce_sum", _reduction(lambda x, a: lax.reduce_sum(x, a)), NUMBERS, 8, True),
    Row("lax.reduce_max", _reduction(lambda x, a: lax.reduce_max(x, a)), NUMBERS),
    Row("lax.reduce_min", _reduction(lambda x, a: lax.reduce_min(x, a)), NUMBERS),
    Row("lax.reduce_prod", _reduction(lambda x, a: lax.reduce_prod(x, a), 1, 2), NUMBERS, 64),
    Row("lax.reduce_and", _reduction(lambda x, a: lax.reduce_and(x, a)), ("bool", *INTEGERS)),
    Row("lax.reduce_or", _reduction(lambda x, a: lax.reduce_or(x, a)), ("bool", *INTEGERS)),
    Row("lax.reduce_xor", _reduction(lambda x, a: lax.reduce_xor(x, a)), ("bool", *INTEGERS)),
    Row("lax.reduce/add", _lax_reduce(lax.add, 0), NUMBERS, 8),
    Row("lax.reduce/max", _lax_reduce(lax.max, 0, 0, 9), NUMBERS),
    Row("lax.reduce/custom", _lax_reduce(lambda a, b: a + b + a * b, 0, 0, 1), I32),
    Row("lax.reduce/pair", _reduce_pair, F32 + I32),
    Row("lax.cumsum", _cumulative(lax.cumsum), NUMBERS, 8, True),
    Row("lax.cumprod", _cumulative(lax.cumprod, 1, 1.1), NUMBERS, 16, True),
    Row("lax.cummax", _cumulative(lax.cummax), NUMBERS),
    Row("lax.cummin", _cumulative(lax.cummin), NUMBERS),
    Row("lax.cumlogsumexp", _cumulative(lax.cumlogsumexp), FLOATS, 16, True),
    Row("lax.reduce_window/add", _window(lax.add, 0), NUMBERS, 4),
    Row("lax.reduce_window/max", _window(lax.max, -100), FLOATS + I32),
    Row("lax.reduce_window/mul", _window(lax.mul, 1), F32 + I32, 16),
    Row("lax.reduce_window/sum pool", _pool(lax.add, 0), F32, 8, True),
    Row("lax.reduce_window/max pool", _pool(lax.max, -np.inf), F32, 4, True),
    Row("lax.reduce_window/min pool", _pool(lax.min, np.inf), F32, 4, True),
    Row("lax.pad", _pad, ALL, 16, True), Row("lax.slice", _slice, ALL, 1, True),
    Row("lax.dynamic_slice", _dynamic_slice, ALL, 1, True),
    Row("lax.dynamic_update_slice", _dynamic_update_slice, ALL, 1, True),
    Row("lax.concatenate", _concatenate, ALL, 1, True),
    Row("lax.transpose", _transpose, ALL, 1, True),
    Row("lax.broadcast_in_dim", _broadcast_in_dim, ALL, 4, True),
    Row("lax.reshape", _reshape, ALL, 1, True), Row("lax.rev", _rev, ALL, 1, True),
    Row("lax.dot_general", _dot_general, FLOATS + INTEGERS, 8, True),
    Row("lax.dot/large", _dot_large, FLOATS, 32, True),
    Row("lax.dot/wider", _preferred, ("bfloat16", "float16"), 16, True),
    Row("lax.conv_general_dilated", _convolution, FLOATS, 16, True),
    Row("lax.conv_general_dilated/integers", _convolution, I32),
    Row("lax.conv_general_dilated/batch groups", _conv_batch_groups, F32, 16, True),
    Row("lax.conv_transpose", _conv_transpose, F32, 16, True),
    Row("lax.sort", _sort(), ALL), Row("lax.sort/unstable", _sort(False), NUMBERS),
    Row("lax.sort/several", _sort_several, NUMBERS),
    Row("lax.sort/gradient", _sort_gradient, F32, 1, True),
    Row("lax.top_k", _top_k, FLOATS + I32), Row("lax.argmax", _arg(lax.argmax), NUMBERS),
    Row("lax.argmin", _arg(lax.argmin), NUMBERS), Row("lax.convert_element_type", _convert, ALL),
    Row("lax.bitcast_convert_type", _bitcast, NUMBERS),
    Row("lax.gather", _gather, NUMBERS, 1, True),
    Row("lax.scatter", _scatter(lax.scatter), NUMBERS),
    Row("lax.scatter_add", _scatter(lax.scatter_add), NUMBERS, 8, True),
    Row("lax.scatter_mul", _scatter(lax.scatter_mul), F32 + I32, 32),
    Row("lax.scatter_min", _scatter(lax.scatter_min), NUMBERS),
    Row("lax.scatter_max", _scatter(lax.scatter_max), NUMBERS),
    Row("lax.scatter_sub", _scatter(lax.scatter_sub), F32 + I32, 8),
    Row("lax.clamp", _clamp, NUMBERS, 1, True), Row("lax.select", _select, ALL, 1, True),
    Row("lax.select_n", _select_n, ALL, 1, True), Row("lax.iota", _iota, NUMBERS),
    Row("lax.reduce_precision", _reduce_precision, FLOATS),
    Row("lax.map", _map_rows, FLOATS + I32, 8, True),
    Row("nn.logsumexp", _logsumexp, FLOATS, 16, True),
]
