"""A line to write instead of a path that is too long: a short path mapped to the long one.

That is the advice of the paper that measured the cost: its own example maps
`//epiph/MAN/jsrc/...` to `//my-client/com/our-company/epiphany-project/...`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4warden.long_paths import leading, length_bytes
from p4warden.views import view_line

if TYPE_CHECKING:
    from p4warden.long_paths import Leading

SHORT = "SHORT"


def shorter_line(path: Leading, client: str, limit: int) -> tuple[str, ...]:
    """Return one line whose sides both keep the limit, or none where there is none to write.

    Args:
        path: the path that is too long.
        client: the client whose view it would be, where the form is none.
        limit: the most bytes before a wildcard.
    """
    if not path.sides:
        return ()
    left = path.sides[0]
    tree = _directory(left).removeprefix("//").partition("/")[2]
    right = path.sides[1] if path.sides[1:] else f"//{client}/{tree}"
    line = view_line((_kept(left, limit), _kept(right, limit)))
    return (line,) if line else ()


def _kept(path: str, limit: int) -> str:
    """Return all below the path's directory, or below a short one where the path is too long."""
    directory = _directory(path)
    if length_bytes(leading(path)) > limit:
        root = path.removeprefix("//").partition("/")[0]
        directory = f"//{root}/{SHORT}/"
    return f"{directory}..."


def _directory(path: str) -> str:
    """Return what stands before the first wildcard, to its last slash."""
    literal = leading(path)
    return literal[: literal.rfind("/") + 1]
