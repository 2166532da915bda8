from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from p4warden import __version__
from p4warden.home import public_file

if TYPE_CHECKING:
    from collections.abc import Iterator

SECTION = 1


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.pass_context
def manual(context: click.Context, folder: Path) -> None:
    """Write man pages into DIR: p4warden.1, and one for each command, such as p4warden-check.1."""
    texts = {
        f"{_name(page)}.{SECTION}": page_text(page)
        for page in visible_commands(context.find_root())
    }
    public_file.write_folder(str(folder), texts)
    click.echo(f"{folder}: man pages of p4warden {__version__}; man -M {folder.parent} p4warden")


def visible_commands(context: click.Context) -> Iterator[click.Context]:
    """Yield the click contexts of a command and all its visible subcommands, for man pages."""
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            command = context.command.get_command(context, name)
            if command is not None and not command.hidden:
                yield from visible_commands(click.Context(command, parent=context, info_name=name))


def page_text(context: click.Context) -> str:
    """Return the text of a command's man page, in man(7) notation."""
    command, name = context.command, _name(context)
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [
        f'.TH "{_roff(name.upper())}" {SECTION} "" "p4warden {__version__}" "p4warden"',
        f".SH NAME\n{_roff(name)} \\- {_roff(command.get_short_help_str(limit=100))}",
        f".SH SYNOPSIS\n.B {_roff(context.command_path)}\n{_roff(usage)}",
        f".SH DESCRIPTION\n{_paragraphs(command.help or '')}",
        *_listed("OPTIONS", _options(context)),
        *_listed("COMMANDS", _commands(context)),
        *_see_also(context),
    ]
    return "\n".join(parts) + "\n"


def _name(context: click.Context) -> str:
    return context.command_path.replace(" ", "-")


def _options(context: click.Context) -> list[tuple[str, str]]:
    records = (one.get_help_record(context) for one in context.command.get_params(context))
    return [record for record in records if record]


def _commands(context: click.Context) -> list[tuple[str, str]]:
    subcommands = [one for one in visible_commands(context) if one.parent is context]
    return [(_name(one), one.command.get_short_help_str(limit=100)) for one in subcommands]


def _listed(title: str, entries: list[tuple[str, str]]) -> Iterator[str]:
    if entries:
        items = (f".TP\n.B {_roff(term)}\n{_roff(text)}" for term, text in entries)
        yield "\n".join([f".SH {title}", *items])


def _see_also(context: click.Context) -> Iterator[str]:
    if context.parent:
        yield f".SH SEE ALSO\n.BR {_roff(_name(context.parent))} ({SECTION})"


def _paragraphs(text: str) -> str:
    blocks = re.split(r"\n\s*\n", text.replace("\b\n", "").strip())
    return "\n.PP\n".join(_roff(" ".join(block.split())) for block in blocks)


def _roff(text: str) -> str:
    """Escape a text for a man page, so that roff reads no part of it as a request."""
    roff_text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{roff_text}" if roff_text.startswith((".", "'")) else roff_text
