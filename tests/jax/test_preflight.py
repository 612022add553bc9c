"""`trainyard preflight` on the steps of the examples, and the promise that float work finds no refuge
on GpSimd: products run on Tensor, element-wise work is compiled for Vector and Scalar."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples/jax"
NAMES = sorted(p.stem for p in FOLDER.glob("*.py") if p.stem != "training")


@pytest.fixture(scope="module")
def preflight(trainyard, tmp_path_factory):
    """preflight(name): the command's JSON for the step of an example."""
    import steps
    known = {}

    def ask(name):
        if name not in known:
            path = steps.write(name, tmp_path_factory.mktemp("steps"))
            done = subprocess.run([trainyard, "preflight", str(path), "--json"], capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
            known[name] = json.loads(done.stdout)
        return known[name]

    return ask


@pytest.mark.parametrize("name", NAMES)
def test_products_run_on_tensor_and_floats_on_vector_and_scalar(name, preflight):
    import steps
    told = preflight(name)
    assert told["blockers"] == []
    work = told["work"]
    assert work["on_tensor"] == 1
    assert work["on_vector_and_scalar"] >= 0.99
    # Counted from JAX's form of the step. The array may do more, and skips the padding of a convolution.
    wanted = steps.contraction_flops(name)
    tensor = told["profile"]["engines"]["tensor"]["contraction_flops"]
    assert tensor >= 0.8 * wanted, f"{tensor:.3g} of {wanted:.3g} flops are on Tensor"


def test_operations_name_the_lines_of_the_example(preflight):
    rows = preflight("char_gpt")["profile"]["operations"]
    dots = [row for row in rows if row["operation"] == "dot_general"]
    assert dots
    assert all(row["runs_on"] in ("tensor", "dma") for row in dots)
    lines = (FOLDER / "char_gpt.py").read_text().splitlines()
    for row in dots:
        file, line, _ = row["place"].rsplit(":", 2)
        assert pathlib.Path(file).name == "char_gpt.py"
        assert "@" in lines[int(line) - 1], row["place"]


def test_memory_is_told_by_kind(preflight):
    told = preflight("mlp_digits")
    weights = 4 * (96 * 256 + 256 + 256 * 256 + 256 + 256 * 10 + 10)
    arguments = 3 * weights + 4 + 4 * 256 * 96 + 4 * 256  # weights and two moments, the count, the batch
    assert told["device_bytes"]["arguments"] == arguments
    assert told["device_bytes"]["in_place"] == 3 * weights + 4


REFUSED = """
module @two {
  func.func public @main(%x: tensor<4x4xf32>) -> (tensor<4x4xcomplex<f32>>, tensor<4x4xf32>) {
    %c = stablehlo.complex %x, %x : tensor<4x4xcomplex<f32>> loc(#two)
    %1 = stablehlo.fft %c, type = FFT, length = [4] : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> loc(#two)
    %2 = stablehlo.custom_call @Qr(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> loc(#three)
    return %1, %2 : tensor<4x4xcomplex<f32>>, tensor<4x4xf32>
  }
}
#two = loc("model.py":7:9)
#three = loc("model.py":9:1)
"""


def test_every_refused_operation_is_named_at_once(trainyard, tmp_path):
    from trainyard import mlir_text
    path = tmp_path / "two.mlirbc"
    path.write_bytes(mlir_text.to_bytecode(REFUSED))
    done = subprocess.run([trainyard, "preflight", str(path), "--json"], capture_output=True, text=True)
    assert done.returncode == 1
    blockers = json.loads(done.stdout)["blockers"]
    assert [row["place"] for row in blockers] == ["model.py:7:9", "model.py:9:1"]
    for row, kind in zip(blockers, ["fft", "Qr"]):
        assert row["code"].startswith("TY-")
        assert kind in row["message"]


def test_profile_tells_the_step_of_a_script(trainyard, tmp_path):
    trace = tmp_path / "step.pftrace"
    done = subprocess.run([trainyard, "profile", "--json", "--trace", str(trace), str(FOLDER / "adamw.py")],
                          capture_output=True, text=True, timeout=300,
                          env=os.environ | {"TRAINYARD_PYTHON": sys.executable, "JAX_PLATFORMS": "trainyard",
                                            "PYTHONPATH": str(FOLDER.parents[1] / "python")})
    assert done.returncode == 0, done.stderr
    assert "adamw: loss" in done.stdout
    told = json.loads(done.stdout.splitlines()[-1])
    step = told["programs"][0]
    assert step["program"] in ("jit_step", "jit_descend")
    assert step["runs"] == 100
    assert step["seconds"] > 0
    assert any(row["place"].endswith("adamw.py") or "adamw.py:" in row["place"]
               for row in step["profile"]["operations"])
    assert trace.stat().st_size > 1000


def test_profile_fails_as_the_script_does(trainyard, tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text("import sys\nsys.exit(7)\n")
    done = subprocess.run([trainyard, "profile", str(bad)], capture_output=True, text=True,
                          env=os.environ | {"TRAINYARD_PYTHON": sys.executable,
                                            "PYTHONPATH": str(FOLDER.parents[1] / "python")})
    assert done.returncode == 7
