#!/usr/bin/env python3
"""Computes every polynomial of numerics/functions and prints coefficients.h.

    pip install mpmath
    cd src/numerics/functions && python3 coefficients.py > coefficients.h

Each polynomial is a minimax fit (Remez) in 260-bit arithmetic; its coefficients are then rounded to
the working type. The comment above each array gives the error of the fit before that rounding.
"""

import struct

from mpmath import atan, atanh, cos, diff, erf, erfc, exp, expm1, fabs, findroot
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


print("#pragma once")
print("// Generated by numerics/functions/coefficients.py; do not edit. Lowest power first.\n")
print("namespace trainyard::numerics {\n")
exponentials()
logarithms()
trigonometric()
gaussians()
roots()
print("}  // namespace trainyard::numerics")
