"""Propose a view line in place of one whose path is too long.

Existing files keep their names, so a directory above a file's long path is mapped: the nearest one
that is short enough, if it names at least `MIN_DIRECTORIES`. The author of a new path can choose a
shorter one; the paper that measured the cost gives the same advice (its own example maps
`//epiph/MAN/jsrc/...` to `//my-client/com/our-company/epiphany-project/...`).
"""

from __future__ import annotations

from p4warden.core.light_typing import TYPE_CHECKING, NamedTuple
from p4warden.core.printable import shortened
from p4warden.forms.depot_path import split_flag, split_words, view_line
from p4warden.forms.leading_paths import depot_of, length_bytes, literal_start
from p4warden.rules.proposals.placeholders import SHORT

if TYPE_CHECKING:
    from collections.abc import Callable

    from p4warden.forms.leading_paths import LeadingPath
    from p4warden.forms.view_lines import ViewLinePath

    Line = tuple[str, ...] | None

MIN_DIRECTORIES = 2


class LengthLimits(NamedTuple):
    """The largest allowed numbers of bytes in a path before its first wildcard.

    Attributes:
        depot_limit: returns the limit of a depot path, given its depot's name.
        client_limit: the limit of a client path; None for no limit.
    """

    depot_limit: Callable[[str], int]
    client_limit: int | None = None


class ShorterLine(NamedTuple):
    """A view line with shorter paths, to write instead of a refused one.

    Attributes:
        lines: the proposed line; empty if there is no such line.
        remark: a further sentence about the line, with a blank before it, or empty.
        short_bytes: the largest number of bytes of a name in place of the placeholder in the line;
            None without one.
    """

    lines: tuple[str, ...] = ()
    remark: str = ""
    short_bytes: int | None = None


def shorter_line(
    path: LeadingPath, client: str, limits: LengthLimits, *, unicode: bool
) -> ShorterLine:
    """Return a line to write for a path that is too long: in place of its line, or for a new file.

    All paths of the new line keep their limits; without such a line the result's `lines` is empty.

    Args:
        path: the path that is too long.
        client: the client whose view would contain the line, for an event without a form.
        limits: the largest allowed numbers of bytes before the first wildcard.
        unicode: whether the server is in unicode mode.
    """
    words = _words(path, client, limits)
    line = view_line(words, unicode=unicode) if words else None
    if words is None or line is None:
        return ShorterLine()
    parsed_line = path.parsed_line
    is_of_client = (
        parsed_line is not None
        and parsed_line.field == "View"
        and parsed_line.client_path is not None
    )
    remark = _remark(parsed_line, words) if parsed_line and is_of_client else ""
    return ShorterLine((line,), remark, _short_bytes(path, limits.depot_limit(path.depot)))


def _words(path: LeadingPath, client: str, limits: LengthLimits) -> Line:
    limit_of, parsed_line = limits.depot_limit, path.parsed_line
    limit = limit_of(path.depot)
    if parsed_line is None:
        return (
            _own_path_line(path, limit)
            if path.own_paths_line
            else _submitted(path, client, limits)
        )
    if parsed_line.field == "Paths":
        return _imported(parsed_line, limit)
    if parsed_line.client_path is not None:
        words = _of_client(parsed_line.path, parsed_line.client_path, limit, limits.client_limit)
        return words and (f"{parsed_line.flag}{words[0]}", words[1])
    if parsed_line.side == "left":
        return _branched_from(parsed_line.path, parsed_line.other_path or "", limit_of)
    if parsed_line.side == "right":
        shorter_path = _path_with_placeholder(path.path, limit)
        return (
            (parsed_line.other_path or "", shorter_path)
            if shorter_path and _fits(parsed_line.other_path, limit_of)
            else None
        )
    parent_path = _parent_path(path.path, limit)
    return (parent_path,) if parent_path else None


def _submitted(path: LeadingPath, client: str, limits: LengthLimits) -> Line:
    """Return a line that maps a new depot file with a short path, for a file opened for add.

    The line maps this file alone. One for its directory would hide the files that are there, and
    an overlay (`+`) would make them read-only: of overlaid directories only the last is writable
    (Perforce User's Guide). None without a short enough line, and for a path with an encoded
    character, such as %40: `p4 add` needs the option -f for such a file, `p4 revert` the code.
    """
    if path.action != "add" or "%" in path.path:
        return None
    shorter_path = _path_with_placeholder(path.path, limits.depot_limit(path.depot))
    right = f"//{client}/{path.path[2:].partition('/')[2]}"
    is_short = _is_within(right, limits.client_limit)
    return (shorter_path, right) if shorter_path and is_short else None


def _own_path_line(path: LeadingPath, limit: int) -> Line:
    """Return the words of a stream's `Paths` line for its own path, with a shorter path.

    None without a short enough path.
    """
    kind, subpath = path.own_paths_line
    stream = path.path.removesuffix(subpath)
    shorter_path = _path_with_placeholder(path.path, limit)
    return (
        (kind, shorter_path.removeprefix(stream))
        if shorter_path and shorter_path.startswith(stream)
        else None
    )


def _imported(parsed_line: ViewLinePath, limit: int) -> Line:
    kind, view_path, depot_path = split_words(parsed_line.line.text)[:3]
    parent_path = _parent_path(parsed_line.path, limit)
    revision = depot_path.removeprefix(parsed_line.path)
    # No line is proposed for an import of a single file, because a directory cannot be mapped to a
    # file of the stream.
    is_one = not view_path.endswith("...")
    return None if parent_path is None or is_one else (kind, view_path, f"{parent_path}{revision}")


def _of_client(
    left: str, right: str, limit: int, client_limit: int | None
) -> tuple[str, str] | None:
    """Return both sides of a client's view line with a shorter depot path; None without one.

    The files keep their client paths where possible.
    """
    above = _parent_path(left, limit)
    if above is None:
        return None
    root, *_ = right[2:].split("/", 1)
    mirrored = f"//{root}/{above[2:].partition('/')[2]}"
    # If both sides of the view line end with the same directory, appending the depot's directories
    # to the client side would repeat that name, so the client path then mirrors the depot path.
    repeats = _names(left)[-1] == _names(right)[-1]
    plain_path = mirrored if repeats else f"{_directory(right)}..."
    moved_path = _moved(left, above, right)
    client_paths = (moved_path,) if moved_path else (plain_path, mirrored)
    client_path = next((path for path in client_paths if _is_within(path, client_limit)), None)
    return (above, client_path) if client_path else None


def _remark(parsed_line: ViewLinePath, words: tuple[str, ...]) -> str:
    """Return a sentence about where the files of a proposed view line lie in the client.

    Empty if the proposed line keeps the files in their client directory.
    """
    old_directory = _directory(parsed_line.client_path or "")
    rest = _directory(parsed_line.path).removeprefix(_directory(split_flag(words[0])[1]))
    new_directory = f"{_directory(words[1])}{rest}"
    return (
        ""
        if new_directory == old_directory
        else f". With the line below, its files move to {shortened(new_directory)}"
    )


def _is_within(client_path: str, limit: int | None) -> bool:
    return limit is None or length_bytes(literal_start(client_path)) <= limit


def _branched_from(left: str, right: str, limit_of: Callable[[str], int]) -> Line:
    """Return both sides of a branch's view line that maps directories above the long paths.

    None if the paths below the two directories differ, or no directory is short enough.
    """
    above = _parent_path(left, limit_of(depot_of(left)))
    moved_path = _moved(left, above, right) if above else None
    return (above, moved_path) if above and moved_path and _fits(moved_path, limit_of) else None


def _parent_path(path: str, limit: int) -> str | None:
    """Return a path to everything below the nearest parent directory that is short enough.

    None if that directory names fewer than `MIN_DIRECTORIES`.
    """
    nearest = _nearest(_directory(path), limit)
    return f"{nearest}..." if nearest.count("/") >= MIN_DIRECTORIES + len("///") else None


def _path_with_placeholder(path: str, limit: int) -> str | None:
    """Return a path in which the placeholder `SHORT` replaces its last directories.

    As few directories as possible are replaced, so that the path has at most `limit` bytes before
    its first wildcard. None if no such path is short enough.
    """
    directory = _directory(path)
    last = path[len(directory) :]
    used_bytes = length_bytes(literal_start(f"{SHORT}/{last}"))
    nearest = _nearest(directory, limit - used_bytes)
    return f"{nearest}{SHORT}/{last}" if nearest else None


def _short_bytes(path: LeadingPath, limit: int) -> int | None:
    """Return the largest number of bytes of a name in place of `SHORT` in the line for a path.

    None if the line has no such placeholder.
    """
    has_placeholder = path.parsed_line is None or path.parsed_line.side == "right"
    shorter_path = _path_with_placeholder(path.path, limit) if has_placeholder else None
    if shorter_path is None:
        return None
    return limit - length_bytes(literal_start(shorter_path)) + len(SHORT)


def _moved(left: str, above: str, right: str) -> str | None:
    """Return the path to a directory above `right`, as many levels up as `above` is above `left`.

    None if the directories that are cut off differ on the two sides of the view line.
    """
    right_names, removed_names = _names(right), _names(left)[len(_names(above)) :]
    remaining_names = right_names[: len(right_names) - len(removed_names)]
    goes_along = right_names[len(remaining_names) :] == removed_names
    return (
        f"//{'/'.join(remaining_names)}/..." if goes_along and len(remaining_names) > 1 else None
    )


def _nearest(directory: str, room_bytes: int) -> str:
    """Return the nearest of a directory and its parents whose path has at most `room_bytes`.

    Empty if none is short enough.
    """
    best, end = "", directory.find("/", 2)
    while end != -1 and length_bytes(directory[: end + 1]) <= room_bytes:
        best, end = directory[: end + 1], directory.find("/", end + 1)
    return best


def _names(path: str) -> list[str]:
    """Return the leading names of a path: the depot or client, and the complete directories."""
    return _directory(path)[2:-1].split("/")


def _fits(path: str | None, limit_of: Callable[[str], int]) -> bool:
    return path is not None and length_bytes(literal_start(path)) <= limit_of(depot_of(path))


def _directory(path: str) -> str:
    """Return a path's text before the first wildcard, up to its last slash."""
    literal = literal_start(path)
    return literal[: literal.rfind("/") + 1]
