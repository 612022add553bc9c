"""activation: function of data * scale + bias, and the reduce registers of the Scalar engine."""

import math

import numpy as np
import oracle
import pytest
from cases import TARGETS, Cases, assert_same, ulps
from test_elementwise import CASES, memories, number_or_column, sizes

ERF = np.vectorize(math.erf, otypes=[np.float64])


def sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def normal_density(x):
    return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


# Rounded correctly: bit for bit. [neuroncore 6.1]
EXACT = {
    "copy": lambda x, p: x,
    "square": lambda x, p: x * x,
    "relu": lambda x, p: np.where(np.isnan(x), x, np.maximum(x, np.float32(0))),
    "prelu": lambda x, p: np.where(x < 0, np.float32(p) * x, x),
    "sqrt": lambda x, p: np.sqrt(x),
    "reciprocal": lambda x, p: np.float32(1) / x,
    "sign": lambda x, p: np.where(x == 0, x, np.sign(x)),  # of -0 it is -0
    "abs": lambda x, p: np.abs(x),
}
# Within two units of the last place, in double precision here.
CLOSE = {
    "sigmoid": sigmoid,
    "gelu": lambda x: x * 0.5 * (1 + ERF(x / math.sqrt(2))),
    "gelu_dx": lambda x: 0.5 * (1 + ERF(x / math.sqrt(2))) + x * normal_density(x),
    "gelu_apprx_tanh":
        lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "gelu_apprx_sigmoid": lambda x: x * sigmoid(1.702 * x),
    "silu": lambda x: x * sigmoid(x),
    "tanh": np.tanh,
    "softplus": softplus,
    "mish": lambda x: x * np.tanh(softplus(x)),
    "erf": ERF,
    "erf_dx": lambda x: 2 / math.sqrt(math.pi) * np.exp(-x * x),
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "arctan": np.arctan,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}
POSITIVE = ("log", "rsqrt")


def bias_of(cases, partitions, function):
    """Nothing, a number (not on trn1) or a tile of any type."""
    if cases.target == "trn1" and function == "reciprocal" or cases.random.random() < 0.3:
        return "", None
    if cases.target != "trn1" and cases.random.random() < 0.4:
        return " bias=0.375", np.float32(0.375)
    tile = cases.column(cases.choose("f32", "bf16", "f16"), partitions)
    return f" bias={tile}", oracle.widen(tile.get(), tile.dtype)


def argument(data, scale, bias):
    """data * scale + bias: two roundings; what is not written is not computed."""
    with np.errstate(all="ignore"):
        x = oracle.widen(data.get(), data.dtype)
        if scale is not None:
            x = (x * scale).astype(np.float32)
        return x if bias is None else (x + bias).astype(np.float32)


@pytest.mark.parametrize("target", TARGETS)
def test_activation_rounds_the_product_and_the_sum(tmp_path, target):
    cases = Cases(20, target)
    for _ in range(CASES):
        p, n = sizes(cases)
        place = memories(cases)
        name = cases.choose(*EXACT)
        data = cases.operand(cases.choose(*oracle.FLOATS, *oracle.INTEGERS), p, n, memory=place[1])
        dst = cases.operand(cases.choose(*oracle.FLOATS, *oracle.INTEGERS), p, n,
                            memory=place[0], is_dst=True)
        scale_text, scale = number_or_column(cases, p) if cases.random.random() < 0.7 else ("", None)
        bias_text, bias = bias_of(cases, p, name)
        param = 0.25 if name == "prelu" else 0
        with np.errstate(all="ignore"):
            y = EXACT[name](argument(data, scale, bias), param).astype(np.float32)
        dst.put(oracle.narrow(y, dst.dtype))
        words = (f" scale={scale_text}" if scale_text else "") + bias_text
        words += " relu_param=0.25" if name == "prelu" else ""
        cases.add(f"activation {dst} <- {data} op={name}{words}")
    cases.run(tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_activation_functions_are_within_two_units_of_the_last_place(tmp_path, target):
    cases = Cases(21, target)
    results = set()
    for _ in range(CASES):
        p, n = sizes(cases)
        name = cases.choose(*CLOSE)
        low, high = (0.01, 50.0) if name in POSITIVE else (-3.0, 3.0)
        data = cases.operand("f32", p, n, low=low, high=high)
        dst = cases.operand("f32", p, n, is_dst=True)
        x = argument(data, np.float32(0.5), None).astype(np.float64)
        dst.put(CLOSE[name](x).astype(np.float32))
        results.add(dst.tile.name)
        cases.add(f"activation {dst} <- {data} op={name} scale=0.5")

    def close(tile, actual):
        if tile.name not in results:
            return assert_same(tile, actual)
        worst = ulps(actual, tile.after).max()
        assert worst <= 2, f"{tile.name} is off by {worst} units"

    cases.run(tmp_path, compare=close)


@pytest.mark.parametrize("target", TARGETS)
def test_reduce_commands_keep_a_running_sum_per_partition(tmp_path, target):
    """Chains of activations on the same partitions: reset, add, read out."""
    cases = Cases(22, target)
    for _ in range(CASES // 3):
        p, n = sizes(cases)
        first = cases.start_partition(p)
        register = np.zeros((p, 1), np.float32)
        lines = []
        for command in ("reset_reduce", cases.choose("reduce", "reset", "idle"), "reduce"):
            name = cases.choose("copy", "square", "relu", "abs")
            contents = cases.values("f32", (min(128, first + p), n), -8.0, 8.0)
            data = cases.declare("sbuf", "f32", contents)
            rows = f"{data.name}[{first}+:{p}, :]"
            dst = cases.operand(cases.choose("f32", "bf16", "f16"), p, n, is_dst=True)
            result = cases.operand(cases.choose("f32", "bf16"), p, 1, is_dst=True)
            y = EXACT[name](contents[first:first + p], 0).astype(np.float32)
            dst.put(oracle.narrow(y, dst.dtype))
            if "reset" in command:
                register = np.zeros((p, 1), np.float32)
            if "reduce" in command:
                register = register + oracle.lanes("add", y)
            result.put(oracle.narrow(register, result.dtype))
            lines.append(f"activation {dst} <- {rows} op={name} reduce_cmd={command} "
                         f"reduce_res={result}")
        cases.add(*lines)
    cases.run(tmp_path)
