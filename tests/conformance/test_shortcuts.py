"""Shortcuts and threads never change the bits: random bodies and the examples, run in every way.

A random body has nested and triangular repeats, tiles declared at any level, loads and stores of
regions that may or may not overlap between iterations, carried tiles, sums in PSUM and in the
Scalar engine's registers. Every tile is written before it is read.
"""

import collections
import re

import numpy as np
import oracle
import pytest
from cases import ROOT, run_values

WAYS = ({"shortcuts": 0, "threads": 1}, {"shortcuts": 1, "threads": 1},
        {"shortcuts": 1, "threads": 3}, {"shortcuts": 0, "threads": 2})
BLOCKS = 8  # an HBM tensor is 8 x 8 regions of 32 x 16


class Body:
    """Writes one random program."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.lines = ["program random target trn2"]
        self.loops = []  # (name, largest value of the counter)
        self.tiles = [[]]  # by scope: (name, dtype, shape)
        self.count = collections.Counter()
        self.hbm = [("x0", "f32"), ("x1", "bf16"), ("u0", "f32"), ("u1", "bf16")]
        for name, dtype in self.hbm:
            io = "in" if name[0] == "x" else "inout"
            self.lines.append(f"{name}: hbm {dtype}[{32 * BLOCKS},{16 * BLOCKS}] {io}")
        self.block(depth=0, statements=self.integer(3, 6))

    def integer(self, low, high):
        return int(self.random.integers(low, high + 1))

    def choose(self, options):
        return options[self.random.integers(len(options))]

    def name(self, kind):
        self.count[kind] += 1
        return f"{kind}{self.count[kind]}"

    def emit(self, text):
        self.lines.append("  " * len(self.loops) + text)

    # ---- places

    def position(self, most):
        """An affine expression in the counters with values from 0 to `most`."""
        terms, room = [], most
        for name, high in self.random.permutation(np.array(self.loops, object)).reshape(-1, 2):
            step = self.integer(0, 3)
            if step and high * step <= room and self.random.random() < 0.8:
                terms.append(f"{step}*{name}")
                room -= high * step
        constant = self.integer(0, room) if self.random.random() < 0.5 else 0
        return terms, constant

    def region(self, writable):
        names = [h for h in self.hbm if not writable or h[0][0] == "u"]
        tensor, dtype = self.choose(names)
        (rows, r), (columns, c) = self.position(BLOCKS - 1), self.position(BLOCKS - 1)
        scaled = lambda terms, constant, by: "+".join(
            [f"{by}*{t}" for t in terms] + [str(by * constant)])
        return f"{tensor}[{scaled(rows, r, 32)}+:32, {scaled(columns, c, 16)}+:16]", dtype

    def all_tiles(self, shape):
        return [t for scope in self.tiles for t in scope if t[2] == shape]

    def tile(self, dtype=None):
        """A new tile that holds something."""
        name = self.name("t")
        if self.random.random() < 0.6:
            region, kind = self.region(writable=False)
            dtype = dtype or self.choose((kind, kind, "f32", "bf16"))
            self.emit(f"{name}: sbuf {dtype}[32,16]")
            self.emit(f"dma_copy {name} <- {region}")
        else:
            dtype = dtype or self.choose(("f32", "bf16"))
            self.emit(f"{name}: sbuf {dtype}[32,16]")
            self.emit(f"memset {name} value={self.choose((0.5, -1.25, 2.0))}")
        self.tiles[-1].append((name, dtype, "tile"))
        return name

    def some_tile(self):
        tiles = self.all_tiles("tile")
        return self.choose(tiles)[0] if tiles and self.random.random() < 0.8 else self.tile()

    def wide(self):
        """A tile of four pieces, loaded one by one or at once."""
        tiles = self.all_tiles("wide")
        if tiles and self.random.random() < 0.5:
            return self.choose(tiles)[0]
        name = self.name("w")
        self.emit(f"{name}: sbuf bf16[32,4,16]")
        row = 32 * self.integer(0, BLOCKS - 4)
        rows, _ = self.position(BLOCKS - 1)
        place = "+".join([f"16*{t}" for t in rows] + ["0"])
        if self.random.random() < 0.5:
            counter = self.name("k")
            self.emit(f"repeat {counter} 4 {{ dma_copy {name}[:,{counter},:] <- "
                      f"x1[{row}+32*{counter}+:32, {place}+:16] }}")
        else:
            first = 16 * BLOCKS * row
            offset = "+".join([str(first), place])
            self.emit(f"dma_copy {name} <- x1.ap(offset={offset}, "
                      f"dims=[[{16 * BLOCKS},32],[{32 * 16 * BLOCKS},4],[1,16]])")
        self.tiles[-1].append((name, "bf16", "wide"))
        return name

    # ---- statements

    def elementwise(self):
        a, b = self.some_tile(), self.some_tile()
        dst = self.choose([a, b, self.some_tile()])
        kind = self.integer(0, 3)
        if kind == 0:
            self.emit(f"tensor_tensor {dst} <- {a}, {b} op={self.choose(('add', 'max'))} on vector")
        elif kind == 1:
            self.emit(f"tensor_scalar {dst} <- {a} op0=multiply operand0=0.75 op1=add "
                      "operand1=0.125 on vector")
        elif kind == 2:
            self.emit(f"tensor_copy {dst} <- {a} on vector")
        else:
            half = self.integer(0, 1) * 8
            self.emit(f"tensor_copy {dst}[:,{half}+:8] <- {a}[:,{8 - half}+:8] on vector")

    def reduce(self):
        a = self.some_tile()
        column = self.name("s")
        self.emit(f"{column}: sbuf f32[32,1]")
        command = self.choose(("reset_reduce", "reset_reduce", "reduce"))
        self.emit(f"activation {a} <- {a} op=tanh reduce_cmd={command} reduce_res={column}")
        self.emit(f"tensor_scalar {a} <- {a} op0=add operand0={column} on vector")

    def store(self):
        tile = self.some_tile()
        region, _ = self.region(writable=True)
        self.emit(f"dma_copy {region} <- {tile}")

    def products(self):
        """A batch of matmul nests, with the sum's tile inside or outside."""
        a, b = self.wide(), self.wide()
        m, k = self.name("m"), self.name("k")
        outside = self.random.random() < 0.3
        p, c = self.name("p"), self.name("c")
        if outside:
            self.emit(f"{p}: psum f32[16,16]")
        self.emit(f"repeat {m} {self.integer(1, 3)} {{")
        self.loops.append((m, 2))
        if not outside:
            self.emit(f"{p}: psum f32[16,16]")
        self.emit(f"{c}: sbuf f32[16,16]")
        left = self.choose((f"{a}[:,{k},:]", f"{a}[:,{m},:]", f"{a}[:,0,:]"))
        right = self.choose((f"{b}[:,{k},:]", f"{b}[:,{k},:]", f"{b}[:,{m},:]"))
        how = self.choose(("first_write", "first_write", "accumulate", "overwrite"))
        if how == "accumulate":
            self.emit(f"memset {p} value=1.0")
        self.emit(f"repeat {k} {self.integer(1, 4)} {{ nc_matmul {p} <- {left}, {right} {how} }}")
        if self.random.random() < 0.3:
            self.emit(f"nc_matmul {p} <- {a}[:,1,:], {b}[:,2,:]")
        self.emit(f"tensor_copy {c} <- {p} on vector")
        (rows, r), (columns, q) = self.position(BLOCKS - 1), self.position(BLOCKS - 1)
        row = "+".join([f"32*{t}" for t in rows] + [str(32 * r)])
        column = "+".join([f"16*{t}" for t in columns] + [str(16 * q)])
        self.emit(f"dma_copy u0[{row}+:16, {column}+:16] <- {c}")
        self.loops.pop()
        self.emit("}")

    def repeat(self, depth):
        name = self.name("i")
        outer = [(n, h) for n, h in self.loops if h <= 3]
        if outer and self.random.random() < 0.25:
            other, high = self.choose(outer)
            count, most = f"{other} + 1", high + 1
        else:
            most = self.integer(1, 4)
            count = str(most)
        self.emit(f"repeat {name} {count} {{")
        self.loops.append((name, most - 1))
        self.tiles.append([])
        self.block(depth + 1, self.integer(2, 5))
        self.tiles.pop()
        self.loops.pop()
        self.emit("}")

    def block(self, depth, statements):
        for _ in range(statements):
            choice = self.random.random()
            if choice < 0.3 and depth < 3:
                self.repeat(depth)
            elif choice < 0.5:
                self.store()
            elif choice < 0.62:
                self.products()
            elif choice < 0.7:
                self.reduce()
            else:
                self.elementwise()

    def text(self):
        return "\n".join(self.lines) + "\n"


def inputs(random, folder):
    for name, dtype in (("x0", "f32"), ("x1", "bf16"), ("u0", "f32"), ("u1", "bf16")):
        values = random.uniform(-1, 1, (32 * BLOCKS, 16 * BLOCKS))
        (folder / f"{name}.in").write_bytes(oracle.narrow(values, dtype).tobytes())


def run_once(program, folder, way):
    """The bytes of all outputs, and the plan's remarks."""
    for name in ("x0", "x1", "u0", "u1"):
        (folder / f"{name}.bin").write_bytes((folder / f"{name}.in").read_bytes())
    output = run_values(program, folder, share=0, **way)
    return [(folder / f"{n}.bin").read_bytes() for n in ("u0", "u1")], output


@pytest.mark.parametrize("first,count", [(0, 40), *(pytest.param(1000 * part, 100,
                                                                 marks=pytest.mark.slow)
                                                    for part in range(1, 5))])
def test_random_bodies_give_the_same_bits_in_every_way(tmp_path, first, count):
    seen = collections.Counter()
    for seed in range(first, first + count):
        body = Body(seed)
        program = tmp_path / f"body{seed}.tya"
        program.write_text(body.text())
        inputs(np.random.default_rng(seed), tmp_path)
        reference = None
        for way in WAYS:
            results, output = run_once(program, tmp_path, way)
            if reference is None:
                reference = results
            assert results == reference, f"{way} differs\n{body.text()}\n{output}"
            for words in ("view of", "one product", "at once", "independent"):
                seen[words] += words in output
    # The bodies are of no use if nothing is found in them.
    assert min(seen[w] for w in ("view of", "one product", "at once", "independent")) >= 10, seen


EXAMPLES = sorted(p.stem for p in (ROOT / "examples").glob("*.tya"))
LARGE = {"matmul"}


def example_inputs(text, folder):
    """Random contents for each input; the names of the outputs."""
    random = np.random.default_rng(3)
    outputs = []
    for name, dtype, shape, io in re.findall(r"(\w+): hbm (\w+)\[([\d,]+)\] (in|out|inout)\b", text):
        n = math_product(shape)
        if io != "out":
            low, high = (0.1, 2.0) if oracle.is_float(dtype) else (1, 6)
            values = oracle.random_values(random, dtype, n, low, high)
            (folder / f"{name}.bin").write_bytes(values.tobytes())
        if io != "in":
            outputs.append(name)
    return outputs


def math_product(shape):
    return int(np.prod([int(n) for n in shape.split(",")]))


@pytest.mark.parametrize("name", [pytest.param(e, marks=pytest.mark.slow if e in LARGE else ())
                                  for e in EXAMPLES])
def test_examples_give_the_same_bits_in_every_way(tmp_path, name):
    program = ROOT / "examples" / f"{name}.tya"
    reference = None
    for way in (*WAYS, {"watch": 1}) if name not in LARGE else WAYS[:3]:
        outputs = example_inputs(program.read_text(), tmp_path)
        run_values(program, tmp_path, share=0, **way)
        results = [(tmp_path / f"{n}.bin").read_bytes() for n in outputs]
        reference = reference or results
        assert results == reference, way
