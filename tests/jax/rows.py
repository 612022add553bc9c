"""What a row of the catalogue is, and the rows of one or two operands, which are a table each."""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
from draw import ALL, F32, FLOATS, INTEGERS, NUMBERS, SIGNED, UNSIGNED, Draw
from jax import lax


@dataclasses.dataclass(frozen=True)
class Row:
    """One function. `make` draws a case: a function of arrays, and the arrays."""

    name: str
    make: Callable[[Draw], tuple[Callable, list]]
    dtypes: tuple[str, ...] = FLOATS
    tolerance: float = 1.0  # times that of the type
    gradient: bool = False
    wide: bool = True  # as exact with 64 bits; False where JAX itself computes in 32
    heavy: bool = False  # left out of the short run: seconds of compilation


def named(name: str) -> Callable:
    """The function a row is called after: lax.x, jnp.x, nn.x, ops.x, special.x."""
    module, _, rest = name.partition(".")
    homes = {"lax": lax, "jnp": jnp, "nn": jax.nn, "ops": jax.ops, "special": jax.scipy.special,
             "random": jax.random}
    found = homes[module]
    for part in rest.split("/")[0].split("."):
        found = getattr(found, part)
    return found


def _unary(name, dtypes, low, high, gradient, tolerance):
    def make(d):
        return named(name), [d.array(d.shape(empty=True), low, high)]
    return Row(name, make, dtypes, tolerance, gradient)


def _odd_unary(name, dtypes):
    """The same over all values of the type: NaN, infinities, both zeros, the limits of integers."""
    def make(d):
        return named(name), [d.any_bits(d.shape())]
    return Row(f"{name}/odd", make, dtypes)


def _binary(name, dtypes, low, high, gradient, tolerance):
    def make(d):
        shape = d.shape(empty=True)
        shapes = [shape, shape] if name.startswith("lax.") else [d.part(shape), shape]
        if d.flag():
            shapes.reverse()
        return named(name), [d.array(s, low, high) for s in shapes]
    return Row(name, make, dtypes, tolerance, gradient)


def _odd_binary(name, dtypes):
    def make(d):
        shape = d.shape()
        return named(name), [d.any_bits(shape), d.any_bits(shape)]
    return Row(f"{name}/odd", make, dtypes)


# name, types, lowest, highest, gradient, tolerance
_UNARY = [
    ("lax.abs", FLOATS + SIGNED, -9, 9, True, 1), ("lax.neg", NUMBERS, -9, 9, True, 1),
    ("lax.sign", NUMBERS, -9, 9, False, 1), ("lax.floor", FLOATS, -9, 9, False, 1),
    ("lax.ceil", FLOATS, -9, 9, False, 1), ("lax.round", FLOATS, -9, 9, False, 1),
    ("lax.exp", FLOATS, -4, 4, True, 4), ("lax.exp2", FLOATS, -4, 4, True, 4),
    ("lax.expm1", FLOATS, -4, 4, True, 4), ("lax.log", FLOATS, 0.1, 9, True, 4),
    ("lax.log1p", FLOATS, -0.8, 9, True, 4), ("lax.sin", FLOATS, -9, 9, True, 4),
    ("lax.cos", FLOATS, -9, 9, True, 4), ("lax.tan", FLOATS, -1.3, 1.3, True, 8),
    ("lax.asin", FLOATS, -0.9, 0.9, True, 8), ("lax.acos", FLOATS, -0.9, 0.9, True, 8),
    ("lax.atan", FLOATS, -9, 9, True, 4), ("lax.sinh", FLOATS, -4, 4, True, 8),
    ("lax.cosh", FLOATS, -4, 4, True, 8), ("lax.tanh", FLOATS, -4, 4, True, 4),
    ("lax.asinh", FLOATS, -9, 9, True, 8), ("lax.acosh", FLOATS, 1.2, 9, True, 8),
    ("lax.atanh", FLOATS, -0.8, 0.8, True, 8), ("lax.sqrt", FLOATS, 0.1, 9, True, 1),
    ("lax.rsqrt", FLOATS, 0.1, 9, True, 2), ("lax.cbrt", FLOATS, 0.1, 9, True, 4),
    ("lax.logistic", FLOATS, -6, 6, True, 4), ("lax.erf", FLOATS, -3, 3, True, 4),
    ("lax.erfc", F32, -3, 3, True, 8), ("lax.erf_inv", F32, -0.9, 0.9, True, 8),
    ("lax.lgamma", F32, 0.2, 9, True, 16), ("lax.digamma", F32, 0.2, 9, True, 16),
    ("lax.bessel_i0e", F32, -9, 9, True, 8), ("lax.bessel_i1e", F32, -9, 9, True, 8),
    ("lax.is_finite", FLOATS, -9, 9, False, 1), ("lax.square", NUMBERS, -9, 9, True, 1),
    ("lax.reciprocal", FLOATS, 0.2, 9, True, 1),
    ("lax.bitwise_not", INTEGERS + ("bool",), -9, 9, False, 1),
    ("lax.population_count", INTEGERS, -99, 99, False, 1),
    ("lax.clz", INTEGERS, -99, 99, False, 1),
    ("jnp.abs", ALL, -9, 9, False, 1), ("jnp.sign", NUMBERS, -9, 9, False, 1),
    ("jnp.exp", FLOATS + ("int32",), -4, 4, False, 4), ("jnp.log", FLOATS, 0.1, 9, False, 4),
    ("jnp.log2", FLOATS, 0.1, 9, True, 4), ("jnp.log10", FLOATS, 0.1, 9, True, 4),
    ("jnp.log1p", FLOATS, -0.8, 9, False, 4), ("jnp.sqrt", FLOATS + ("int32",), 1, 9, False, 2),
    ("jnp.cbrt", FLOATS, -9, 9, False, 4), ("jnp.sinc", F32, -3, 3, True, 8),
    ("jnp.deg2rad", FLOATS, -99, 99, True, 4), ("jnp.rad2deg", FLOATS, -3, 3, True, 4),
    ("jnp.trunc", FLOATS, -9, 9, False, 1), ("jnp.rint", FLOATS, -9, 9, False, 1),
    ("jnp.round", FLOATS + ("int32",), -9, 9, False, 1),
    ("jnp.nan_to_num", FLOATS, -9, 9, True, 1), ("jnp.isnan", FLOATS, -9, 9, False, 1),
    ("jnp.isinf", FLOATS, -9, 9, False, 1), ("jnp.isfinite", FLOATS, -9, 9, False, 1),
    ("jnp.isposinf", FLOATS, -9, 9, False, 1), ("jnp.isneginf", FLOATS, -9, 9, False, 1),
    ("jnp.signbit", FLOATS, -9, 9, False, 1), ("jnp.logical_not", ALL, -1, 1, False, 1),
    ("jnp.invert", INTEGERS + ("bool",), -9, 9, False, 1), ("jnp.i0", F32, -4, 4, False, 8),
    ("jnp.positive", NUMBERS, -9, 9, False, 1), ("jnp.square", ALL, -3, 3, False, 1),
    ("jnp.reciprocal", FLOATS, 0.2, 9, False, 1), ("jnp.real", FLOATS, -9, 9, False, 1),
    ("jnp.spacing", F32, 1, 9, False, 1), ("jnp.bitwise_count", INTEGERS, -99, 99, False, 1),
    ("nn.relu", FLOATS, -4, 4, True, 1), ("nn.relu6", FLOATS, -4, 9, True, 1),
    ("nn.sigmoid", FLOATS, -4, 4, True, 4), ("nn.softplus", FLOATS, -4, 4, True, 8),
    ("nn.sparse_plus", FLOATS, -4, 4, True, 4), ("nn.soft_sign", FLOATS, -4, 4, True, 4),
    ("nn.silu", FLOATS, -4, 4, True, 8), ("nn.mish", FLOATS, -4, 4, True, 16),
    ("nn.gelu", FLOATS, -4, 4, True, 16), ("nn.elu", FLOATS, -4, 4, True, 4),
    ("nn.selu", FLOATS, -4, 4, True, 8), ("nn.celu", FLOATS, -4, 4, True, 4),
    ("nn.leaky_relu", FLOATS, -4, 4, True, 1), ("nn.hard_tanh", FLOATS, -4, 4, True, 1),
    ("nn.hard_sigmoid", FLOATS, -4, 4, True, 4), ("nn.hard_silu", FLOATS, -4, 4, True, 4),
    ("nn.log_sigmoid", FLOATS, -4, 4, True, 8), ("nn.squareplus", FLOATS, -4, 4, True, 4),
    ("special.expit", F32, -4, 4, True, 4), ("special.logit", F32, 0.1, 0.9, True, 8),
    ("special.erf", F32, -3, 3, False, 4), ("special.erfinv", F32, -0.9, 0.9, False, 8),
    ("special.gammaln", F32, 0.5, 9, False, 16), ("special.digamma", F32, 0.5, 9, False, 16),
    ("special.ndtr", F32, -3, 3, True, 8), ("special.ndtri", F32, 0.1, 0.9, True, 16),
    ("special.log_ndtr", F32, -3, 3, True, 16), ("special.entr", F32, 0.1, 4, True, 8),
    ("special.i0", F32, -4, 4, True, 8), ("special.i0e", F32, -4, 4, True, 8),
    ("special.i1", F32, -4, 4, True, 8), ("special.i1e", F32, -4, 4, True, 8),
    ("special.factorial", F32, 0, 6, False, 32),
]

_ODD_UNARY = [
    ("lax.abs", FLOATS + SIGNED), ("lax.neg", NUMBERS), ("lax.sign", NUMBERS),
    ("lax.floor", FLOATS), ("lax.ceil", FLOATS), ("lax.round", FLOATS), ("lax.is_finite", FLOATS),
    ("lax.exp", FLOATS), ("lax.log", FLOATS), ("lax.tanh", FLOATS), ("lax.sqrt", FLOATS),
    ("lax.rsqrt", FLOATS), ("lax.logistic", FLOATS), ("lax.cbrt", FLOATS), ("lax.expm1", F32),
    ("lax.log1p", F32), ("lax.erf", F32), ("lax.atan", F32), ("lax.asinh", F32),
    ("lax.population_count", INTEGERS), ("lax.clz", INTEGERS), ("jnp.nan_to_num", FLOATS),
    ("jnp.signbit", FLOATS), ("jnp.isnan", FLOATS), ("jnp.isinf", FLOATS), ("jnp.rint", FLOATS),
    ("nn.relu", FLOATS), ("nn.softplus", F32), ("lax.bitwise_not", INTEGERS + ("bool",)),
]

_BINARY = [
    ("lax.add", NUMBERS, -9, 9, True, 1), ("lax.sub", NUMBERS, -9, 9, True, 1),
    ("lax.mul", NUMBERS, -9, 9, True, 1), ("lax.div", NUMBERS, 1, 9, True, 1),
    ("lax.rem", NUMBERS, 1, 9, False, 2), ("lax.max", ALL, -9, 9, True, 1),
    ("lax.min", ALL, -9, 9, True, 1), ("lax.pow", FLOATS, 0.3, 3, True, 16),
    ("lax.atan2", FLOATS, 0.3, 3, True, 8), ("lax.nextafter", F32, -3, 3, False, 1),
    ("lax.eq", ALL, -2, 2, False, 1), ("lax.ne", ALL, -2, 2, False, 1),
    ("lax.lt", ALL, -2, 2, False, 1), ("lax.le", ALL, -2, 2, False, 1),
    ("lax.gt", ALL, -2, 2, False, 1), ("lax.ge", ALL, -2, 2, False, 1),
    ("lax.bitwise_and", INTEGERS + ("bool",), -99, 99, False, 1),
    ("lax.bitwise_or", INTEGERS + ("bool",), -99, 99, False, 1),
    ("lax.bitwise_xor", INTEGERS + ("bool",), -99, 99, False, 1),
    ("lax.shift_left", INTEGERS, 0, 9, False, 1),
    ("lax.shift_right_arithmetic", INTEGERS, 0, 9, False, 1),
    ("lax.shift_right_logical", INTEGERS, 0, 9, False, 1),
    ("lax.igamma", F32, 0.5, 5, False, 64), ("lax.igammac", F32, 0.5, 5, False, 64),
    ("lax.zeta", F32, 1.5, 5, False, 64), ("lax.random_gamma_grad", F32, 0.5, 5, False, 64),
    ("lax.polygamma", F32, 1, 4, False, 64),
    ("jnp.add", ALL, -9, 9, True, 1), ("jnp.subtract", NUMBERS, -9, 9, True, 1),
    ("jnp.multiply", ALL, -9, 9, True, 1), ("jnp.divide", NUMBERS, 1, 9, True, 2),
    ("jnp.floor_divide", NUMBERS, 1, 9, False, 1), ("jnp.remainder", NUMBERS, 1, 9, False, 2),
    ("jnp.fmod", NUMBERS, 1, 9, False, 2), ("jnp.power", F32, 0.3, 3, True, 16),
    ("jnp.float_power", F32, 0.3, 3, False, 16), ("jnp.maximum", ALL, -9, 9, True, 1),
    ("jnp.minimum", ALL, -9, 9, True, 1), ("jnp.fmax", FLOATS, -9, 9, False, 1),
    ("jnp.fmin", FLOATS, -9, 9, False, 1), ("jnp.arctan2", FLOATS, 0.3, 3, True, 8),
    ("jnp.hypot", FLOATS, 0.3, 3, True, 8), ("jnp.logaddexp", FLOATS, -3, 3, True, 8),
    ("jnp.logaddexp2", FLOATS, -3, 3, True, 8), ("jnp.heaviside", FLOATS, -2, 2, False, 1),
    ("jnp.copysign", FLOATS, -2, 2, False, 1), ("jnp.equal", ALL, -2, 2, False, 1),
    ("jnp.less", ALL, -2, 2, False, 1), ("jnp.greater_equal", ALL, -2, 2, False, 1),
    ("jnp.logical_and", ALL, -1, 1, False, 1), ("jnp.logical_or", ALL, -1, 1, False, 1),
    ("jnp.logical_xor", ALL, -1, 1, False, 1), ("jnp.gcd", INTEGERS, 1, 60, False, 1),
    ("jnp.lcm", ("int32", "uint32"), 1, 60, False, 1), ("jnp.isclose", F32, 0, 1, False, 1),
    ("jnp.bitwise_and", INTEGERS, -99, 99, False, 1), ("jnp.bitwise_xor", INTEGERS, -99, 99, False, 1),
    ("jnp.left_shift", INTEGERS, 0, 9, False, 1), ("jnp.right_shift", INTEGERS, 0, 9, False, 1),
    ("special.xlogy", F32, 0.2, 4, True, 8), ("special.xlog1py", F32, 0.2, 4, True, 8),
    ("special.betaln", F32, 0.5, 4, True, 32), ("special.gammainc", F32, 0.5, 4, False, 64),
    ("special.kl_div", F32, 0.2, 4, False, 8), ("special.rel_entr", F32, 0.2, 4, False, 8),
]

_ODD_BINARY = [
    ("lax.add", NUMBERS), ("lax.sub", NUMBERS), ("lax.mul", NUMBERS), ("lax.div", NUMBERS),
    ("lax.rem", NUMBERS), ("lax.max", ALL), ("lax.min", ALL), ("lax.pow", F32),
    ("lax.atan2", F32), ("lax.nextafter", F32), ("lax.eq", ALL), ("lax.lt", ALL), ("lax.ge", ALL),
    ("lax.ne", ALL), ("lax.shift_left", UNSIGNED + SIGNED),
    ("lax.shift_right_arithmetic", UNSIGNED + SIGNED),
    ("lax.shift_right_logical", UNSIGNED + SIGNED), ("jnp.floor_divide", NUMBERS),
    ("jnp.remainder", NUMBERS), ("jnp.maximum", FLOATS), ("jnp.fmax", FLOATS),
    ("jnp.logaddexp", F32), ("jnp.copysign", FLOATS), ("jnp.isclose", F32),
]

ROWS = ([_unary(*row) for row in _UNARY] + [_odd_unary(*row) for row in _ODD_UNARY] +
        [_binary(*row) for row in _BINARY] + [_odd_binary(*row) for row in _ODD_BINARY])
