"""Writes `tests/cases/variants/pairs.json`: rows that hold every two values of two variants.

Run it after a variant was added: `.venv/bin/python tests/support/make_pairs.py`. Each row begins
with a pair that is not held yet; every other variant gets the value that holds most new pairs.
"""

import json
import sys
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "triggers"))

from p4warden_sandbox.known_variants import EXCLUSIONS, VARIANTS, Variant  # noqa: E402

Pair = frozenset[tuple[str, str]]
_EXCLUDED = {frozenset((e.one, e.other)) for e in EXCLUSIONS}


def compatible() -> set[Pair]:
    """Return every two values of two variants that do not exclude each other."""
    found = {
        frozenset(((one.name, a), (other.name, b)))
        for one, other in combinations(VARIANTS, 2)
        for a in one.values
        for b in other.values
    }
    return found - _EXCLUDED


def held(row: dict[str, str]) -> set[Pair]:
    """Return the pairs that a row holds."""
    return {frozenset(pair) for pair in combinations(row.items(), 2)}


def make() -> list[dict[str, str]]:
    """Return the rows."""
    missing, rows = compatible(), []
    while missing:
        row = dict(min(missing, key=sorted))
        for variant in VARIANTS:
            if variant.name not in row:
                row[variant.name] = _best(variant, row, missing)
        missing -= held(row)
        rows.append({variant.name: row[variant.name] for variant in VARIANTS})
    return rows


def _best(variant: Variant, row: dict[str, str], missing: set[Pair]) -> str:
    allowed = [v for v in variant.values if not held({**row, variant.name: v}) & _EXCLUDED]
    return max(allowed, key=lambda value: len(held({**row, variant.name: value}) & missing))


if __name__ == "__main__":
    text = ",\n ".join(json.dumps(row) for row in make())
    (ROOT / "tests/cases/variants/pairs.json").write_text(f"[{text}]\n", "utf-8")
