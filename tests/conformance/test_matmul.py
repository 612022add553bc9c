"""nc_matmul and nc_transpose. `strict` is compared bit by bit with the order of the specification."""

import numpy as np
import oracle
import pytest
from cases import TARGETS, Access, Cases, assert_same

CASES = 200
NARROW = ("bf16", "f16", "f8e5m2", "f8e4m3")
WIDE = ("f32", "tf32")


def operand_kinds(cases):
    if cases.random.random() < 0.35:
        return cases.choose(*WIDE), cases.choose(*WIDE)
    kinds = NARROW if cases.target != "trn3" else ("bf16", "f16", "f8e5m2", "f8e4m3fn")
    return cases.choose(*kinds), cases.choose(*kinds)


def matmul_operands(cases, special=True):
    """Random stationary and moving tiles and their product."""
    k, m = (cases.choose(1, 3, 16, 32, 33, 64, 100, 128) for _ in range(2))
    n = cases.choose(1, 5, 16, 48, 60, 100, 130)
    kinds = operand_kinds(cases)
    limit = {} if special and cases.random.random() < 0.3 else {"low": -3.0, "high": 3.0}
    stationary = cases.operand(kinds[0], k, m, **limit)
    moving = cases.operand(kinds[1], k, n, **limit)
    product = oracle.matmul(oracle.widen(stationary.get(), kinds[0]),
                            oracle.widen(moving.get(), kinds[1]))
    return stationary, moving, product


def psum_kind(cases):
    return cases.choose("f32", "f32", "bf16") if cases.target == "trn3" else "f32"


def add(old, product, dtype):
    with np.errstate(all="ignore"):
        return oracle.narrow((oracle.widen(old, dtype) + product).astype(np.float32), dtype)


@pytest.mark.parametrize("target", TARGETS)
def test_strict_matmul_sums_over_k_and_then_adds_to_psum(tmp_path, target):
    cases = Cases(50, target)
    for _ in range(CASES):
        stationary, moving, product = matmul_operands(cases)
        m, n = product.shape
        dst = cases.operand(psum_kind(cases), m, n, memory="psum", is_dst=True, low=-2.0, high=2.0)
        how = cases.choose("overwrite", "accumulate", "first_write")
        # The tile was written by tensor_copy, so a first_write matmul adds to it. [nki 2.2]
        value = (oracle.narrow(product, dst.dtype) if how == "overwrite"
                 else add(dst.get(), product, dst.dtype))
        dst.put(value)
        cases.add(f"nc_matmul {dst} <- {stationary}, {moving} {how}")
    cases.run(tmp_path, strict=1)


@pytest.mark.parametrize("target", TARGETS)
def test_first_write_is_decided_for_each_element(tmp_path, target):
    """Overlapping regions of one fresh PSUM tile: the first write of an element overwrites."""
    cases = Cases(51, target)
    for _ in range(CASES // 2):
        rows, columns = 128, 64
        tile = cases.fresh_psum("f32", rows, columns)
        lines = []
        for _ in range(cases.integer(1, 4)):
            k = cases.choose(8, 32)
            m = cases.choose(16, 32, 64)
            n = cases.integer(1, 40)
            stationary = cases.operand("bf16", k, m, low=-2.0, high=2.0)
            moving = cases.operand("bf16", k, n, low=-2.0, high=2.0)
            product = oracle.matmul(oracle.widen(stationary.get(), "bf16"),
                                    oracle.widen(moving.get(), "bf16"))
            first = cases.start_partition(m)
            step = cases.choose(1, 1, 1, 2) if n <= 30 else 1
            dst = Access(tile, first, m, cases.integer(0, columns - 1 - step * (n - 1)),
                         [(step, n)])
            known = tile.known[first:first + m][:, dst.index]
            dst.put(np.where(known, dst.get(after=True) + product, product))
            tile.known[first:first + m, dst.index] = True
            lines.append(f"nc_matmul {dst} <- {stationary}, {moving}")
        cases.add(*lines)
    cases.run(tmp_path, strict=1)


@pytest.mark.parametrize("target", TARGETS)
def test_default_matmul_differs_from_strict_by_rounding_alone(tmp_path, target):
    cases = Cases(52, target)
    bounds = {}
    for _ in range(CASES):
        stationary, moving, _ = matmul_operands(cases, special=False)
        a = oracle.widen(stationary.get(), stationary.dtype).astype(np.float64)
        b = oracle.widen(moving.get(), moving.dtype).astype(np.float64)
        m, n = a.shape[1], b.shape[1]
        dst = cases.operand("f32", m, n, memory="psum", is_dst=True, low=-2.0, high=2.0)
        old = dst.get().astype(np.float64)
        dst.put((old + a.T @ b).astype(np.float32))
        # Each of the k + 1 additions rounds by half a unit of a sum of at most `size`.
        size = np.abs(old) + np.abs(a).T @ np.abs(b)
        bound = np.zeros(dst.tile.before.shape)
        bound[dst.partition:dst.partition + m, dst.index] = size * 2.0**-23 * (a.shape[0] + 2)
        bounds[dst.tile.name] = bound
        cases.add(f"nc_matmul {dst} <- {stationary}, {moving} accumulate")

    def close(tile, actual):
        if tile.name not in bounds:
            return assert_same(tile, actual)
        error = np.abs(actual.astype(np.float64) - tile.after.astype(np.float64))
        assert (error <= bounds[tile.name]).all(), f"{tile.name} is off by {error.max()}"

    cases.run(tmp_path, compare=close)


@pytest.mark.parametrize("target", ("trn2", "trn3"))
def test_double_row_contracts_over_both_halves(tmp_path, target):
    cases = Cases(53, target)
    for _ in range(CASES):
        k, m, n = (cases.choose(1, 8, 32, 64, 128), cases.choose(2, 16, 60, 128),
                   cases.choose(4, 16, 48))
        kinds = ("f8e5m2", "f8e4m3") if target == "trn2" else ("f8e5m2", "f8e4m3fn")
        kinds = [cases.choose(*kinds) for _ in range(2)]
        tiles = []
        for kind, columns in zip(kinds, (m, n)):
            gap = cases.choose(0, 3)
            span = 2 * (columns + gap)
            tile = cases.declare("sbuf", kind, cases.values(kind, (k, span), -3.0, 3.0))
            tiles.append(Access(tile, 0, k, 0, [(columns + gap, 2), (1, columns)]))
        # Logical k = half * partitions + partition. [neuroncore 2.1.5]
        flat = [oracle.widen(t.get(), t.dtype).reshape(k, 2, -1).transpose(1, 0, 2).reshape(
            2 * k, -1) for t in tiles]
        product = oracle.matmul(*flat)
        dst = cases.operand("f32", m, n, memory="psum", is_dst=True, low=-2.0, high=2.0)
        dst.put(product)
        cases.add(f"nc_matmul {dst} <- {tiles[0]}, {tiles[1]} overwrite perf_mode=double_row")
    cases.run(tmp_path, strict=1)


@pytest.mark.parametrize("target", ("trn2", "trn3"))
def test_transpose_mode_passes_the_bits_through(tmp_path, target):
    cases = Cases(54, target)
    for _ in range(CASES):
        kind = cases.choose("f32", "bf16", "f16")
        k, m = cases.choose(1, 8, 32, 64, 100, 128), cases.choose(1, 7, 32, 64, 128)
        data = cases.operand(kind, k, m)
        identity = np.zeros((128, k), oracle.NUMPY[kind])
        identity[:k] = np.eye(k)
        moving = Access(cases.declare("sbuf", kind, identity), 0, k, 0, [(1, k)])
        dst = cases.operand(kind, m, k, memory="psum", is_dst=True)
        dst.put(data.get().T)
        cases.add(f"nc_matmul {dst} <- {data}, {moving} overwrite is_transpose")
    cases.run(tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_nc_transpose_turns_partitions_into_free_elements(tmp_path, target):
    cases = Cases(55, target)
    for i in range(CASES):
        on_tensor = i % 2 == 0
        most = 128 if on_tensor else 32
        kinds = ("f32", "bf16", "f16") if on_tensor else (*oracle.FLOATS, *oracle.INTEGERS)
        kind = cases.choose(*kinds)
        p, f = (min(most, cases.choose(1, 3, 16, 32, 40, 64, 128)) for _ in range(2))
        # Before transpose mode the array multiplies by the identity: finite values only.
        limit = {"low": -3.0, "high": 3.0} if on_tensor and target == "trn1" else {}
        data = cases.operand(kind, p, f, **limit)
        memory = "psum" if on_tensor else cases.choose("sbuf", "psum")
        dst = cases.operand(kind, f, p, memory=memory, is_dst=True)
        dst.put(data.get().T)
        cases.add(f"nc_transpose {dst} <- {data} on {'tensor' if on_tensor else 'vector'}")
    cases.run(tmp_path)


def test_the_array_of_the_first_generation_spreads_nan_over_a_transpose(tmp_path):
    cases = Cases(56, "trn1")
    values = np.ones((32, 8), np.float32)
    values[3, 5] = np.inf
    data = Access(cases.declare("sbuf", "f32", values), 0, 32, 0, [(1, 8)])
    dst = cases.operand("f32", 8, 32, memory="psum", is_dst=True)
    expected = np.ones((8, 32), np.float32)
    expected[5] = np.nan
    expected[5, 3] = np.inf
    dst.put(expected)
    cases.add(f"nc_transpose {dst} <- {data} on tensor")
    cases.run(tmp_path)
