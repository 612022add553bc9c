"""Reports for a terminal: bars, times in words, the engines of a profile."""

from typing import Any

_BAR = 20  # characters at 100 %
_TITLES = {"tensor": "Tensor", "vector": "Vector", "scalar": "Scalar", "gpsimd": "GpSimd", "dma": "DMA"}


def bar(share: float) -> str:
    return "#" * round(min(max(share, 0), 1) * _BAR)


def in_words(seconds: float) -> str:
    for unit, size in [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3)]:
        if seconds < 1000 * size:
            return f"{seconds / size:.1f} {unit}" if size > 1e-9 else f"{seconds / size:.0f} ns"
    return f"{seconds:.3f} s"


def title(engine: str) -> str:
    return _TITLES.get(engine, engine)


def engine_rows(profile: dict[str, Any]) -> list[str]:
    """One line per engine, the busiest first."""
    busy = {name: row["busy_seconds"] for name, row in profile["engines"].items() if name in _TITLES}
    busy["dma"] = profile["dma_seconds"]
    rows = []
    for name, seconds in sorted(busy.items(), key=lambda item: -item[1]):
        share = seconds / profile["seconds"] if profile["seconds"] else 0
        rows.append(f"  {title(name):<7} {share:>5.0%}  {bar(share)}".rstrip())
    return rows


def bound_in_words(profile: dict[str, Any]) -> str:
    name = title(profile["bound_by"])
    return f"most of it waits; {name} works longest" if profile["mostly_waits"] else f"bound by {name}"


def operation_rows(profile: dict[str, Any], most: int) -> list[str]:
    """The operations that take longest, with the line of the source that asked for them."""
    rows = []
    for row in profile["operations"][:most]:
        share = row["busy_seconds"] / profile["seconds"] if profile["seconds"] else 0
        rows.append(f"  {in_words(row['busy_seconds']):>9} {share:>6.1%}  {title(row['runs_on']):<7} "
                    f"{row['operation']:<20} {row['place'] or '?'}")
    return rows
