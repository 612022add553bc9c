"""Corner cases of single operations with answers from NumPy. Modules are written as text here and
turned into what the compiler reads by jaxlib; without JAX these tests are skipped."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

ml_dtypes = pytest.importorskip("ml_dtypes")
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/stablehlo"))
from hlo_cases import TYPES  # noqa: E402

NAN, INF = float("nan"), float("inf")
NAMES = {np.dtype(t): name for name, t in TYPES.items()}


def tensor(array):
    dims = "".join(f"{n}x" for n in array.shape)
    return f"tensor<{dims}{NAMES[array.dtype]}>"


@pytest.fixture
def run(run_hlo, tmp_path):
    """run(body, inputs, outputs): main's arguments are %0, %1...; `outputs` are arrays of the right
    types and shapes, and what comes back are the results."""
    interpreters = pytest.importorskip("jax._src.interpreters.mlir", reason="JAX is not installed")
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    def work(body, inputs, outputs):
        arguments = ", ".join(f"%{i}: {tensor(x)}" for i, x in enumerate(inputs))
        results = ", ".join(tensor(y) for y in outputs)
        text = f"func.func @main({arguments}) -> ({results}) {{\n{body}\n}}"
        with interpreters.make_ir_context():
            module = ir.Module.parse(text)
            data = stablehlo.serialize_portable_artifact(module, "1.13.0")
        (tmp_path / "module.mlirbc").write_bytes(data)
        files = []
        for i, x in enumerate(inputs):
            files.append(tmp_path / f"in{i}.bin")
            files[-1].write_bytes(np.ascontiguousarray(x).tobytes())
        done = subprocess.run([run_hlo, tmp_path / "module.mlirbc", tmp_path, *files, "--check"],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [np.frombuffer((tmp_path / f"out{i}.bin").read_bytes(), y.dtype).reshape(y.shape)
                for i, y in enumerate(outputs)]

    return work


def expect(run, body, inputs, *wanted):
    for got, want in zip(run(body, inputs, wanted), wanted):
        if want.dtype.kind in "biu":
            np.testing.assert_array_equal(got, want)
        else:
            np.testing.assert_array_equal(got.astype(np.float64), want.astype(np.float64))


def one(kind, array, result=None, extra=""):
    t, r = tensor(array), tensor(array if result is None else result)
    return f"%r = stablehlo.{kind} %0 {extra} : ({t}) -> {r}\nreturn %r : {r}"


def two(kind, a):
    return f"%r = stablehlo.{kind} %0, %1 : {tensor(a)}\nreturn %r : {tensor(a)}"


@pytest.mark.parametrize("kind", ["int8", "int32", "int64"])
def test_signed_division_by_zero_and_overflow_have_fixed_results(run, kind):
    low = np.iinfo(kind).min
    a = np.array([7, -7, low, low, 5], kind)
    b = np.array([0, 0, -1, 0, -2], kind)
    expect(run, two("divide", a), [a, b], np.array([-1, -1, low, -1, -2], kind))
    expect(run, two("remainder", a), [a, b], np.array([7, -7, 0, low, 1], kind))


@pytest.mark.parametrize("kind", ["uint8", "uint32", "uint64"])
def test_unsigned_division_takes_all_bits(run, kind):
    top = np.iinfo(kind).max
    a, b = np.array([top, top, 9, 3], kind), np.array([2, 0, 4, top], kind)
    expect(run, two("divide", a), [a, b], np.array([top // 2, top, 2, 0], kind))
    expect(run, two("remainder", a), [a, b], np.array([1, top, 1, 3], kind))


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64", "uint16", "uint64"])
def test_integers_wrap(run, kind):
    info = np.iinfo(kind)
    a = np.array([info.max, info.min, 3], kind)
    b = np.array([1, info.max, 5], kind)
    with np.errstate(over="ignore"):
        for name, f in (("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply)):
            expect(run, two(name, a), [a, b], f(a, b))


def test_shifts_by_the_width_or_more_leave_the_sign(run):
    a = np.array([-8, -8, -8, 8], np.int32)
    b = np.array([1, 32, 99, 33], np.int32)
    expect(run, two("shift_left", a), [a, b], np.array([-16, 0, 0, 0], np.int32))
    expect(run, two("shift_right_arithmetic", a), [a, b], np.array([-4, -1, -1, 0], np.int32))
    expect(run, two("shift_right_logical", a), [a, b], np.array([2**31 - 4, 0, 0, 0], np.int32))


def test_integer_powers_wrap_and_negative_exponents_leave_units(run):
    a = np.array([3, -2, -1, 1, 5, 0, 10], np.int32)
    b = np.array([4, 3, -3, -7, -1, 0, 20], np.int32)
    want = np.array([81, -8, -1, 1, 0, 1, 10**20 % 2**32 - (2**32 if 10**20 % 2**32 >= 2**31 else 0)],
                    np.int64).astype(np.int32)
    expect(run, two("power", a), [a, b], want)


@pytest.mark.parametrize("kind", [np.float32, np.float64, ml_dtypes.bfloat16, np.float16])
def test_nan_spreads_through_minimum_and_maximum(run, kind):
    a = np.array([NAN, 1, -INF, 0.0, 2], kind)
    b = np.array([1, NAN, INF, -1, 2], kind)
    expect(run, two("maximum", a), [a, b], np.array([NAN, NAN, INF, 0, 2], kind))
    expect(run, two("minimum", a), [a, b], np.array([NAN, NAN, -INF, -1, 2], kind))


@pytest.mark.parametrize("to", [np.int8, np.uint8, np.int32, np.int64])
def test_floats_become_integers_by_truncation_and_saturation(run, to):
    info = np.iinfo(to)
    a = np.array([1.9, -1.9 if info.min < 0 else 0.2, 1e30, -1e30, NAN, 0.5], np.float32)
    want = np.array([1, -1 if info.min < 0 else 0, info.max, info.min, 0, 0], to)
    expect(run, one("convert", a, want), [a], want)


def test_a_bf16_sum_is_rounded_once(run):
    x = np.full((1, 1000), 0.1, ml_dtypes.bfloat16)
    want = np.array([x.astype(np.float32).sum()], np.float32).astype(ml_dtypes.bfloat16)
    body = """%c = stablehlo.constant dense<0.0> : tensor<bf16>
      %r = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [1]
        : (tensor<1x1000xbf16>, tensor<bf16>) -> tensor<1xbf16>
      return %r : tensor<1xbf16>"""
    got = run(body, [x], [want])[0].astype(np.float32)
    assert abs(got - want.astype(np.float32)) <= 0.5  # one last place of bf16 at 100


@pytest.mark.parametrize("kind", ["f8E4M3FN", "f8E5M2"])
def test_8_bit_floats_convert_exactly_both_ways(run, kind):
    all_bytes = np.arange(256, dtype=np.uint8).view(TYPES[kind])
    wide = all_bytes.astype(np.float32)
    expect(run, one("convert", all_bytes, wide), [all_bytes], wide)
    finite = wide[np.isfinite(wide)]
    between = np.concatenate([finite, finite * 1.03, finite * 0.97, [0.0, -0.0, 1e-9]])
    between = between.astype(np.float32)
    want = between.astype(TYPES[kind])
    got = run(one("convert", between, want), [between], [want])[0]
    np.testing.assert_array_equal(got.astype(np.float32), want.astype(np.float32))


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (1025,), (3, 341), (2, 1, 2, 1, 3, 1, 2, 2)])
def test_any_rank_and_length_is_computed(run, shape):
    a = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape) - 7
    expect(run, two("multiply", a), [a, a], a * a)


def test_what_has_no_elements_stays_so(run):
    a = np.zeros((0, 3), np.float32)
    expect(run, two("add", a), [a, a], a)
    body = """%c = stablehlo.constant dense<5> : tensor<i32>
      %r = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0]
        : (tensor<0x3xi32>, tensor<i32>) -> tensor<3xi32>
      return %r : tensor<3xi32>"""
    expect(run, body, [np.zeros((0, 3), np.int32)], np.full(3, 5, np.int32))


def test_padding_may_be_negative_and_between(run):
    a = np.arange(1, 7, dtype=np.int16).reshape(2, 3)
    want = np.array([[9, 9, 9], [2, 9, 3], [9, 9, 9], [5, 9, 6]], np.int16)
    body = """%c = stablehlo.constant dense<9> : tensor<i16>
      %r = stablehlo.pad %0, %c, low = [1, -2], high = [0, 0], interior = [1, 1]
        : (tensor<2x3xi16>, tensor<i16>) -> tensor<4x3xi16>
      return %r : tensor<4x3xi16>"""
    expect(run, body, [a], want)


def test_transposes_and_reversals_of_eight_axes_move_every_element(run):
    shape = (2, 1, 3, 2, 1, 2, 2, 3)
    a = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
    order = (7, 2, 0, 5, 1, 3, 6, 4)
    want = np.flip(a.transpose(order), (0, 3))
    t, r = tensor(a), tensor(want)
    body = f"""%t = stablehlo.transpose %0, dims = [{", ".join(map(str, order))}] : ({t}) -> {r}
      %r = stablehlo.reverse %t, dims = [0, 3] : {r}
      return %r : {r}"""
    expect(run, body, [a], want)


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint32, np.int8])
def test_slices_at_run_time_are_moved_inside(run, kind):
    a = np.arange(20, dtype=np.float32).reshape(4, 5)
    top = np.iinfo(kind).max
    for start in ((1, 2), (top, 1), (0, top)) + (((-5, 3),) if np.iinfo(kind).min < 0 else ()):
        index = [np.array(s, kind) for s in start]
        i, j = (min(max(int(s), 0), most) for s, most in zip(start, (2, 2)))
        t = tensor(index[0])
        body = f"""%r = stablehlo.dynamic_slice %0, %1, %2, sizes = [2, 3]
            : (tensor<4x5xf32>, {t}, {t}) -> tensor<2x3xf32>
          %u = stablehlo.dynamic_update_slice %0, %r, %2, %1
            : (tensor<4x5xf32>, tensor<2x3xf32>, {t}, {t}) -> tensor<4x5xf32>
          return %r, %u : tensor<2x3xf32>, tensor<4x5xf32>"""
        updated = a.copy()
        k, m = min(max(int(start[1]), 0), 2), min(max(int(start[0]), 0), 2)
        updated[k:k + 2, m:m + 3] = a[i:i + 2, j:j + 3]
        expect(run, body, [a, *index], a[i:i + 2, j:j + 3].copy(), updated)


def test_a_gather_clamps_and_a_scatter_drops_what_is_outside(run):
    a = np.arange(12, dtype=np.int32).reshape(4, 3)
    at = np.array([[0], [9], [-3], [2], [2]], np.int32)
    rows = np.clip(at[:, 0], 0, 3)
    body = """%r = "stablehlo.gather"(%0, %1) {dimension_numbers = #stablehlo.gather<
          offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
          slice_sizes = array<i64: 1, 3>, indices_are_sorted = false}
          : (tensor<4x3xi32>, tensor<5x1xi32>) -> tensor<5x3xi32>
        return %r : tensor<5x3xi32>"""
    expect(run, body, [a, at], a[rows])
    updates = np.arange(15, dtype=np.int32).reshape(5, 3) + 100
    want = a.copy()
    for i, row in enumerate(at[:, 0]):
        if 0 <= row < 4:
            want[row] = 2 * want[row] - updates[i]  # the order of duplicates matters
    body = """%r = "stablehlo.scatter"(%0, %1, %2) ({
          ^bb0(%a: tensor<i32>, %b: tensor<i32>):
            %d = stablehlo.add %a, %a : tensor<i32>
            %e = stablehlo.subtract %d, %b : tensor<i32>
            stablehlo.return %e : tensor<i32>
        }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
            inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
            indices_are_sorted = false, unique_indices = false}
          : (tensor<4x3xi32>, tensor<5x1xi32>, tensor<5x3xi32>) -> tensor<4x3xi32>
        return %r : tensor<4x3xi32>"""
    expect(run, body, [a, at, updates], want)


def test_a_bitcast_to_another_width_keeps_the_bytes(run):
    a = np.array([[1, 2], [3, 2**31]], np.uint32)
    want = a.view(np.uint64).reshape(2)
    expect(run, one("bitcast_convert", a, want), [a], want)
    back = want.view(np.uint16).reshape(2, 4)
    expect(run, one("bitcast_convert", want, back), [want], back)


def test_a_sort_of_floats_by_total_order_is_stable_and_ends_with_nan(run):
    a = np.array([3, NAN, -0.0, 0.0, -INF, 3, INF, 1], np.float32)
    p = np.arange(8, dtype=np.int32)
    body = """%r:2 = "stablehlo.sort"(%0, %1) ({
          ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
            %l = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
            stablehlo.return %l : tensor<i1>
        }) {dimension = 0 : i64, is_stable = true}
          : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
        return %r#0, %r#1 : tensor<8xf32>, tensor<8xi32>"""
    order = np.array([4, 2, 3, 7, 0, 5, 6, 1], np.int32)
    expect(run, body, [a, p], a[order], order)


def test_products_of_bytes_are_summed_in_32_bits(run):
    random = np.random.default_rng(1)
    a = random.integers(-128, 128, (3, 300), np.int8)
    b = random.integers(-128, 128, (300, 5), np.int8)
    want = a.astype(np.int32) @ b.astype(np.int32)
    body = """%r = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0]
          : (tensor<3x300xi8>, tensor<300x5xi8>) -> tensor<3x5xi32>
        return %r : tensor<3x5xi32>"""
    expect(run, body, [a, b], want)


def test_complex_numbers_go_through_arithmetic_and_loops_of_parts(run):
    a = np.array([1 + 2j, -3 + 0.5j, 0j, 2 - 1j], np.complex64)
    b = np.array([2 - 1j, 1 + 1j, 1 + 0j, 0 + 4j], np.complex64)
    body = """%p = stablehlo.multiply %0, %1 : tensor<4xcomplex<f32>>
        %q = stablehlo.divide %p, %1 : tensor<4xcomplex<f32>>
        %s = stablehlo.abs %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
        return %p, %q, %s : tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<4xf32>"""
    p, q, s = run(body, [a, b], [a, a, np.abs(a)])
    np.testing.assert_allclose(p, a * b, rtol=1e-6)
    np.testing.assert_allclose(q, a, rtol=1e-6)
    np.testing.assert_allclose(s, np.abs(a), rtol=1e-6)
