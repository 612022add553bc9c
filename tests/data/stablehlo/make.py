#!/usr/bin/env python3
"""Makes the small StableHLO files of this folder with JAX: python tests/data/stablehlo/make.py

They are checked in, so that the tests need no JAX. Each is a few lines of a user's program.
"""

import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "python"))
from trainyard.mlir_text import to_bytecode  # noqa: E402

jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
jax.config.update("jax_num_cpu_devices", 8)


def mlp_grad(weights, x, y):
    def loss(weights):
        hidden = jnp.tanh(x @ weights[0])
        return jnp.mean((hidden @ weights[1] - y) ** 2)

    return jax.grad(loss)(weights)


def loop(x):
    def step(carry, row):
        carry = jnp.where(row.sum() > 0, carry + row, carry)
        return carry, carry.max()

    return jax.lax.scan(step, jnp.zeros(x.shape[1], x.dtype), x)


def mixed_types(table, indices, mask):
    rows = table[indices].astype(jnp.bfloat16)
    values, places = jax.lax.top_k(rows.astype(jnp.float32), 2)
    return jnp.sort(values, axis=1), places, mask & jnp.array([True, False, True]), rows


def conv_pool(image, kernel):
    out = jax.lax.conv_general_dilated(image, kernel, (1, 2), "SAME",
                                       dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.lax.reduce_window(out, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def key_bits(key):
    return jax.random.uniform(key, (3,))


def sharded(x, w):
    mesh = jax.make_mesh((2, 4), ("data", "model"),
                         axis_types=(jax.sharding.AxisType.Auto,) * 2)
    place = lambda spec: NamedSharding(mesh, spec)  # noqa: E731
    local = jax.shard_map(lambda a: jax.lax.psum(a, "model"), mesh=mesh,
                          in_specs=PartitionSpec("data", "model"), out_specs=PartitionSpec("data"))

    def f(x, w):
        y = jax.lax.with_sharding_constraint(x @ w, place(PartitionSpec("data", "model")))
        return local(y)

    return jax.jit(f, in_shardings=(place(PartitionSpec("data")),
                                    place(PartitionSpec(None, "model"))))


def spectrum(x):
    return jnp.fft.rfft(x)


def write(name, lowered):
    module = lowered.compiler_ir("stablehlo")
    text = module.operation.get_asm(enable_debug_info=True)
    (HERE / f"{name}.mlirbc").write_bytes(to_bytecode(text))


def main():
    f32 = jnp.float32
    shape = jax.ShapeDtypeStruct
    weights = [shape((4, 8), f32), shape((8, 2), f32)]
    programs = {
        "mlp_grad": (mlp_grad, (weights, shape((3, 4), f32), shape((3, 2), f32))),
        "loop": (loop, (shape((5, 4), f32),)),
        "mixed_types": (mixed_types, (shape((7, 4), jnp.float16), shape((3,), np.int32),
                                      shape((3,), np.bool_))),
        "conv_pool": (conv_pool, (shape((2, 8, 8, 3), f32), shape((3, 3, 3, 4), f32))),
        "key_bits": (key_bits, (jax.random.key(0),)),
        "spectrum": (spectrum, (shape((8,), f32),)),
    }
    for name, (function, arguments) in programs.items():
        write(name, jax.jit(function).lower(*arguments))
    x, w = shape((8, 16), f32), shape((16, 32), f32)
    write("sharded", sharded(x, w).lower(x, w))


if __name__ == "__main__":
    main()
