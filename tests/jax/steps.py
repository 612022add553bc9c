"""The training steps of the examples as StableHLO, and what they must compute at least."""

import importlib
import math
import pathlib

import jax
import training


def step_of(name: str):
    """step, arguments: as the example of that name runs them."""
    caught = {}

    class Caught(Exception):
        pass

    def catch(loss, params, batches, optimizer=training.AdamW()):
        caught["all"] = loss, params, batches[0], optimizer
        raise Caught

    module = importlib.import_module(name)
    original, training.train = training.train, catch
    try:
        module.main()
    except Caught:
        pass
    finally:
        training.train = original
    loss, params, batch, optimizer = caught["all"]
    return training.make_step(loss, optimizer), (params, optimizer.init(params), *batch)


def write(name: str, folder: pathlib.Path) -> pathlib.Path:
    from trainyard import mlir_text

    step, arguments = step_of(name)
    text = step.lower(*arguments).compiler_ir("stablehlo").operation.get_asm(enable_debug_info=True)
    path = folder / f"{name}.mlirbc"
    path.write_bytes(mlir_text.to_bytecode(text))
    return path


def contraction_flops(name: str) -> float:
    """Of all dots and convolutions of the step, counted on JAX's own form of it."""
    step, arguments = step_of(name)
    return _count(jax.make_jaxpr(step)(*arguments).jaxpr)


def _count(jaxpr) -> float:
    total = 0.0
    for equation in jaxpr.eqns:
        if equation.primitive.name == "dot_general":
            (contracted, _), _ = equation.params["dimension_numbers"]
            shape = equation.invars[0].aval.shape
            total += 2.0 * equation.outvars[0].aval.size * math.prod(shape[i] for i in contracted)
        elif equation.primitive.name == "conv_general_dilated":
            kernel = equation.invars[1].aval.shape
            numbers = equation.params["dimension_numbers"].rhs_spec
            taps = math.prod(kernel[i] for i in numbers[1:])  # input channels and window
            total += 2.0 * equation.outvars[0].aval.size * taps
        times = equation.params.get("length", 1) if equation.primitive.name == "scan" else 1
        for value in jax.tree.leaves(list(equation.params.values()),
                                     is_leaf=lambda v: hasattr(v, "eqns") or hasattr(v, "jaxpr")):
            inner = getattr(value, "jaxpr", value)
            if hasattr(inner, "eqns"):
                total += times * _count(inner)
    return total
