#!/usr/bin/env python3
"""Computes every polynomial of numerics/functions and writes it into two headers.

    pip install mpmath
    cd src/numerics/functions && python3 coefficients.py && clang-format -i coefficients*.h

coefficients.h serves the fp32 functions, coefficients64.h the f64 ones. Each polynomial is a minimax fit (Remez) in 260-bit arithmetic; its coefficients are then rounded to
the working type. The comment above each array gives the error of the fit before that rounding.
"""

import contextlib
import struct

from mpmath import atan, atanh, cos, diff, erf, erfc, erfinv, exp, expm1, fabs, findroot, floor
from mpmath import log, lu_solve, matrix, mp, mpf, pi, sin, sqrt

mp.prec = 260


def chebyshev_points(lo, hi, n):
    return [(lo + hi) / 2 + (hi - lo) / 2 * cos(pi * (n - i) / n) for i in range(n + 1)]


def solve_levelled(f, powers, points):
    """The coefficients whose relative error has equal size and alternating sign at `points`."""
    m = len(powers)
    a, b = matrix(m + 1, m + 1), matrix(m + 1, 1)
    for i, x in enumerate(points):
        for j, p in enumerate(powers):
            a[i, j] = x**p
        a[i, m] = (-1) ** i * f(x)
        b[i] = f(x)
    solution = lu_solve(a, b)
    return [solution[j] for j in range(m)], fabs(solution[m])


def vertex(xs, ys):
    """Where the parabola through three points turns, or the middle point."""
    (x0, x1, x2), (y0, y1, y2) = xs, ys
    den = (x1 - x0) * (y1 - y2) - (x1 - x2) * (y1 - y0)
    if den == 0:
        return x1
    x = x1 - ((x1 - x0) ** 2 * (y1 - y2) - (x1 - x2) ** 2 * (y1 - y0)) / (2 * den)
    return x if x0 < x < x2 else x1


def error_peaks(error, lo, hi, m):
    """One point of largest error between each two sign changes."""
    grid = chebyshev_points(lo, hi, 40 * (m + 1))
    values = [error(x) for x in grid]
    runs = [[0]]
    for i in range(1, len(grid)):
        if values[i] * values[i - 1] < 0:
            runs.append([i])
        else:
            runs[-1].append(i)
    peaks = []
    for run in runs:
        k = max(run, key=lambda i: fabs(values[i]))
        inner = 0 < k < len(grid) - 1
        x = vertex(grid[k - 1 : k + 2], values[k - 1 : k + 2]) if inner else grid[k]
        peaks.append((x, error(x)))
    return peaks


def remez(f, powers, lo, hi):
    """The p with these powers that minimises max |p(x) / f(x) - 1|, and that maximum."""
    lo, hi = mpf(lo), mpf(hi)
    m = len(powers)
    points = chebyshev_points(lo, hi, m)
    for _ in range(20):
        c, level = solve_levelled(f, powers, points)
        error = lambda x, c=c: sum(a * x**p for a, p in zip(c, powers)) / f(x) - 1
        peaks = error_peaks(error, lo, hi, m)
        worst = max(fabs(e) for _, e in peaks)
        while len(peaks) > m + 1:
            peaks.pop(0 if fabs(peaks[0][1]) < fabs(peaks[-1][1]) else -1)
        if len(peaks) < m + 1 or worst < level * (1 + mpf(10) ** -4):
            break
        points = [x for x, _ in peaks]
    return c, worst


def f32_text(v):
    return struct.unpack("f", struct.pack("f", float(v)))[0].hex() + "f"


def literal(v, kind):
    return float(v).hex() if kind == "double" else f32_text(v)


def wrapped(items):
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) + 2 > 98:
            lines.append(line)
            line = "   "
        line += " " + item + ","
    return "\n".join(lines + [line])


def emit(name, what, f, powers, lo, hi, kind="double"):
    c, worst = remez(f, powers, lo, hi)
    span = f"[{mp.nstr(mpf(lo), 6)}, {mp.nstr(mpf(hi), 6)}]"
    print(f"// {what} on {span}: 2^{mp.nstr(log(worst, 2), 4)}.")
    print(f"inline constexpr {kind} {name}[] = {{")
    print(wrapped(literal(v, kind) for v in c) + "\n};\n")


def emit_pair(name, what, value):
    hi = float(value)
    print(f"// {what}, as a sum of two doubles.")
    print(f"inline constexpr double {name}Hi = {hi.hex()};")
    print(f"inline constexpr double {name}Lo = {float(value - mpf(hi)).hex()};\n")


def at_zero(f, value):
    """f with its limit where the formula is 0/0."""
    return lambda x: f(x) if fabs(x) > mpf(2) ** -80 else mpf(value)


def exponentials():
    r = log(2) / 2 * (1 + mpf(2) ** -20)
    rest = at_zero(lambda x: (expm1(x) - x) / x**2, 0.5)
    emit("kExpRest32", "fp32 (e^r - 1 - r) / r^2", rest, range(5), -r, r, "float")
    quotient = at_zero(lambda x: expm1(x) / x, 1)
    emit("kExpQuotient", "(e^r - 1) / r", quotient, range(6), -r, r)
    emit("kExpm1Quotient", "(e^r - 1) / r", quotient, range(7), -r, r)


def logarithms():
    series = at_zero(lambda z: atanh(sqrt(z)) / sqrt(z), 1)
    widest = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2
    emit("kAtanhLog", "atanh(s) / s in s^2", series, range(4), 0, widest)
    emit("kAtanhSoftplus", "atanh(s) / s in s^2", series, range(6), 0, mpf(1) / 9)


def trigonometric():
    ratio = at_zero(lambda z: sin(sqrt(z)) / sqrt(z) / (pi**2 - z), 1 / pi**2)
    emit("kSinOverRoots", "sin(x) / (x (pi - x) (pi + x)) in x^2", ratio, range(7), 0, pi**2 - 1e-9)
    emit("kAtan", "atan(x) / x in x^2", at_zero(lambda z: atan(sqrt(z)) / sqrt(z), 1), range(11), 0, 1)


def gaussians():
    emit("kErf", "erf(x) / x in x^2", at_zero(lambda z: erf(sqrt(z)) / sqrt(z), 2 / sqrt(pi)),
         range(19), 0, mpf("3.95") ** 2)
    k = 4  # t = 1 / (a + k) maps the half line to an interval on which the tail is smooth
    tail = lambda a: exp(a * a / 2) * erfc(a / sqrt(2)) / 2
    emit("kNormalTail", "e^(a^2/2) Phi(-a) / t in t = 1 / (a + 4)", lambda t: tail(1 / t - k) / t,
         range(11), 1 / mpf(15 + k), 1 / mpf(k))
    bracket = lambda a: tail(a) - a / sqrt(2 * pi)
    root = findroot(bracket, 0.75)
    slope = diff(bracket, root)
    over_root = lambda a: bracket(a) / (root - a) if fabs(root - a) > mpf(2) ** -80 else -slope
    emit_pair("kGeluDxRoot", "-x where gelu_dx(x) = 0", root)
    emit("kGeluDxOverRoot", "e^(a^2/2) gelu_dx(-a) / (root - a) in t = 1 / (a + 4)",
         lambda t: over_root(1 / t - k), range(11), 1 / mpf(16 + k), 1 / mpf(k))


def roots():
    root = findroot(lambda x: 1 + (1 + x) * exp(-x), -1.278)
    emit_pair("kSiluDxRoot", "x where silu_dx(x) = 0", root)
    print("// e^-root of it")
    print(f"inline constexpr double kSiluDxPowerAtRoot = {float(exp(-root)).hex()};\n")
    emit_pair("kPi", "pi", pi + mpf(0))


def exp_and_log_64():
    r = log(2) / 2 * (1 + mpf(2) ** -20)
    rest = at_zero(lambda x: (expm1(x) - x) / x**2, 0.5)
    emit("kExpRest", "(e^r - 1 - r) / r^2", rest, range(11), -r, r)
    widest = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2
    series = lambda z: atanh(sqrt(z)) / sqrt(z)
    emit("kLogRest", "2 (atanh(s) / s - 1) / s^2 in s^2",
         at_zero(lambda z: 2 * (series(z) - 1) / z, mpf(2) / 3), range(8), 0, widest)
    emit("kLogRest5", "(atanh(s) / s - 1 - s^2 / 3) / s^4 in s^2",
         at_zero(lambda z: (series(z) - 1 - z / 3) / z**2, mpf(1) / 5), range(8), 0, widest)
    short = floor(log(2) * 2**40) / 2**40
    print("// ln 2; an exponent times the first part is exact.")
    print(f"inline constexpr double kLn2Hi = {float(short).hex()};")
    print(f"inline constexpr double kLn2Lo = {float(log(2) - short).hex()};\n")
    emit_pair("kThird", "1/3", mpf(1) / 3)


def trigonometric_64():
    widest = (pi / 4 * (1 + mpf(2) ** -20)) ** 2
    emit("kSinRest", "(sin(x) / x - 1) / x^2 in x^2",
         at_zero(lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, -mpf(1) / 6), range(7), 0, widest)
    emit("kCosRest", "(cos(x) - 1 + x^2 / 2) / x^4 in x^2",
         at_zero(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, mpf(1) / 24), range(7), 0, widest)
    emit("kAtanRest", "(atan(x) / x - 1) / x^2 in x^2",
         at_zero(lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, -mpf(1) / 3), range(12), 0,
         ((sqrt(2) - 1) * (1 + mpf(2) ** -20)) ** 2)
    part = pi / 2
    print("// pi/2, as a sum of three doubles.")
    for i in range(3):
        print(f"inline constexpr double kHalfPi{i + 1} = {float(part).hex()};")
        part -= mpf(float(part))
    print()
    emit_pair("kPi", "pi", pi + mpf(0))


def two_over_pi():
    print("// The bits of 2/pi, highest first; the point is after the first word.")
    print("inline constexpr uint64_t kTwoOverPi[] = {")
    words = 20  # a double reaches 2^1024: 1024 bits to skip, 192 to use
    with mp.workprec(64 * words + 100):
        value = floor(2 / pi * mpf(2) ** (64 * words))
    digits = f"{int(value):0{16 * (words + 1)}x}"
    print(wrapped("0x" + digits[i : i + 16] for i in range(0, len(digits), 16)) + "\n};\n")


def gaussians_64():
    emit("kErfRest", "erf(x) / x - 1 in x^2",
         at_zero(lambda z: erf(sqrt(z)) / sqrt(z) - 1, 2 / sqrt(pi) - 1), range(10), 0, 0.2501)
    k = mpf(4)
    scaled = lambda a: (a + k) * exp(a * a) * erfc(a)
    variable = lambda a: (a - k) / (a + k)
    emit("kErfcTail", "(a + 4) e^(a^2) erfc(a) in (a - 4) / (a + 4)",
         lambda u: scaled(k * (1 + u) / (1 - u)), range(21), variable(mpf("0.4999")),
         variable(mpf("27.3")))


def erf_inv_over_x(w):
    """erf_inv(x) / x as a function of w = -ln(1 - x^2)."""
    if w < mpf(2) ** -80:
        return sqrt(pi) / 2
    x = sqrt(-expm1(-w))
    goal = exp(-w) / (1 + x)  # erfc of the result; 1 - x without cancellation
    y = erfinv(mpf(float(x))) if w < 10 else mpf("0.9") * sqrt(w)
    for _ in range(60):
        step = (erfc(y) - goal) / (-2 / sqrt(pi) * exp(-y * y))
        y -= step / (1 + y * step)
        if fabs(step) < mpf(2) ** -180:
            break
    return y / x


def inverse_64():
    emit("kErfInvCenter", "erf_inv(x) / x in w - 3.125",
         lambda v: erf_inv_over_x(v + mpf("3.125")), range(24), -3.125, 3.125)
    emit("kErfInvMiddle", "erf_inv(x) / x in sqrt(w) - 3.25",
         lambda v: erf_inv_over_x((v + mpf("3.25")) ** 2), range(20), -0.7501, 0.7501)
    emit("kErfInvTail", "erf_inv(x) / x in sqrt(w) - 5",
         lambda v: erf_inv_over_x((v + 5) ** 2), range(18), -1.0001, 1.02)
    emit("kInverseCubeRoot", "m^(-1/3)", lambda m: m ** (-mpf(1) / 3), range(6), 1, 8)


def write(path, namespace, parts):
    with open(path, "w") as file, contextlib.redirect_stdout(file):
        print("#pragma once")
        print("// Generated by coefficients.py; do not edit. Lowest power first.")
        print("#include <cstdint>\n")
        print(f"namespace {namespace} {{\n")
        for part in parts:
            part()
        print(f"}}  // namespace {namespace}")


write("coefficients.h", "trainyard::numerics::fp32",
      [exponentials, logarithms, trigonometric, gaussians, roots])
write("coefficients64.h", "trainyard::numerics::fp64",
      [exp_and_log_64, trigonometric_64, two_over_pi, gaussians_64, inverse_64])
