from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_USUAL_PERCENT, _LEAST_FILES = 99, 10_000
_WITHOUT_INDEX = """\
  # max_files 2000000: our choice: the size of a large project's client. The rule needs an index of
  # the last checkpoint (p4warden index); p4warden init --index FILE chooses max_files by it.
"""
_BY_INDEX = """\
  # max_files {most}: by the index, {percent} of 100 clients span at most
  # {usual:,} files; our choice: twice that, and at least {least:,}. Compare
  # the estimates with a log before you enforce this rule:
  # p4warden replay --index FILE LOG...
"""


def most_read(files: Sequence[int] | None) -> tuple[int, str]:
    """Return `max_files` of large-reads, and its comment; `files` as in `starter_policy`."""
    if not files:
        return 2_000_000, _WITHOUT_INDEX
    usual = sorted(files)[(len(files) - 1) * _USUAL_PERCENT // 100]
    most = max(2 * usual, _LEAST_FILES)
    reason = _BY_INDEX.format(most=most, percent=_USUAL_PERCENT, usual=usual, least=_LEAST_FILES)
    return most, reason
