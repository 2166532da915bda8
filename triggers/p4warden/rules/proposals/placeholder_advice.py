"""Name the p4 commands that list names to put in place of placeholders in proposed lines."""

from __future__ import annotations

from itertools import islice

from p4warden.core.light_typing import TYPE_CHECKING
from p4warden.core.plural import amount
from p4warden.core.visible import is_unchanged
from p4warden.forms.depot_path import split_flag, split_words
from p4warden.rules.proposals.placeholders import (
    LONGER_WORDS,
    PLACEHOLDER,
    SHORT,
    UNKNOWN_DEPOT,
    WIDER_WORDS,
    placeholders,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_PLAIN_MARKS = "_./+-"
# Maximum number of depots in a proposed `p4 dirs` command that lists all top directories.
_MAX_DEPOTS = 8
_SEVERAL_NAMES = "; use different names for files from different directories"


def as_wildcards(path: str) -> str:
    """Return a depot path with `*` in place of each placeholder for a depot or a directory."""
    for slash, name in reversed((*placeholders(path, WIDER_WORDS),)):
        path = f"{path[: slash + 1]}*{path[slash + 1 + len(name) :]}"
    return path


def choice_sentences(
    lines: Iterable[str],
    more: int,
    *,
    omitted_lines: Iterable[str] = (),
    refused_lines: Iterable[str] = (),
    short_bytes: int | None = None,
) -> list[str]:
    """Return the sentences of the note below proposed view lines in a refusal.

    They contain a p4 command that lists names for the placeholders, if there are any, and the
    number of further lines to choose from, which are not shown. The rule `limit_command_scope`
    allows this command: `p4 dirs` with one star scans one level (p4 help dirs).

    Args:
        lines: the proposed lines that the refusal shows.
        more: the number of further lines.
        omitted_lines: those of the further lines that are known.
        refused_lines: the lines to replace. A depot path that the proposed line has in common with
            them is not the one to choose: the line of a branch has two depot paths.
        short_bytes: the largest number of bytes of a name in place of `SHORT`; None if unknown.
            With `refused_lines`, None if no line has it; a directory may be called SHORT.
    """
    lines, refused_lines = [*lines], [*refused_lines]
    common_paths = {path for line in refused_lines for path in _depot_paths(line)}
    paths = [path for line in lines for path in _chosen_path(line, common_paths)]
    placeholder_paths = [path for path in paths if _has_placeholder(path)]
    sentences = [_names_for(placeholder_paths)] if placeholder_paths else []
    short_lines = [line for line in lines if any(map(_has_short, split_words(line)))]
    if short_lines and (short_bytes is not None or not refused_lines):
        sentences.append(_short_name_for(short_lines, refused_lines, short_bytes))
    if more:
        paths += [path for line in omitted_lines for path in _chosen_path(line, common_paths)]
        command = _whole_depots(path for path in paths if not _has_placeholder(path))
        list_sentence = f"; this lists all directories: {command}" if command else "."
        verb = "is" if more == 1 else "are"
        lines_text = amount(more, "more such line")
        sentences.append(f"{lines_text} {verb} possible{list_sentence}")
    return sentences


def _short_name_for(lines: list[str], refused_lines: list[str], short_bytes: int | None) -> str:
    """Return the sentence that tells the user to replace `SHORT` in proposed lines.

    Lines for different directories need different names, or they could name the same file.
    """
    most = (
        "a short name"
        if short_bytes is None
        else f"a name of at most {amount(short_bytes, 'byte')}"
    )
    several = _SEVERAL_NAMES if len(_source_directories(lines, refused_lines)) > 1 else ""
    return f"Put {most} in place of {SHORT}{several}."


def _source_directories(lines: list[str], refused_lines: list[str]) -> set[str]:
    """Return the directories of the paths that lines with `SHORT` have beside the shortened one.

    A stream's own path is the only one in its line, so its directory is that of the refused line.
    """
    if not any(map(_depot_paths, lines)):
        lines = [line for line in refused_lines if not _depot_paths(line)]
    words = [word for line in lines for word in split_words(line)]
    return {word.rpartition("/")[0] for word in words if "/" in word and not _has_short(word)}


def _has_short(word: str) -> bool:
    return any(placeholders(word if word.startswith("//") else f"/{word}", LONGER_WORDS))


def _has_placeholder(path: str) -> bool:
    return any(placeholders(path, WIDER_WORDS))


def _whole_depots(paths: Iterable[str]) -> str:
    """Return the p4 command that lists the directories of the depots of some paths.

    Empty if there are too many depots, or a shell might misread a depot's name.
    """
    depots = {f"//{path[2:].partition('/')[0]}": None for path in paths}
    return _command(depots) if len(depots) <= _MAX_DEPOTS and all(map(is_plain, depots)) else ""


def _names_for(placeholder_paths: list[str]) -> str:
    """Return the sentence that tells the user to replace the placeholders in proposed lines.

    It has the p4 command that lists the names, if one is safe to paste into a shell.
    """
    starts = [_before_placeholder(path) for path in placeholder_paths]
    if "/" in starts:
        both = f"{UNKNOWN_DEPOT} and {PLACEHOLDER}"
        command = _command([f"//{UNKNOWN_DEPOT}"])
        listed = "with the depot's name, this lists its directories"
        return f"Put names in place of {both}; {listed}: {command}"
    command = _command(starts)
    list_sentence = f"; this lists the names: {command}" if command else "."
    return f"Put a name in place of {PLACEHOLDER}{list_sentence}"


def where_to_look(path: str, *, unicode: bool) -> str:
    """Return the end of a sentence: a colon and the p4 command that lists names for a placeholder.

    Empty without a safe command; `unicode` is whether the server is in unicode mode.
    """
    names, command = _listing(path, unicode=unicode)
    return f": {command} lists {names}" if command else ""


def listing_advice(path: str, *, unicode: bool) -> str:
    """Return the end of a line of advice: the p4 command that lists names for a placeholder.

    The command ends the line, so that it can be copied. Empty without a safe command; `unicode` is
    whether the server is in unicode mode.
    """
    names, command = _listing(path, unicode=unicode)
    return f"; to list {names}: {command}" if command else ""


def _listing(path: str, *, unicode: bool) -> tuple[str, str]:
    """Return `the depots` or `them`, and the p4 command that lists names for a placeholder.

    The command is empty if a shell could misread the path, or if a message of a server in unicode
    mode (or not, as `unicode` says) cannot show it unchanged.
    """
    before = _before_placeholder(path)
    if before == "/":
        return "the depots", "p4 depots"
    return "them", _command([before]) if is_unchanged(before, unicode=unicode) else ""


def _command(starts: Iterable[str]) -> str:
    """Return the p4 command that lists the directories directly below some depot paths.

    Paths that a shell might misread are left out; empty if there are no others.
    """
    plain = [start for start in dict.fromkeys(starts) if is_plain(start)]
    return " ".join(["p4 dirs", *(f'"{start}/*"' for start in plain)]) if plain else ""


def _before_placeholder(path: str) -> str:
    """Return the part of a depot path before the slash in front of its first placeholder.

    A path without a placeholder is returned whole.
    """
    slashes = (slash for slash, _ in placeholders(path, WIDER_WORDS))
    return path[: next(slashes, len(path))]


def is_plain(path: str) -> bool:
    """Tell whether no shell gives a meaning to any character of a depot path.

    Letters and digits of any script are safe.

    Names come from other people, and users paste proposed commands into shells.
    """
    rest = path.removeprefix("//")
    are_plain = all(mark.isalnum() or mark in _PLAIN_MARKS for mark in rest)
    return rest not in {path, ""} and are_plain


def _chosen_path(line: str, common_paths: Collection[str]) -> list[str]:
    """Return the first path of a proposed line that is not in `common_paths`, in a list.

    The first path if all are in `common_paths`; empty for a line without a path.
    """
    paths = _depot_paths(line)
    return [*islice((path for path in paths if path not in common_paths), 1)] or paths[:1]


def _depot_paths(line: str) -> list[str]:
    """Return the words of a view line that are depot or client paths, without their flags."""
    words = (split_flag(word)[1] for word in split_words(line))
    return [word for word in words if word.startswith("//")]
