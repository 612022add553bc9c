"""Random instructions as text programs: many cases in one program, one run for all of them.

A case declares tiles with random contents, names random patterns of them, adds one instruction and
says what its operands must hold afterwards. `Cases.run` loads the tiles, runs everything, stores
every tile and compares each byte, so that a write outside the destination's pattern is found too.
"""

import os
import pathlib
import subprocess

import numpy as np
import oracle

TARGETS = ("trn1", "trn2", "trn3")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Access:
    """A pattern of a tile: its text, and the flat index of each element."""

    def __init__(self, tile, partition, partitions, offset, dims, dtype=None):
        self.tile, self.partition, self.partitions = tile, partition, partitions
        self.offset, self.dims, self.dtype = offset, dims, dtype or tile.dtype
        index = np.array([offset])
        for step, count in dims:
            index = (index[:, None] + step * np.arange(count)[None, :]).reshape(-1)
        self.index = index

    @property
    def count(self):
        return len(self.index)

    def __str__(self):
        view = "" if self.dtype == self.tile.dtype else f".as({self.dtype})"
        rows = (f"partition={self.partition}, partitions={self.partitions}, "
                if self.tile.memory != "hbm" else "")
        dims = ",".join(f"[{s},{c}]" for s, c in self.dims)
        return f"{self.tile.name}{view}.ap({rows}offset={self.offset}, dims=[{dims}])"

    def rows(self, array):
        flat = oracle.view_as(array, self.dtype)
        return flat[self.partition:self.partition + self.partitions]

    def get(self, after=False):
        """The elements, one row per partition."""
        return self.rows(self.tile.after if after else self.tile.before)[:, self.index]

    def put(self, values):
        """What the destination must hold."""
        self.rows(self.tile.after)[:, self.index] = values


class Tile:
    def __init__(self, name, memory, dtype, before):
        self.name, self.memory, self.dtype = name, memory, dtype
        self.before = before  # [partitions, elements]; HBM: one row
        self.after = before.copy()
        self.known = None  # of a tile that is not loaded: which elements are compared


class Cases:
    def __init__(self, seed, target="trn2"):
        self.random = np.random.default_rng(seed)
        self.target = target
        self.lines = []
        self.tiles = []
        self.compare = []  # (case, tile, how)
        self.registers = []
        self.case = 0

    # ---- choices

    def choose(self, *options):
        return options[self.random.integers(len(options))]

    def integer(self, low, high):
        return int(self.random.integers(low, high + 1))

    def partitions(self, most=128):
        return min(self.choose(1, 2, 3, 8, 16, 31, 32, 33, 64, 100, 128), most)

    def start_partition(self, partitions, room=128):
        """A legal first partition for an engine's operand. [neuroncore 2.0]"""
        granule = 128 if partitions > 64 else 64 if partitions > 32 else 32
        legal = [p for p in range(0, 128, granule) if p + partitions <= room]
        return int(self.random.choice(legal)) if legal else 0

    def factors(self, count, most):
        """count as a product of up to `most` factors."""
        shape = [count]
        while len(shape) < most and self.random.random() < 0.6:
            n = shape[-1]
            divisors = [d for d in range(2, n) if n % d == 0]
            if not divisors:
                break
            d = int(self.random.choice(divisors))
            shape[-1:] = [n // d, d]
        return shape

    def pattern(self, count, is_dst, most_dims=3):
        """Random dims over `count` elements and the elements that they span."""
        if self.random.random() < 0.4:
            return 0, [(1, count)], count
        shape = self.factors(count, most_dims)
        order = self.random.permutation(len(shape))
        steps = [0] * len(shape)
        span = 1
        for d in order:
            step = span * self.choose(1, 1, 1, 2, 3)
            if not is_dst and self.random.random() < 0.15:
                step = 0  # broadcast
            steps[d] = step
            span = span + step * (shape[d] - 1) if step else span
        offset = 0
        for d, n in enumerate(shape):
            if steps[d] and self.random.random() < 0.15:  # backwards
                offset += steps[d] * (n - 1)
                steps[d] = -steps[d]
        return offset, list(zip(steps, shape)), span

    # ---- tiles

    def values(self, dtype, shape, low=None, high=None):
        return oracle.random_values(self.random, dtype, shape, low, high)

    def declare(self, memory, dtype, before):
        tile = Tile(f"t{len(self.tiles)}", memory, dtype, before)
        self.tiles.append(tile)
        return tile

    def operand(self, dtype, partitions, count, *, memory="sbuf", is_dst=False, values=None,
                low=None, high=None, dims=None):
        """A new tile and a random pattern of it. `values` fills a dense tile."""
        first = self.start_partition(partitions)
        if values is not None:
            offset, dims, span = 0, dims or [(1, count)], count
        else:
            offset, dims, span = self.pattern(count, is_dst)
            # A matmul writes inside one bank.
            if memory == "psum" and (span + 5) * oracle.size_of(dtype) > 2048:
                offset, dims, span = 0, [(1, count)], count
        lead, tail = (self.integer(0, 5), self.integer(0, 5)) if values is None else (0, 0)
        rows = min(128, first + partitions + self.integer(0, 3))
        contents = self.values(dtype, (rows, lead + span + tail), low, high)
        if values is not None:
            contents[first:first + partitions] = values
        tile = self.declare(memory, dtype, contents)
        return Access(tile, first, partitions, lead + offset, dims)

    def hbm(self, dtype, count, *, is_dst=False, low=None, high=None):
        offset, dims, span = self.pattern(count, is_dst)
        lead, tail = self.integer(0, 9), self.integer(0, 9)
        contents = self.values(dtype, (1, lead + span + tail), low, high)
        return Access(self.declare("hbm", dtype, contents), 0, 1, lead + offset, dims)

    def column(self, dtype, partitions, low=None, high=None):
        return self.operand(dtype, partitions, 1, low=low, high=high)

    def fresh_psum(self, dtype, rows, count):
        """A PSUM tile that nothing has written: only what `known` names is compared."""
        tile = self.declare("psum", dtype, np.zeros((rows, count), oracle.NUMPY[dtype]))
        tile.known = np.zeros((rows, count), bool)
        return tile

    def register(self):
        self.registers.append(f"r{len(self.registers)}")
        return self.registers[-1]

    def add(self, *lines):
        """Ends a case: its instructions."""
        self.lines.extend(lines)
        self.case += 1

    # ---- the run

    def text(self):
        """Tiles lie in `data` one after the other; each is loaded, and stored to `result`."""
        size = 0
        body = []
        self.places = []
        for t in self.tiles:
            size = (size + 63) // 64 * 64
            nbytes = t.before.nbytes
            self.places.append((size, nbytes))
            rows, n = t.before.shape
            if t.memory == "hbm":
                body.append(f"{t.name}: hbm {t.dtype}[{n}]")
                shape, source = f"{n}", f"{t.name}_in"
            else:
                shape, source = f"{rows},{n}", f"{t.name}_in"
            body.append(f"{t.name}_in: hbm {t.dtype}[{shape}] view data + {size}")
            body.append(f"{t.name}_out: hbm {t.dtype}[{shape}] view result + {size}")
            if t.memory == "psum":
                body.append(f"{t.name}: psum {t.dtype}[{rows},{n}]")
                body.append(f"{t.name}_s: sbuf {t.dtype}[{rows},{n}]")
                if t.known is None:
                    body.append(f"dma_copy {t.name}_s <- {source}")
                    body.append(f"tensor_copy {t.name} <- {t.name}_s on vector")
            else:
                if t.memory == "sbuf":
                    body.append(f"{t.name}: sbuf {t.dtype}[{rows},{n}]")
                body.append(f"dma_copy {t.name} <- {source}")
            size += nbytes
        body.extend(self.lines)
        for t in self.tiles:
            source = t.name
            if t.memory == "psum":
                body.append(f"tensor_copy {t.name}_s <- {t.name} on vector")
                source = f"{t.name}_s"
            body.append(f"dma_copy {t.name}_out <- {source}")
        head = [f"program cases target {self.target}"]
        if self.registers:
            head.append("reg " + ", ".join(self.registers))
        head += [f"data: hbm u8[{size}] in", f"result: hbm u8[{size}] out"]
        self.size = size
        return "\n".join(head + body) + "\n"

    def run(self, folder, compare=None, **settings):
        """Runs all cases and compares every tile, or calls compare(tile, actual)."""
        text = self.text()
        (folder / "cases.tya").write_text(text)
        data = np.zeros(self.size, np.uint8)
        for t, (at, nbytes) in zip(self.tiles, self.places):
            data[at:at + nbytes] = np.frombuffer(t.before.tobytes(), np.uint8)
        data.tofile(folder / "data.bin")
        output = run_values(folder / "cases.tya", folder, **settings)
        result = np.fromfile(folder / "result.bin", np.uint8)
        for t, (at, nbytes) in zip(self.tiles, self.places):
            actual = np.frombuffer(result[at:at + nbytes].tobytes(), t.before.dtype)
            actual = actual.reshape(t.before.shape)
            try:
                (compare or assert_same)(t, actual)
            except AssertionError as error:
                users = [line for line in self.lines if f"{t.name}." in line]
                raise AssertionError("\n".join([str(error), *users])) from None
        return output


def run_values(program, folder, **settings):
    """Runs the test program and returns what it prints; a fault or an error raises."""
    done = try_values(program, folder, **settings)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def try_values(program, folder, simd=None, **settings):
    """`simd` limits the host's instructions: the bits must not change."""
    tool = ROOT / "build/release/tests/tools/run_values"
    arguments = [f"{k}={v}" for k, v in settings.items()]
    environment = os.environ | ({"TRAINYARD_SIMD": simd} if simd else {})
    return subprocess.run([str(tool), str(program), str(folder), *arguments],
                          capture_output=True, text=True, env=environment)


def differences(tile, actual):
    """Indices of elements with other bits; NaNs count as one value."""
    size = f"u{tile.after.dtype.itemsize}"
    same = actual.view(size) == tile.after.view(size)
    if oracle.is_float(tile.dtype):
        with np.errstate(all="ignore"):
            both_nan = (np.isnan(oracle.widen(actual, tile.dtype))
                        & np.isnan(oracle.widen(tile.after, tile.dtype)))
        same |= both_nan
    if tile.known is not None:
        same |= ~tile.known
    return np.argwhere(~same)


def assert_same(tile, actual):
    wrong = differences(tile, actual)
    lines = [f"  {tile.name}[{p},{f}]: {actual[p, f]!r}, expected {tile.after[p, f]!r}"
             for p, f in wrong[:5]]
    assert not len(wrong), f"{tile.name}: {len(wrong)} elements differ\n" + "\n".join(lines)


def ulps(a, b):
    """Distance of fp32 numbers in units of the last place; NaNs are equal."""
    def ordered(x):
        bits = x.astype(np.float32).view(np.int32).astype(np.int64)
        return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)
    both = np.isnan(a) & np.isnan(b)
    return np.where(both, 0, np.abs(ordered(a) - ordered(b)))
