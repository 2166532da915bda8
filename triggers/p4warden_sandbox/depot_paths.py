# Wildcards are `...` (any text), `*` and `%%0` to `%%9` (any text without a slash); Perforce API
# source map/maphalf.cc.

from __future__ import annotations

import re

from p4warden_sandbox.message_stack import CommandError
from p4warden_sandbox.messages import DUPLICATE_WILDCARDS, EXTRA_DOTS, EXTRA_STARS, JUXTAPOSED

WILDCARD = re.compile(r"\.\.\.|\*|%%[0-9]")
_MAX_DOTS = 3
_MAX_STARS = 10


def pattern(path: str, *, case_sensitive: bool) -> re.Pattern[str]:
    """Return a regular expression for a depot or client path; each wildcard becomes a group."""
    parts = [re.escape(literal) for literal in WILDCARD.split(path)]
    expression = parts[0]
    for wildcard, literal in zip(WILDCARD.findall(path), parts[1:], strict=True):
        expression += ("(.*)" if wildcard == "..." else "([^/]*)") + literal
    flags = re.DOTALL | re.ASCII if case_sensitive else re.DOTALL | re.ASCII | re.IGNORECASE
    return re.compile(expression, flags)


def depot_of(path: str) -> str | None:
    """Return the first name in a path; None if it has a wildcard, empty without two slashes."""
    if not path.startswith("//"):
        return ""
    name = path[2:].split("/", 1)[0]
    return None if WILDCARD.search(name) else name


def check_wildcards(path: str) -> list[str]:
    """Return the wildcards of a path, sorted for comparison; raise CommandError for bad ones."""
    wildcards = WILDCARD.findall(path)
    numbered = [wildcard for wildcard in wildcards if wildcard.startswith("%%")]
    if wildcards.count("...") > _MAX_DOTS:
        raise CommandError(EXTRA_DOTS, arg=path)
    if wildcards.count("*") > _MAX_STARS:
        raise CommandError(EXTRA_STARS, arg=path)
    if len(set(numbered)) < len(numbered):
        raise CommandError(DUPLICATE_WILDCARDS, arg=path)
    if "" in WILDCARD.split(path)[1:-1]:
        raise CommandError(JUXTAPOSED, arg=path)
    return sorted(wildcards)
