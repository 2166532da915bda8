"""Rules of a starter policy that need the arguments of commands, as comments to activate.

They stand as comments because p4d refuses a command whose arguments its trigger line cannot pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_USUAL_PERCENT, _LEAST_FILES = 99, 10_000
_HEAD = """
  # The rules below need the arguments of commands. They can stop commands even in mode observe:
  # p4d passes the arguments in the trigger line, Linux starts no program with a word of over
  # 128 KiB, and p4d then refuses the command, whatever mode and on_error say. The plug-ins of
  # Unreal and Unity send all files of a status update in one fstat: about 1,300 paths pass, 1,500
  # are refused. With triggers.io=1 no length is refused (inferred). Rehearse the rules with
  # p4warden replay first. To activate a rule, remove the # in front of its lines.
"""
_RULES = """
  # min_depth %d: our choice: as in wide-views, for commands that name a path.
  - name: wide-commands
    rule: limit_command_scope
    mode: observe
    commands: [fstat, files, dirs, changes, filelog, print]
    min_depth: %d

  # allow 1/5s, burst 3: a plugin repeated the same command "almost every second" (p4ic4idea issue
  # 67); our choice: 3 times, as when a person presses a key again, but not every second, as a
  # program does. allow 50/s, burst 500: our choice: as in polling.
  - name: repeated-commands
    rule: limit_command_rate
    mode: observe
    commands: [fstat, files, dirs, opened]
    limits:
      - {per: [user], allow: 50/s, burst: 500}
      - {per: [user, client, args], allow: 1/5s, burst: 3}
"""
_SCANNED = """
  - name: large-reads
    rule: limit_scanned_rows
    mode: observe
    commands: [sync, update, fstat, files, dirs, have, status, reconcile]
    max_files: %d
"""
_WITHOUT_INDEX = """
  # max_files 2000000: our choice: the size of a large project's client. The rule needs an index of
  # the last checkpoint (p4warden index); p4warden init --index FILE chooses max_files by it.\
"""


def rules_as_comments(files: Sequence[int] | None, min_depth: int) -> str:
    """Return the end of a starter policy; `files` is as in `starter.starter_policy`."""
    lines = (_RULES % (min_depth, min_depth) + _scanned(files)).splitlines()
    return _HEAD + "".join(f"{_commented(line)}\n" for line in lines)


def _commented(line: str) -> str:
    return line if not line or line.startswith("  #") else f"  #{line[2:]}"


def _scanned(files: Sequence[int] | None) -> str:
    if not files:
        return _WITHOUT_INDEX + _SCANNED % 2_000_000
    usual = sorted(files)[(len(files) - 1) * _USUAL_PERCENT // 100]
    most = max(2 * usual, _LEAST_FILES)
    return "\n" + "\n".join(_index_comment(usual, most)) + _SCANNED % most


def _index_comment(usual: int, most: int) -> Iterator[str]:
    yield f"  # max_files {most}: by the index, {_USUAL_PERCENT} of 100 clients span at most"
    yield f"  # {usual:,} files; our choice: twice that, and at least {_LEAST_FILES:,}. Compare"
    yield "  # the estimates with a log before you enforce this rule:"
    yield "  # p4warden replay --index FILE --calibrate LOG..."
