"""The reader over whole files: all of the shared sets, with jaxlib's own parser as an independent
oracle. What is not there is skipped with a message."""

import collections
import json
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data/stablehlo"
SHARED = ROOT.parent / "shared"
SMALL = sorted(DATA.glob("*.mlirbc"))
sys.path.insert(0, str(ROOT / "python"))


def shared_files():
    files = [f for folder in ("stablehlo", "jax-programs")
             for f in sorted((SHARED / folder).glob("*.mlirbc"))]
    if not files:
        pytest.skip(f"{SHARED} holds no StableHLO files")
    return files


# The innermost frame is the first one in MLIR's text of a location.
FRAME = re.compile(r'"([^"]*)":(\d+):(\d+)')


def jaxlib_ops(data: bytes):
    """Name, operand count, result types and innermost source line of every op, by jaxlib's parser."""
    interpreters = pytest.importorskip("jax._src.interpreters.mlir", reason="JAX is not installed")
    from jaxlib.mlir.dialects import stablehlo

    lines = []

    def walk(operation):
        for region in operation.regions:
            for block in region.blocks:
                for op in block.operations:
                    op = op.operation
                    if op.name == "func.func":
                        lines.append(f"func.func @{op.attributes['sym_name'].value}")
                    elif op.name not in ("sdy.mesh", "builtin.unrealized_conversion_cast"):
                        types = "".join(f" {value.type}" for value in op.results)
                        frame = FRAME.search(str(op.location))
                        place = ":".join(frame.groups()) if frame else ""
                        lines.append(f"{op.name} operands={len(op.operands)} results={types} "
                                     f"loc={place}")
                    walk(op)

    with interpreters.make_ir_context() as context:
        module = stablehlo.deserialize_portable_artifact(context, data)
        walk(module.operation)
    return lines


def without_names(text: str):
    return [line.split(" name=")[0] for line in text.splitlines()]


@pytest.mark.parametrize("file", SMALL, ids=lambda f: f.stem)
def test_jaxlib_reads_the_same_operations_in_a_small_program(file, shlo_dump):
    assert without_names(shlo_dump("--ops", file).stdout) == jaxlib_ops(file.read_bytes())


@pytest.mark.parametrize("version", ["0.9.0", "0.19.0", "1.0.0", "1.5.0", "1.8.0", "1.17.0"])
@pytest.mark.parametrize("file", SMALL, ids=lambda f: f.stem)
def test_other_versions_read_like_jaxlib_reads_them(file, version, shlo_dump, tmp_path):
    interpreters = pytest.importorskip("jax._src.interpreters.mlir", reason="JAX is not installed")
    from jaxlib import _jax
    from jaxlib.mlir.dialects import stablehlo

    with interpreters.make_ir_context() as context:
        module = stablehlo.deserialize_portable_artifact(context, file.read_bytes())
        try:
            data = _jax.mlir.serialize_portable_artifact(module, version, True)
        except Exception as refusal:  # jaxlib's own type; the old version lacks an operation
            assert "failed to legalize" in str(refusal)
            pytest.skip(f"jaxlib cannot write {file.stem} for {version}")
    (tmp_path / "old.mlirbc").write_bytes(data)
    done = shlo_dump("--ops", tmp_path / "old.mlirbc")
    assert done.returncode == 0, done.stderr
    assert without_names(done.stdout) == jaxlib_ops(data)


def test_every_shared_file_parses_and_verifies(shlo_dump):
    files = shared_files()
    done = shlo_dump("--quiet", *files)
    # Fourier transforms are the only thing in these sets that has no kernel.
    unexpected = [line for line in done.stderr.splitlines()
                  if "TY-SHLO-042  stablehlo.fft" not in line]
    assert done.returncode == 0 and not unexpected, "\n".join(unexpected)


def test_a_print_does_not_change_from_run_to_run(shlo_dump):
    files = shared_files()
    assert shlo_dump(*files).stdout == shlo_dump(*files).stdout


def test_jaxlib_reads_the_same_operations_in_every_shared_file(shlo_dump):
    differing = [file.name for file in shared_files()
                 if without_names(shlo_dump("--ops", file).stdout) != jaxlib_ops(file.read_bytes())]
    assert not differing


def test_the_shared_lists_name_the_same_operations(shlo_dump):
    shared_files()
    for row in json.loads((SHARED / "jax-programs/programs.json").read_text()):
        lines = shlo_dump("--ops", SHARED / "jax-programs" / row["module"]).stdout.splitlines()
        found = {line.split()[0] for line in lines}
        ignored = {"func.func", "func.return", "stablehlo.return", "sdy.mesh", "sdy.return"}
        assert found - ignored == set(row["ops"]) - ignored, row["name"]


def test_text_with_chlo_operations_becomes_bytecode(shlo_dump, tmp_path):
    pytest.importorskip("jaxlib", reason="jaxlib is not installed")
    from trainyard import mlir_text

    text = """module @jit_f {
      func.func public @main(%x: tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x6xf32>) {
        %v, %i = chlo.top_k(%x, k = 2) : tensor<4x6xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
        %g = chlo.lgamma %x : tensor<4x6xf32> -> tensor<4x6xf32>
        return %v, %g : tensor<4x2xf32>, tensor<4x6xf32> } }"""
    (tmp_path / "f.mlir").write_text(text)
    assert mlir_text.main([str(tmp_path / "f.mlir"), str(tmp_path / "f.mlirbc")]) == 0
    done = shlo_dump("--ops", tmp_path / "f.mlirbc")
    assert done.returncode == 0 and not done.stderr
    counts = collections.Counter(line.split()[0] for line in done.stdout.splitlines())
    assert counts["stablehlo.composite"] == 1  # top_k keeps its name
    assert counts["stablehlo.log"] >= 1  # lgamma is expanded


def test_every_shared_text_case_becomes_bytecode(shlo_dump, tmp_path):
    pytest.importorskip("jaxlib", reason="jaxlib is not installed")
    from trainyard import mlir_text

    shared_files()
    for source in sorted((SHARED / "stablehlo").glob("*.mlir")):
        (tmp_path / f"{source.stem}.mlirbc").write_bytes(mlir_text.to_bytecode(source.read_bytes()))
    done = shlo_dump("--quiet", *sorted(tmp_path.glob("*.mlirbc")))
    assert done.returncode == 0 and not done.stderr
