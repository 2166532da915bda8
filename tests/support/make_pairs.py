"""Write `tests/cases/variants/pairs.json`: rows of sandbox settings for pairwise tests.

For every two variants of the sandbox server, each combination of their values occurs in a row,
unless the values exclude each other. Run this file after adding a variant: `.venv/bin/python
tests/support/make_pairs.py`. Each row starts with a pair that is still missing; every other
variant gets the value that adds most new pairs.
"""

import json
import random
import sys
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "triggers"))

from p4warden_sandbox.variant_definitions import EXCLUSIONS, VARIANTS, Variant  # noqa: E402

Pair = frozenset[tuple[str, str]]
_EXCLUDED = {frozenset((e.first_value, e.second_value)) for e in EXCLUSIONS}


def compatible() -> set[Pair]:
    """Return all pairs of values of two sandbox variants that do not exclude each other."""
    results = {
        frozenset(((one.name, a), (other.name, b)))
        for one, other in combinations(VARIANTS, 2)
        for a in one.values
        for b in other.values
    }
    return results - _EXCLUDED


def pairs_of(row: dict[str, str]) -> set[Pair]:
    """Return every pair of two (variant, value) tuples in one row of sandbox settings."""
    return {frozenset(pair) for pair in combinations(row.items(), 2)}


def make(attempts: int = 60) -> list[dict[str, str]]:
    """Return the smallest of several lists of rows; each list has all compatible pairs of values.

    Each attempt orders the variants differently; the seeds are fixed, so the result is
    reproducible.
    """
    generators = [random.Random(seed) for seed in range(attempts)]  # noqa: S311 - orders, no secrets
    orders = [one.sample(VARIANTS, len(VARIANTS)) for one in generators]
    return min((_rows(order) for order in orders), key=len)


def _rows(order: list[Variant]) -> list[dict[str, str]]:
    missing, rows = compatible(), []
    while missing:
        row = dict(min(missing, key=sorted))
        for variant in order:
            if variant.name not in row:
                row[variant.name] = _best(variant, row, missing)
        missing -= pairs_of(row)
        rows.append({variant.name: row[variant.name] for variant in VARIANTS})
    return rows


def _best(variant: Variant, row: dict[str, str], missing: set[Pair]) -> str:
    values = [v for v in variant.values if not pairs_of({**row, variant.name: v}) & _EXCLUDED]
    return max(values, key=lambda value: len(pairs_of({**row, variant.name: value}) & missing))


if __name__ == "__main__":
    text = ",\n ".join(json.dumps(row) for row in make())
    (ROOT / "tests/cases/variants/pairs.json").write_text(f"[{text}]\n", "utf-8")
